/**
 * Numbers that change from step to step and that shaders and dispatch sizes need: row ranges, group counts. The host
 * knows them, since it wrote the int slots that hold them; kernels read them from one small uniform buffer.
 */
import { BackendError } from '../../src/errors.ts';
import type { Count } from '../../src/kernels/memory.ts';
import { MAXIMUM_COUNTS } from './layout.ts';

/** One entry of the table; `value` is that of the replay at hand, for the entries that its programs use. */
export interface CountEntry {
  readonly index: number;
  value: number;
}

interface Computed extends CountEntry {
  readonly compute: () => number;
  /** Version of the host's writes that `value` was computed from. */
  version: number;
}

/** What the host wrote into an int arena. */
export type IntShadow = (arena: string) => Int32Array;

export class CountTable {
  /** The table as the shaders see it. */
  readonly values = new Uint32Array(MAXIMUM_COUNTS);
  readonly #entries = new Map<string, Computed>();
  readonly #shadow: IntShadow;
  /** Entries that the program being recorded has asked for, each after those that it is computed from. */
  #used = new Set<Computed>();
  #changed = true;
  #version = 0;

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

  /** The entries that were asked for since the last call: those of one program, in the order to compute them. */
  takeUsed(): readonly CountEntry[] {
    const used = [...this.#used];
    this.#used = new Set();
    return used;
  }

  /** The host changed an int arena. */
  invalidate(): void {
    this.#version++;
  }

  /** Brings the entries of a program up to date. */
  refresh(entries: readonly CountEntry[]): void {
    for (const entry of entries as readonly Computed[]) if (entry.version !== this.#version) this.#compute(entry);
  }

  /** Whether the table differs from what it was at the last call. */
  takeChanged(): boolean {
    const changed = this.#changed;
    this.#changed = false;
    return changed;
  }

  #entry(key: string, compute: () => number): CountEntry {
    const existing = this.#entries.get(key);
    if (existing !== undefined) {
      this.#used.add(existing);
      return existing;
    }
    const index = this.#entries.size;
    if (index >= MAXIMUM_COUNTS) throw new BackendError('counts', `webgpu: more than ${MAXIMUM_COUNTS} counts in use.`);
    const entry: Computed = { index, value: 0, compute, version: this.#version };
    this.#entries.set(key, entry);
    this.#used.add(entry);
    this.#compute(entry);
    this.#changed = true;
    return entry;
  }

  #compute(entry: Computed): void {
    const value = entry.compute();
    entry.version = this.#version;
    if (entry.value === value) return;
    entry.value = value;
    this.values[entry.index] = value;
    this.#changed = true;
  }
}
