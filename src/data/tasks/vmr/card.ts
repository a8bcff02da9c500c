/** What vmr is and which knobs it has. */
import { options, type Values } from '../../../options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({ of: ofKnob('countdown') });

export type VmrKnobs = Values<typeof KNOBS>;

export const vmrCard = {
  name: 'vmr',
  does: 'Say which of two answers to a problem of another task is right.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 | 3 * 2 = 6 , 7 + 6 = 13 |', 'B'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: [],
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
} satisfies TaskCard<VmrKnobs>;
