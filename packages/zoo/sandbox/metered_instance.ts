/**
 * An instance of a metered module whose memory can be put back: what runs in it begins from the same bytes each time, so it
 * takes the same fuel each time, and nothing is left of what ran before.
 */
import { DEPTH, FUEL, GLOBAL, MOST_DEPTH } from './metered_module.ts';

const PAGE = 2 ** 16;

interface Page {
  readonly at: number;
  readonly bytes: Uint8Array;
}

export class MeteredInstance {
  readonly #memory: Uint8Array;
  readonly #fuel: WebAssembly.Global;
  readonly #depth: WebAssembly.Global;
  readonly #globals: readonly WebAssembly.Global[];
  #pages: readonly Page[] = [];
  #values: readonly unknown[] = [];

  /** @param memory  of a fixed size */
  constructor({ exports }: WebAssembly.Instance, memory: WebAssembly.Memory) {
    this.#memory = new Uint8Array(memory.buffer);
    this.#fuel = exports[FUEL] as WebAssembly.Global;
    this.#depth = exports[DEPTH] as WebAssembly.Global;
    this.#globals = Object.entries(exports)
      .filter(([name]) => name.startsWith(GLOBAL))
      .map(([, value]) => value as WebAssembly.Global);
  }

  /** Remembers the memory as it is: its pages that hold anything. An allocator clears those beyond them where it must. */
  remember(): void {
    const pages: Page[] = [];
    for (let at = 0; at < this.#memory.length; at += PAGE) {
      const bytes = this.#memory.slice(at, at + PAGE);
      if (bytes.some((byte) => byte !== 0)) pages.push({ at, bytes });
    }
    this.#pages = pages;
    this.#values = this.#globals.map(({ value }) => value as unknown);
  }

  /** Puts the memory back as it was, and fills up. @param fuel  at most `MOST_FUEL` */
  restore(fuel: number): void {
    for (const { at, bytes } of this.#pages) this.#memory.set(bytes, at);
    for (const [i, global] of this.#globals.entries()) global.value = this.#values[i];
    this.#depth.value = 0;
    this.refuel(fuel);
  }

  refuel(fuel: number): void {
    this.#fuel.value = fuel;
  }

  /** What is left; below 0 where it trapped for want of it. */
  get fuel(): number {
    return this.#fuel.value as number;
  }

  /** Whether it trapped because its functions were too deep within each other. */
  get isTooDeep(): boolean {
    return (this.#depth.value as number) > MOST_DEPTH;
  }
}
