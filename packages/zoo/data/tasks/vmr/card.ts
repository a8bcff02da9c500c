/** What vmr is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { OF_A_TASK, type OfKnobs } from '../../derived/of_knob.ts';

export const vmrCard = {
  name: 'vmr',
  does: 'Say which of two answers to a problem of another task is right.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 | 3 * 2 = 6 , 7 + 6 = 13 |', 'B'],
  version: 1,
  ...OF_A_TASK,
} satisfies TaskCard<OfKnobs>;
