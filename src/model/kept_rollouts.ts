/**
 * Rollouts whose activations stand in the training rows already.
 *
 * Sampler and trainer run the same kernels in the same order, so a rollout's activations are the update's forward
 * pass, bit for bit, as long as the weights have not changed: copying them costs about a fifth of computing them.
 */
import type { PackedBatch, TokenGroup } from './batch.ts';
import { packBatch } from './batch.ts';

/** Where one group's rows stand after `generate` with `keep`: rows of `slots.rollout`, and rows of the cache. */
export interface RolloutRows {
  readonly promptBegin: number;
  /** [completions] the rows of each completion's own inputs, in order. */
  readonly rows: readonly Int32Array[];
  readonly promptKvBegin: number;
  /** [completions] first cache row of each completion; the others follow it. */
  readonly kvBegins: readonly number[];
}

/** Training rows to fill, and where from. */
interface KeptPart {
  readonly begin: number;
  readonly rows: Int32Array;
  readonly kvRows: Int32Array;
}

export class KeptRows {
  readonly #groups: TokenGroup[] = [];
  #rowCount = 0;
  /** A group did not fit: what is kept is not the whole batch. */
  #overflowed = false;
  /** The first kept batch is computed again all the same, so that a run checks on its first step that nothing differs. */
  #checked = false;

  forget(): void {
    this.#groups.length = 0;
    this.#rowCount = 0;
    this.#overflowed = false;
  }

  /** Takes groups in the order of `packBatch`. */
  add(groups: readonly TokenGroup[], places: readonly RolloutRows[], capacity: number): KeptPart {
    const begin = this.#rowCount;
    const rows: number[] = [];
    const kvRows: number[] = [];
    groups.forEach((group, i) => {
      const place = places[i] as RolloutRows;
      const needed = place.rows.reduce((sum, own) => sum + own.length, group.prompt.length);
      if (this.#overflowed || begin + rows.length + needed > capacity) {
        this.#overflowed = true;
        return;
      }
      for (let t = 0; t < group.prompt.length; t++) {
        rows.push(place.promptBegin + t);
        kvRows.push(place.promptKvBegin + t);
      }
      place.rows.forEach((own, completion) => {
        own.forEach((row, t) => {
          rows.push(row);
          kvRows.push((place.kvBegins[completion] as number) + t);
        });
      });
      this.#groups.push(group);
    });
    this.#rowCount = begin + rows.length;
    return { begin, rows: Int32Array.from(rows), kvRows: Int32Array.from(kvRows) };
  }

  /** Whether the kept rows are those of this very batch. */
  holds(batch: PackedBatch): boolean {
    if (this.#overflowed || this.#rowCount === 0 || this.#rowCount !== batch.rowCount) return false;
    const kept = packBatch(this.#groups);
    const same = (a: Int32Array, b: Int32Array): boolean => a.length === b.length && a.every((x, i) => x === b[i]);
    if (!same(kept.tokens, batch.tokens) || !same(kept.intervals, batch.intervals)) return false;
    const trusted = this.#checked;
    this.#checked = true;
    return trusted;
  }
}
