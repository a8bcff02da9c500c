/** What verify_tasks is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { OF_A_TASK, type OfKnobs } from '../../derived/of_knob.ts';

export const verifyTasksCard = {
  name: 'verify_tasks',
  does: 'Judge an answer to a problem of another task: half of them are right.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', 'B'],
  version: 1,
  ...OF_A_TASK,
} satisfies TaskCard<OfKnobs>;
