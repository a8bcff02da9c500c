/** What ssl_tasks is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { OF_A_TASK, type OfKnobs } from '../../derived/of_knob.ts';

export const sslTasksCard = {
  name: 'ssl_tasks',
  does: 'Self-supervision from the answers of another task, of five kinds by turns: fill a gap, put in order, choose a middle, find what is spoiled, choose between two.',
  example: ['3 7 2 = 13 ? | A | 3 * _ = 6 , 7 + 6 = _ |', '2 13'],
  version: 1,
  ...OF_A_TASK,
} satisfies TaskCard<OfKnobs>;
