/**
 * Rollouts whose activations already lie in the training rows.
 *
 * Sampler and trainer run the same kernels in the same order, so a rollout's activations are the update's forward pass,
 * bit for bit, as long as the weights have not changed: copying them costs about a fifth of computing them.
 */
import type { Engine } from '../../kernels/engine.ts';
import type { BatchLimits, PackedBatch, TokenGroup } from '../batch.ts';
import { equalInts, firstEqual, groupLossRows, groupRows, hasLoss, inputTokens, packBatch } from '../batch.ts';
import { openingsOf } from '../batch_openings.ts';
import { COUNTS, type InputSlots } from '../memory/slots.ts';

/** A group's rows after sampling with `keep`: rows of `slots.rollout`, and of the cache. */
export interface RolloutRows {
  /** The rows of the prompt, in order. */
  readonly promptRows: Int32Array;
  /** [completions] the rows of each completion's own inputs, in order. */
  readonly rows: readonly Int32Array[];
  readonly promptKvBegin: number;
  /** [completions] first cache row of each completion; the others follow it. */
  readonly kvBegins: readonly number[];
}

/** Rows to fill, one after another, and the row that each comes from. */
interface KeptPart {
  readonly begin: number;
  readonly from: Int32Array;
}

/** Training rows, those of them that are scored, and rows of keys and values. */
interface KeptParts {
  readonly whole: KeptPart;
  readonly keys: KeptPart;
  readonly scored: KeptPart;
}

/** Writes them where the `keep` program reads them. */
export function writeKept(engine: Engine, inputs: InputSlots, { whole, keys, scored }: KeptParts): void {
  engine.write(inputs.keptFrom, whole.from, whole.begin);
  engine.write(inputs.keptKvFrom, keys.from, keys.begin);
  engine.write(inputs.keptScoredFrom, scored.from, scored.begin);
  const ends = [whole, keys, scored].flatMap(({ begin, from }) => [begin, begin + from.length]);
  engine.write(inputs.counts, ends, COUNTS.keptBegin);
}

export class KeptRows {
  readonly #groups: TokenGroup[] = [];
  #rowCount = 0;
  #kvRowCount = 0;
  #scoredCount = 0;
  #lossRowCount = 0;
  /** A group did not fit or lacks rows, so the batch is kept only in part. */
  #overflowed = false;
  /** The first kept batch is recomputed, so that a run's first step checks that nothing differs. */
  #checked = false;

  forget(): void {
    this.#groups.length = 0;
    this.#rowCount = 0;
    this.#kvRowCount = 0;
    this.#scoredCount = 0;
    this.#lossRowCount = 0;
    this.#overflowed = false;
  }

  /** Takes groups in the order of `packBatch`. */
  add(groups: readonly TokenGroup[], places: readonly RolloutRows[], room: BatchLimits): KeptParts {
    const [begin, kvBegin, scoredBegin] = [this.#rowCount, this.#kvRowCount, this.#scoredCount];
    const before = this.#groups.length;
    const rows: number[] = [];
    const kvRows: number[] = [];
    const scored: number[] = [];
    const openings = openingsOf([...this.#groups, ...groups].map(({ prompt }) => prompt));
    groups.forEach((group, i) => {
      const place = places[i] as RolloutRows;
      const lossRows = this.#lossRowCount + groupLossRows(group);
      const fits = kvBegin + kvRows.length + groupRows(group) <= room.rows && lossRows <= room.lossRows;
      if (this.#overflowed || !fits || !isWhole(group, place)) {
        this.#overflowed = true;
        return;
      }
      this.#lossRowCount = lossRows;
      const opened = openings[before + i]?.length ?? 0;
      place.promptRows.forEach((row, t) => {
        if (t >= opened) rows.push(row);
        kvRows.push(place.promptKvBegin + t);
      });
      if (group.completions.some((tokens, i) => hasLoss(tokens, group.labels?.[i], 0))) {
        scored.push(place.promptRows[group.prompt.length - 1] as number);
      }
      const equal = firstEqual(group);
      group.completions.forEach((tokens, completion) => {
        if (equal[completion] !== completion) return;
        const completionRows = place.rows[completion] as Int32Array;
        const inputs = inputTokens(tokens, group.labels?.[completion]);
        for (let t = 0; t < inputs; t++) {
          rows.push(completionRows[t] as number);
          if (hasLoss(tokens, group.labels?.[completion], t + 1)) scored.push(completionRows[t] as number);
          kvRows.push((place.kvBegins[completion] as number) + t);
        }
      });
      this.#groups.push(group);
    });
    this.#rowCount = begin + rows.length;
    this.#kvRowCount = kvBegin + kvRows.length;
    this.#scoredCount = scoredBegin + scored.length;
    return {
      whole: { begin, from: Int32Array.from(rows) },
      keys: { begin: kvBegin, from: Int32Array.from(kvRows) },
      scored: { begin: scoredBegin, from: Int32Array.from(scored) },
    };
  }

  /** Whether the kept rows are this batch's. */
  holds(batch: PackedBatch): boolean {
    if (this.#overflowed || this.#rowCount === 0 || this.#rowCount !== batch.rowCount) return false;
    const kept = packBatch(this.#groups);
    if (!equalInts(kept.tokens, batch.tokens) || !equalInts(kept.intervals, batch.intervals)) return false;
    const trusted = this.#checked;
    this.#checked = true;
    return trusted;
  }
}

/** Whether every row that the group takes in a batch was kept. */
function isWhole({ prompt, completions, labels }: TokenGroup, place: RolloutRows): boolean {
  return (
    place.promptRows.length === prompt.length &&
    completions.every((tokens, i) => (place.rows[i]?.length ?? 0) >= inputTokens(tokens, labels?.[i]))
  );
}
