/**
 * Numbers that change from step to step and that shaders and dispatch sizes need: row ranges, group counts. The host
 * knows them, since it wrote the int slots that hold them; kernels read them from one small uniform buffer.
 */
import { BackendError } from '../../errors.ts';
import type { Count } from '../memory.ts';
import { MAXIMUM_COUNTS } from './layout.ts';

/** One entry of the table; `value` is that of the replay at hand. */
export interface CountEntry {
  readonly index: number;
  value: number;
}

/** What the host wrote into an int arena. */
export type IntShadow = (arena: string) => Int32Array;

export class CountTable {
  /** The table as the shaders see it. */
  readonly values = new Uint32Array(MAXIMUM_COUNTS);
  readonly #entries = new Map<string, CountEntry>();
  readonly #updates: { readonly entry: CountEntry; readonly compute: () => number }[] = [];
  readonly #shadow: IntShadow;
  #changed = true;
  #stale = false;

  constructor(shadow: IntShadow) {
    this.#shadow = shadow;
  }

  get length(): number {
    return this.#entries.size;
  }

  /** The entry of a fixed number, or of an element of an int slot. */
  of(count: Count): CountEntry {
    if (typeof count === 'number') return this.#entry(`=${count}`, () => count);
    const { slot, index } = count;
    const shadow = this.#shadow(slot.arena);
    const at = slot.offset + index;
    return this.#entry(`${slot.arena}[${at}]`, () => shadow[at] as number);
  }

  /** A number that is computed from int arenas and from entries made before it. @param key names the computation */
  derived(key: string, compute: () => number): CountEntry {
    return this.#entry(key, compute);
  }

  /** The host changed an int arena. */
  invalidate(): void {
    this.#stale = true;
  }

  /** Brings every entry up to date. @returns whether one has changed since the last call */
  refresh(): boolean {
    if (this.#stale) {
      for (const { entry, compute } of this.#updates) this.#set(entry, compute());
    }
    const changed = this.#changed;
    this.#changed = false;
    this.#stale = false;
    return changed;
  }

  #entry(key: string, compute: () => number): CountEntry {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const index = this.#entries.size;
    if (index >= MAXIMUM_COUNTS) throw new BackendError('counts', `webgpu: more than ${MAXIMUM_COUNTS} counts in use.`);
    const entry: CountEntry = { index, value: 0 };
    this.#entries.set(key, entry);
    this.#updates.push({ entry, compute });
    this.#set(entry, compute());
    this.#changed = true;
    return entry;
  }

  #set(entry: CountEntry, value: number): void {
    if (entry.value !== value) this.#changed = true;
    entry.value = value;
    this.values[entry.index] = value;
  }
}
