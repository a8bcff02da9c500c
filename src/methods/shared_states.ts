/** What several methods of a stage share: made when it is first asked for, in every checkpoint, and passed on to the next stage. */
import type { Json } from '../options/json.ts';
import type { Stateful } from './stateful.ts';

/** Something that is shared. */
export type Shared = Required<Pick<Stateful, 'state' | 'restore'>>;

export class SharedStates {
  readonly #made = new Map<string, Shared>();
  #saved: Readonly<Record<string, Json>> = {};

  /** The thing of this name, as it was saved where it was. Ask for it at each use: going back makes another. */
  get<T extends Shared>(name: string, make: () => T): T {
    const known = this.#made.get(name);
    if (known !== undefined) return known as T; // one name is of one kind
    const own = make();
    if (Object.hasOwn(this.#saved, name)) own.restore(this.#saved[name]);
    this.#made.set(name, own);
    return own;
  }

  state(): Readonly<Record<string, Json>> {
    return { ...this.#saved, ...Object.fromEntries([...this.#made].map(([name, own]) => [name, own.state()])) };
  }

  restore(states: Readonly<Record<string, Json>>): void {
    this.#made.clear();
    this.#saved = states;
  }
}
