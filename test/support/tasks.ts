/** The tasks of the package, loaded, as a trainer has them. */

import type { RunConfig } from '../../src/config/run_config.ts';
import { bindTask, type TaskConfig } from '../../src/data/create_task.ts';
import type { AnyTaskDefinition, Task } from '../../src/data/task.ts';
import type { TaskOptions } from '../../src/data/task_options.ts';
import { oneTask, type TaskSet, taskSet } from '../../src/data/task_set.ts';
import { registeredTask, registeredTasks } from './everything.ts';

const loaded = new Map(
  await Promise.all(Object.entries(registeredTasks).map(async ([name, { load }]) => [name, await load()] as const)),
);

/** @throws ConfigError for an unknown name, as a config does */
export function getTaskDefinition(name: string): AnyTaskDefinition {
  return loaded.get(name) ?? (registeredTask(name) as never); // every registered task was loaded
}

/** One task as a trainer has it. */
export function createTask({ name, ...knobs }: TaskConfig, options: TaskOptions = {}): TaskSet {
  return oneTask(bindTask(getTaskDefinition(name), knobs, options));
}

/** Those of a config. */
export function createTasks({ tasks }: Pick<RunConfig, 'tasks'>, options: TaskOptions = {}): TaskSet {
  return taskSet(
    tasks.map(({ task: { name, ...knobs }, weight }) => ({
      task: bindTask(getTaskDefinition(name), knobs, options),
      weight,
    })),
  );
}

/** The one task of a set of one. */
export function onlyTask({ shares }: TaskSet): Task {
  if (shares.length !== 1) throw new RangeError(`${shares.length} tasks`);
  return shares[0].task;
}
