/** What critique_tasks is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { number, options, type Values } from '../../../../../src/options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';

const KNOBS = options({
  of: ofKnob('countdown'),
  clean: number({ min: 0, max: 1, example: 0.25 })
    .default(0.25)
    .describe('Share of the answers that are right as they are.'),
});

export type CritiqueTasksKnobs = Values<typeof KNOBS>;

export const critiqueTasksCard = {
  name: 'critique_tasks',
  does: 'Say what was done to an answer to a problem of another task, and where: a piece replaced, two swapped, or nothing.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', 'A 9'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: ['critique'],
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
} satisfies TaskCard<CritiqueTasksKnobs>;
