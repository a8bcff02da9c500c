/** The tasks that a config may name: given to whatever reads a config or opens its tasks, and imported by neither. */
import { commandName } from '../command_name.ts';
import { ConfigError } from '../errors.ts';
import { didYouMean } from '../options/nearest_name.ts';
import type { GivenOptions } from '../options/read.ts';
import type { AnyTaskDefinition, Knobs, ListedCard, Task, TaskCard } from './task.ts';
import type { TaskOptions } from './task_options.ts';

/** Finds the task that a task is made of, by its name. */
export type InnerLookup = (name: string) => {
  readonly card: TaskCard<Knobs>;
  load(): Promise<AnyTaskDefinition>;
};

/** A task of a list: its card, and how the rest is loaded. */
export interface RegisteredTask {
  readonly card: ListedCard<Knobs>;
  /**
   * @param given  the knobs as they are written: of a task made of a task, they say of which one
   * @param inner  how that one is found
   */
  load(given: GivenOptions, inner: InnerLookup): Promise<AnyTaskDefinition>;
}

/** A task whose problems come from what the config names: files, or a server. There is nothing to show without. */
export interface OpenedTask {
  readonly card: ListedCard<Knobs>;
  /** What has to be named: `rows come from the files`. */
  readonly needs: string;
  open(knobs: Readonly<Record<string, unknown>>, options: TaskOptions): Promise<Task>;
}

/** The tasks that a config may name. */
export interface TaskList {
  /** Those that are loaded, by name. */
  readonly loaded: Readonly<Record<string, RegisteredTask | OpenedTask>>;
  /** Every name that there is, also of those that are not loaded: for messages. */
  readonly names: readonly string[];
}

/** The card of a name; undefined where none is loaded. */
export function cardOf({ loaded }: TaskList, name: string): ListedCard<Knobs> | undefined {
  return Object.hasOwn(loaded, name) ? loaded[name].card : undefined;
}

/** A task of the list, whatever it is opened by. @throws ConfigError naming the nearest one */
export function listedTask({ loaded, names }: TaskList, name: string): RegisteredTask | OpenedTask {
  if (Object.hasOwn(loaded, name)) return loaded[name];
  const message = `task.name: ${JSON.stringify(name)} — no such task${didYouMean(String(name), names)} (${commandName()} tasks ls has them all)`;
  throw new ConfigError('unknown-task', message, { name, known: names });
}

/** A task that is opened by its name alone. @throws ConfigError naming the nearest one, or saying what it lacks */
export function registeredTask(list: TaskList, name: string): RegisteredTask {
  const found = listedTask(list, name);
  if ('load' in found) return found;
  const rule = `its ${found.needs} that a config names, so there is nothing to show or check without one`;
  throw new ConfigError('no-source', `task.name: ${name} — ${rule}.`, { name });
}

/** Loads the definition of a task that is opened by its name alone. @throws ConfigError as `registeredTask` */
export function loadTask(list: TaskList, name: string, given: GivenOptions = {}): Promise<AnyTaskDefinition> {
  return registeredTask(list, name).load(given, innerIn(list));
}

/** How the task that a task is made of is found in a list. */
export function innerIn(list: TaskList): InnerLookup {
  return (name) => {
    const { card, load } = registeredTask(list, name);
    return { card, load: () => load({}, innerIn(list)) };
  };
}
