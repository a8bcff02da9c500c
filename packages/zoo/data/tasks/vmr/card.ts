/** What vmr is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, options, type Values } from '../../../../../src/options/keys.ts';
import { OF_A_TASK, ofKnob } from '../../derived/of_knob.ts';

const KNOBS = options({
  of: ofKnob('countdown'),
  asks: choice(['right', 'brief'])
    .optional()
    .describe(
      'Names what is asked, by a letter at the end of the prompt: which answer is right, or which is briefer; in half of the pairs that is the wrong one. Default: which is right, of two of one length, without a letter.',
    ),
});

export type VmrKnobs = Values<typeof KNOBS>;

export const vmrCard = {
  ...OF_A_TASK,
  name: 'vmr',
  does: 'Say which of two answers to a problem of another task is right.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 | 3 * 2 = 6 , 7 + 6 = 13 |', 'B'],
  version: 1,
  knobs: KNOBS,
} satisfies TaskCard<VmrKnobs>;
