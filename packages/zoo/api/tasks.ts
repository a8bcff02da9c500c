/** The library's functions that look a task up among all that the package has. */
import {
  createTask as createTaskOf,
  createTasks as createTasksOf,
  type TaskConfig,
} from '../../../src/data/create_task.ts';
import {
  type InnerLookup,
  innerIn,
  loadTask,
  type RegisteredTask,
  registeredTask as registeredIn,
} from '../../../src/data/registered_task.ts';
import type { AnyTaskDefinition, Task } from '../../../src/data/task.ts';
import type { TaskOptions } from '../../../src/data/task_options.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import type { GivenOptions } from '../../../src/options/read.ts';
import { ALL_TASKS } from '../lists/all_tasks.ts';

/** A task of the package: its card, and how the rest is loaded. */
export interface PackagedTask extends Pick<RegisteredTask, 'card'> {
  /**
   * @param given  the knobs as they are written: of a task made of a task, they say of which one
   * @param own  that one, where it is none of the package
   */
  load(given?: GivenOptions, own?: AnyTaskDefinition): Promise<AnyTaskDefinition>;
}

const innerOf =
  (own: AnyTaskDefinition): InnerLookup =>
  () => ({ card: own, load: async () => own });

/**
 * A task by its name, loaded and bound to its knobs. Problems are solved when they are first met.
 *
 * @throws ConfigError on an unknown name or knob, or a knob out of range
 *
 * ```ts
 * const task = await createTask({ name: 'countdown', numbers: 3 });
 * const item = task.trainItem(0, 17);
 * task.verify(item, item.answer, { finishReason: 'eos' }).score; // 1
 * ```
 */
export function createTask(config: TaskConfig, options: TaskOptions = {}): Promise<Task> {
  return createTaskOf(config, ALL_TASKS, options);
}

/**
 * All tasks of a config, ready for a trainer.
 *
 * @throws ConfigError on an unknown name or knob, a knob out of range, or vocabularies that cannot be one
 */
export function createTasks(config: Parameters<typeof createTasksOf>[0], options: TaskOptions = {}): Promise<TaskSet> {
  return createTasksOf(config, ALL_TASKS, options);
}

/** A task of the package by its name. @throws ConfigError naming the nearest one, or saying what it lacks */
export function registeredTask(name: string): PackagedTask {
  const { card, load } = registeredIn(ALL_TASKS, name);
  return { card, load: (given = {}, own) => load(given, own === undefined ? innerIn(ALL_TASKS) : innerOf(own)) };
}

/** The tasks of the package by name, as `task:` of a config has them. */
export const registeredTasks: Readonly<Record<string, PackagedTask>> = Object.fromEntries(
  Object.entries(ALL_TASKS.loaded).flatMap(([name, task]) => ('load' in task ? [[name, registeredTask(name)]] : [])),
);

/** The definition of a task, loaded with what it needs. @throws ConfigError naming the nearest one */
export function getTaskDefinition(name: string): Promise<AnyTaskDefinition> {
  return loadTask(ALL_TASKS, name);
}
