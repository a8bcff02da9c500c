/** Where a run directory keeps what servers have answered: `answers/<number of the task>/`. */
import type { AnswerFiles } from '../../data/environment.ts';
import type { TaskSet } from '../../data/task_set.ts';
import type { Store } from '../store/store.ts';

const FOLDER = 'answers';

/** @param task  number of the task in the config, from 0 */
export function answerFiles(store: Store, task: number): AnswerFiles {
  const folder = `${FOLDER}/${task}`;
  return {
    read: (name) => store.read(`${folder}/${name}`),
    append: (name, text) => store.append(`${folder}/${name}`, text),
    list: () => store.list(folder),
    remove: (name) => store.remove(`${folder}/${name}`),
  };
}

/** Keeps the answers of all servers of a run in it, and gives those that are there. */
export async function recordAnswers({ shares }: TaskSet, store: Store): Promise<void> {
  for (const [index, { task }] of shares.entries()) await task.distant?.recordIn(answerFiles(store, index));
}

/** After a checkpoint. @param keep  checkpoints that are kept */
export async function pruneAnswers({ shares }: TaskSet, weightsVersion: number, keep: number): Promise<void> {
  for (const { task } of shares) await task.distant?.checkpointed(weightsVersion, keep);
}
