/** What corrupt_span is. */
import type { TaskCard } from '../../../../../src/data/task.ts';
import { OF_A_TASK, type OfKnobs } from '../../derived/of_knob.ts';

export const corruptSpanCard = {
  name: 'corrupt_span',
  does: 'Find the piece that was replaced in an answer to a problem of another task.',
  example: ['3 7 2 = 13 ? | 3 * 2 = 6 , 7 + 9 = 13 |', '9'],
  version: 1,
  ...OF_A_TASK,
} satisfies TaskCard<OfKnobs>;
