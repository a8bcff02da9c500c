/** Tasks that know right answers: a method that uses them would do nothing elsewhere, and not say so. */
import type { TaskSet } from '../../../../src/data/task_set.ts';
import type { Refusal, Use } from '../../../../src/methods/uses/use.ts';

/** Problems of the training stream of no run that are looked at. */
const LOOKED_AT = 16;
const NO_RUN = -3;

/** `RolloutTools.solutions`. */
export const rightAnswers: Use = {
  id: 'right-answers',
  says: 'a task that knows right answers',
  refuses: (tasks) => refusal(tasks, 1, `uses right answers, and ${tasks.name} knows none`),
};

/** Answers with a beginning to show: `RolloutTools.solution` gives two tokens or more. */
export const answerBeginnings: Use = {
  id: 'answer-beginnings',
  says: 'a task whose answers have a beginning to show',
  refuses: (tasks) =>
    refusal(tasks, 2, `shows a part of a solution, and answers of ${tasks.name} are a single token, or unknown`),
};

/** @param least  tokens of an answer */
function refusal(tasks: TaskSet, least: number, rule: string): Refusal | undefined {
  const items = Array.from({ length: LOOKED_AT }, (_, index) => tasks.trainItem(NO_RUN, index));
  if (items.some((item) => tasks.solutions(item).some(({ length }) => length >= least))) return undefined;
  const remedy = 'use a task of longer answers, such as countdown, or another method';
  return { code: 'no-answers', rule, remedy, facts: { task: tasks.name } };
}
