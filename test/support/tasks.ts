/** The tasks of the package, loaded: what `createTask` gives, without waiting for it. */
import { bindTask, type TaskConfig, type TaskOptions } from '../../src/data/create_task.ts';
import { type AnyTaskDefinition, registeredTask, registeredTasks } from '../../src/data/registry.ts';
import type { Task } from '../../src/data/task.ts';

const loaded = new Map(
  await Promise.all(Object.entries(registeredTasks).map(async ([name, { load }]) => [name, await load()] as const)),
);

/** @throws ConfigError for an unknown name, as a config does */
export function getTaskDefinition(name: string): AnyTaskDefinition {
  return loaded.get(name) ?? (registeredTask(name) as never); // every registered task was loaded
}

export function createTask({ name, ...knobs }: TaskConfig, options: TaskOptions = {}): Task {
  return bindTask(getTaskDefinition(name), knobs, options);
}
