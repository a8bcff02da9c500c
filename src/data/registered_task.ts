/** What the list of tasks holds of each. */
import type { Json } from '../options/json.ts';
import type { GivenOptions } from '../options/read.ts';
import type { Knobs, ListedCard, TaskDefinition } from './task.ts';

/** A definition whose items and knobs are known to itself only; methods are checked bivariantly. */
export type AnyTaskDefinition = TaskDefinition<Json, Knobs>;

/** A task of the package: its card, and how the rest is loaded. */
export interface RegisteredTask {
  readonly card: ListedCard<Knobs>;
  /**
   * @param given  the knobs as they are written: of a task made of a task, they say of which one
   * @param own  that one, where it is none of the package
   */
  load(given?: GivenOptions, own?: AnyTaskDefinition): Promise<AnyTaskDefinition>;
}
