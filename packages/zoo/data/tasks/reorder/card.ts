/** What reorder is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { OF_A_TASK, type OfKnobs } from '../../derived/of_knob.ts';

export const reorderCard = {
  name: 'reorder',
  does: 'Put the pieces of an answer to a problem of another task in an order that is right.',
  example: ['3 7 2 = 13 ? | 6 3 13 , 7 = * + 2 = 6 |', '3 * 2 = 6 , 7 + 6 = 13'],
  version: 1,
  ...OF_A_TASK,
} satisfies TaskCard<OfKnobs>;
