import { number } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const critiqueTasksCard = taskCard({
  name: 'critique_tasks',
  does: 'Say what was done to an answer to a problem of another task, and where: a piece replaced, two swapped, or nothing.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', 'A 9'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: ['critique'],
  knobs: {
    of: ofKnob('countdown'),
    clean: number({ min: 0, max: 1, example: 0.25 })
      .default(0.25)
      .describe('Share of the answers that are right as they are.'),
  },
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
});

export type CritiqueTasksKnobs = KnobsOf<typeof critiqueTasksCard>;
