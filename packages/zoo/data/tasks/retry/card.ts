import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, integer, options, type Values } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';

/** The knob of any task that is asked again. */
export const ATTEMPTS = integer({ min: 2, max: 16, example: 3 })
  .default(3)
  .describe('Answers that may be given; the last one counts, and a right one is the last.');

const KNOBS = options({
  of: ofKnob('countdown'),
  attempts: ATTEMPTS,
  says: choice(['wrong', 'nothing'])
    .optional()
    .describe(
      'What a further attempt is told: what was wrong, where the answer was (wrong); or nothing, after every answer (nothing). Default: wrong.',
    ),
});

export type RetryKnobs = Values<typeof KNOBS>;

export const retryCard = {
  name: 'retry',
  does: 'Answer a problem of another task, and again where that was wrong: each time it is said what was.',
  example: ['3 7 2 = 13 ?', '3 * 2 = 6 , 6 + 7 = 13'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 }, attempts: 2 }, {}, { attempts: 5 }],
} satisfies TaskCard<RetryKnobs>;
