/**
 * Copies cache rows before or after a step. One program makes as many copies as possible, since starting it takes
 * longer than a copy. Within a program no copy may read what another writes; such a copy goes into the next round.
 */
import type { Engine } from '../../kernels/engine.ts';
import { COUNTS, type PolicySlots } from '../memory/slots.ts';

/** Keys and values of `length` rows from row `from` on become those from row `to` on. */
export interface CacheCopy {
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/** Row by row, for the program that copies. */
export function writeCopies(engine: Engine, inputs: PolicySlots['inputs'], copies: readonly CacheCopy[]): void {
  const count = copies.reduce((sum, { length }) => sum + length, 0);
  const [kvFrom, kvTo] = [new Int32Array(count), new Int32Array(count)];
  let row = 0;
  for (const { from, to, length } of copies) {
    for (let i = 0; i < length; i++, row++) {
      kvFrom[row] = from + i;
      kvTo[row] = to + i;
    }
  }
  engine.write(inputs.kvFrom, kvFrom);
  engine.write(inputs.kvTo, kvTo);
  engine.write(inputs.counts, [count], COUNTS.copied);
}

interface Round {
  /** Copied so far. */
  rows: number;
  readonly copies: CacheCopy[];
  readonly read: Set<number>;
  readonly written: Set<number>;
}

export class CacheCopies {
  readonly #most: number;
  #rounds: Round[] = [];

  /** @param most  rows that are copied at once; no copy has more */
  constructor(most: number) {
    this.#most = most;
  }

  /** The rounds in order; copies within a round are made at once. */
  get rounds(): readonly (readonly CacheCopy[])[] {
    return this.#rounds.map(({ copies }) => copies);
  }

  /** @param copy  between the beginnings of two sequences or prefixes: spans of the cache either have one beginning, or no row in common */
  add(copy: CacheCopy): void {
    let round = this.#rounds.at(-1);
    const { from, to, length } = copy;
    const isFull = round !== undefined && round.rows + length > this.#most;
    if (round === undefined || isFull || round.written.has(from) || round.read.has(to)) {
      round = { rows: 0, copies: [], read: new Set(), written: new Set() };
      this.#rounds.push(round);
    }
    round.rows += length;
    round.copies.push(copy);
    round.read.add(from);
    round.written.add(to);
  }

  clear(): void {
    this.#rounds = [];
  }
}
