/** Any task of a single turn, asked again where the answer was wrong. */
import type { TaskOfTask } from '../../derived/derived_task.ts';
import { requireOneTurn, retryTask } from '../../derived/retry_task.ts';

export const retry: TaskOfTask = {
  play(card, inner, innerOf) {
    requireOneTurn(inner, 'task.of');
    return retryTask(card, inner, innerOf);
  },
};
