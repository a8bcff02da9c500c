/**
 * What is known of each problem over the run, by `TaskItem.key`: kept only where a method reads it, of bounded size, and
 * part of the checkpoint.
 */

import type { Json } from '../options/json.ts';
import type { RolloutGroup } from './records.ts';
import type { Stateful } from './stateful.ts';

export interface LedgerEntry {
  /** Groups that were sampled of this problem. */
  readonly visits: number;
  /** Moving average of the share of a group that solves it, in [0, 1]. */
  readonly solved: number;
  /** Optimizer steps of the stage when it was last seen. */
  readonly lastStep: number;
}

/** Weight of the newest group in the moving average. */
const NEWEST = 0.5;
/** Problems that are remembered; beyond, those seen longest ago are forgotten. */
const REMEMBERED = 50_000;

export class Ledger implements Stateful {
  /** In the order of last visits. */
  #entries = new Map<string, LedgerEntry>();

  get(key: string): LedgerEntry | undefined {
    return this.#entries.get(key);
  }

  entries(): Iterable<readonly [string, LedgerEntry]> {
    return this.#entries;
  }

  /** Adds the groups of a batch. @param step  optimizer steps already taken */
  record(groups: readonly RolloutGroup[], step: number): void {
    for (const { item, rollouts } of groups) {
      const right = rollouts.filter(({ verdict }) => verdict.score === 1).length / Math.max(1, rollouts.length);
      const known = this.#entries.get(item.key);
      const solved = known === undefined ? right : known.solved + NEWEST * (right - known.solved);
      this.#entries.delete(item.key);
      this.#entries.set(item.key, { visits: (known?.visits ?? 0) + 1, solved, lastStep: step });
    }
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= REMEMBERED) break;
      this.#entries.delete(key);
    }
  }

  state(): Json {
    return [...this.#entries].map(([key, { visits, solved, lastStep }]) => [key, visits, solved, lastStep]);
  }

  restore(state: Json): void {
    const rows = state as readonly (readonly [string, number, number, number])[]; // written by `state`
    this.#entries = new Map(rows.map(([key, visits, solved, lastStep]) => [key, { visits, solved, lastStep }]));
  }
}
