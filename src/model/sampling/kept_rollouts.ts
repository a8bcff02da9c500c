/**
 * Rollouts whose activations are in the training rows already.
 *
 * Sampler and trainer run the same kernels in the same order, so a rollout's activations are the update's forward
 * pass, bit for bit, as long as the weights have not changed: copying them costs about a fifth of computing them.
 */
import type { PackedBatch, TokenGroup } from '../batch.ts';
import { equalInts, firstEqual, groupRows, inputTokens, packBatch } from '../batch.ts';
import { openingsOf } from '../batch_openings.ts';

/** Where one group's rows are after sampling with `keep`: rows of `slots.rollout`, and rows of the cache. */
export interface RolloutRows {
  /** The rows of the prompt, in order. */
  readonly promptRows: Int32Array;
  /** [completions] the rows of each completion's own inputs, in order. */
  readonly rows: readonly Int32Array[];
  readonly promptKvBegin: number;
  /** [completions] first cache row of each completion; the others follow it. */
  readonly kvBegins: readonly number[];
}

/** Training rows, and rows of keys and values, to fill, and where from. */
interface KeptPart {
  readonly begin: number;
  readonly rows: Int32Array;
  readonly kvBegin: number;
  readonly kvRows: Int32Array;
}

export class KeptRows {
  readonly #groups: TokenGroup[] = [];
  #rowCount = 0;
  #kvRowCount = 0;
  /** A group did not fit, or not all of its rows were kept: what is kept is not the whole batch. */
  #overflowed = false;
  /** The first kept batch is computed again all the same, so that a run checks on its first step that nothing differs. */
  #checked = false;

  forget(): void {
    this.#groups.length = 0;
    this.#rowCount = 0;
    this.#kvRowCount = 0;
    this.#overflowed = false;
  }

  /** Takes groups in the order of `packBatch`. */
  add(groups: readonly TokenGroup[], places: readonly RolloutRows[], capacity: number): KeptPart {
    const [begin, kvBegin, before] = [this.#rowCount, this.#kvRowCount, this.#groups.length];
    const rows: number[] = [];
    const kvRows: number[] = [];
    const openings = openingsOf([...this.#groups, ...groups].map(({ prompt }) => prompt));
    groups.forEach((group, i) => {
      const place = places[i] as RolloutRows;
      if (this.#overflowed || kvBegin + kvRows.length + groupRows(group) > capacity || !isWhole(group, place)) {
        this.#overflowed = true;
        return;
      }
      const opened = openings[before + i]?.length ?? 0;
      place.promptRows.forEach((row, t) => {
        if (t >= opened) rows.push(row);
        kvRows.push(place.promptKvBegin + t);
      });
      const equal = firstEqual(group);
      group.completions.forEach((tokens, completion) => {
        if (equal[completion] !== completion) return;
        const own = place.rows[completion] as Int32Array;
        const inputs = inputTokens(tokens, group.labels?.[completion]);
        for (let t = 0; t < inputs; t++) {
          rows.push(own[t] as number);
          kvRows.push((place.kvBegins[completion] as number) + t);
        }
      });
      this.#groups.push(group);
    });
    this.#rowCount = begin + rows.length;
    this.#kvRowCount = kvBegin + kvRows.length;
    return { begin, rows: Int32Array.from(rows), kvBegin, kvRows: Int32Array.from(kvRows) };
  }

  /** Whether the kept rows are those of this very batch. */
  holds(batch: PackedBatch): boolean {
    if (this.#overflowed || this.#rowCount === 0 || this.#rowCount !== batch.rowCount) return false;
    const kept = packBatch(this.#groups);
    if (!equalInts(kept.tokens, batch.tokens) || !equalInts(kept.intervals, batch.intervals)) return false;
    const trusted = this.#checked;
    this.#checked = true;
    return trusted;
  }
}

/** Whether every row that the group takes in a batch is somewhere. */
function isWhole({ prompt, completions, labels }: TokenGroup, place: RolloutRows): boolean {
  return (
    place.promptRows.length === prompt.length &&
    completions.every((tokens, i) => (place.rows[i]?.length ?? 0) >= inputTokens(tokens, labels?.[i]))
  );
}
