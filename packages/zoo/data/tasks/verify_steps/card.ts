/** What verify_steps is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { OF_A_TASK, type OfKnobs } from '../../derived/of_knob.ts';

export const verifyStepsCard = {
  name: 'verify_steps',
  does: 'Judge each step of an answer to a problem of another task: in half of the answers one is spoiled.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', 'A B'],
  version: 1,
  ...OF_A_TASK,
} satisfies TaskCard<OfKnobs>;
