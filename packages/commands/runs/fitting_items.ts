/** The training problems that a run begins with. */
import { fittingItem } from '../../../src/data/prompts/prompt_limit.ts';
import type { TaskItem } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';

/** The first items of the training stream whose prompts fit: those that a run trains on first. */
export function fittingItems(
  tasks: TaskSet,
  seed: number,
  count: number,
): readonly { readonly item: TaskItem; readonly index: number }[] {
  let at = 0;
  return Array.from({ length: count }, () => {
    const { item, index, next } = fittingItem(tasks, seed, at);
    at = next;
    return { item, index };
  });
}
