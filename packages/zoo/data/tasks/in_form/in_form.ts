/** Any task of a single turn, whose answer has a form of its own around it. */
import type { TaskOfTask } from '../../derived/derived_task.ts';
import { formedTask } from '../../derived/formed_task.ts';
import { requireOneTurn } from '../../derived/retry_task.ts';

export const inForm: TaskOfTask = {
  play(card, inner, innerOf) {
    requireOneTurn(inner, 'task.of');
    return formedTask(card, inner, innerOf);
  },
};
