import { integer } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

/** The knob of any task that is asked again. */
export const ATTEMPTS = integer({ min: 2, max: 16, example: 3 })
  .default(3)
  .describe('Answers that may be given; the last one counts, and a right one is the last.');

export const retryCard = taskCard({
  name: 'retry',
  does: 'Answer a problem of another task, and again where that was wrong: each time it is said what was.',
  example: ['3 7 2 = 13 ?', '3 * 2 = 6 , 6 + 7 = 13'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: {
    of: ofKnob('countdown'),
    attempts: ATTEMPTS,
  },
  levels: [{ of: { task: 'countdown', level: 0 }, attempts: 2 }, {}, { attempts: 5 }],
});

export type RetryKnobs = KnobsOf<typeof retryCard>;
