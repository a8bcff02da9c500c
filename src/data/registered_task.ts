/** The tasks that a config may name. Readers of configs and openers of tasks are given them, and import none. */
import { commandName } from '../command_name.ts';
import { ConfigError } from '../errors.ts';
import { didYouMean } from '../options/nearest_name.ts';
import type { GivenOptions } from '../options/read.ts';
import type { AnyTaskDefinition, Knobs, ListedCard, Task, TaskCard } from './task.ts';
import type { TaskOptions } from './task_options.ts';

/** Finds an inner task by name. */
export type InnerLookup = (name: string) => {
  readonly card: TaskCard<Knobs>;
  load(): Promise<AnyTaskDefinition>;
};

/** A task of a list: its card, and the loader of its definition. */
export interface RegisteredTask {
  readonly card: ListedCard<Knobs>;
  /** @param given  the knobs as written, which name the inner task, if any @param inner  finds the inner task */
  load(given: GivenOptions, inner: InnerLookup): Promise<AnyTaskDefinition>;
}

/** A task whose problems come from files or a server that the config names. Without them it has none to show. */
export interface OpenedTask {
  readonly card: ListedCard<Knobs>;
  /** What the config must name: `rows come from the files`. */
  readonly needs: string;
  open(knobs: Readonly<Record<string, unknown>>, options: TaskOptions): Promise<Task>;
}

/** The tasks that a config may name. */
export interface TaskList {
  /** The available tasks, by name. */
  readonly loaded: Readonly<Record<string, RegisteredTask | OpenedTask>>;
  /** Every known name, available or not, for messages. */
  readonly names: readonly string[];
}

/** The card of a name; undefined if it is not available. */
export function cardOf({ loaded }: TaskList, name: string): ListedCard<Knobs> | undefined {
  return Object.hasOwn(loaded, name) ? loaded[name].card : undefined;
}

/** A task of the list, of either kind. @throws ConfigError naming the nearest one */
export function listedTask({ loaded, names }: TaskList, name: string): RegisteredTask | OpenedTask {
  if (Object.hasOwn(loaded, name)) return loaded[name];
  const message = `task.name: ${JSON.stringify(name)} — no such task${didYouMean(String(name), names)} (${commandName()} tasks ls has them all)`;
  throw new ConfigError('unknown-task', message, { name, known: names });
}

/** A task that needs only its name. @throws ConfigError naming the nearest one, or what is missing */
export function registeredTask(list: TaskList, name: string): RegisteredTask {
  const entry = listedTask(list, name);
  if ('load' in entry) return entry;
  const rule = `its ${entry.needs} that a config names, so there is nothing to show or check without one`;
  throw new ConfigError('no-source', `task.name: ${name} — ${rule}.`, { name });
}

/** Loads the definition of a task that needs only its name. @throws ConfigError as `registeredTask` */
export function loadTask(list: TaskList, name: string, given: GivenOptions = {}): Promise<AnyTaskDefinition> {
  return registeredTask(list, name).load(given, innerIn(list));
}

/** A lookup of inner tasks in a list. */
export function innerIn(list: TaskList): InnerLookup {
  return (name) => {
    const { card, load } = registeredTask(list, name);
    return { card, load: () => load({}, innerIn(list)) };
  };
}
