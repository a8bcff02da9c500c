/** What verify_tasks is and which knobs it has. */
import { options, type Values } from '../../../options/keys.ts';
import { ofKnob } from '../../derived/of_knob.ts';
import type { TaskCard } from '../../task.ts';

const KNOBS = options({ of: ofKnob('countdown') });

export type VerifyTasksKnobs = Values<typeof KNOBS>;

export const verifyTasksCard = {
  name: 'verify_tasks',
  does: 'Judge an answer to a problem of another task: half of them are right.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', 'B'],
  version: 1,
  category: 'of tasks',
  tier: 2,
  parts: [],
  knobs: KNOBS,
  levels: [{ of: { task: 'countdown', level: 0 } }, {}],
} satisfies TaskCard<VerifyTasksKnobs>;
