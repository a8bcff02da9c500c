/**
 * What is known of each problem over the run: kept only where a method reads it, of bounded size, and part of the
 * checkpoint.
 */

import type { TaskItem } from '../data/task.ts';
import type { Json } from '../options/json.ts';
import type { RolloutGroup } from './records.ts';
import type { Stateful } from './stateful.ts';
import { isRight } from './support/rollouts/right.ts';

/** What the run remembers of one problem. */
export interface LedgerEntry {
  /** Groups that were sampled of this problem so far. */
  readonly visits: number;
  /** Moving average of the share of a group that solves it, in [0, 1]. */
  readonly solved: number;
  /** Optimizer steps of the stage when it was last seen. */
  readonly lastStep: number;
  /** Shares of its last groups, newest last, and which task and level it is of: where a method needs them. */
  readonly history?: readonly number[];
  readonly category?: string;
}

/** By `problemKey`. */
type Entries = ReadonlyMap<string, LedgerEntry>;

/** Weight of the newest group in the moving average. */
const NEWEST = 0.5;
/** Groups whose shares a history remembers. */
const HISTORY = 8;
/** Problems that are remembered; beyond, those seen longest ago are forgotten. */
const REMEMBERED = 50_000;

/** What is remembered of each problem from step to step, and kept in checkpoints. */
export class Ledger implements Stateful {
  /** In the order of last visits; each batch makes new ones. */
  #entries: Entries = new Map();

  get(item: Problem): LedgerEntry | undefined {
    return this.#entries.get(problemKey(item));
  }

  /** By `problemKey`. */
  entries(): Iterable<readonly [string, LedgerEntry]> {
    return this.#entries;
  }

  /** Adds what was seen of a batch. @param step  optimizer steps already taken */
  record(batch: readonly Observation[], step: number): void {
    const entries = new Map(this.#entries);
    for (const [key, right, category] of batch) {
      const known = entries.get(key);
      const solved = known === undefined ? right : known.solved + NEWEST * (right - known.solved);
      entries.delete(key);
      entries.set(key, {
        visits: (known?.visits ?? 0) + 1,
        solved,
        lastStep: step,
        ...(category !== undefined && {
          history: [...(known?.history ?? []), right].slice(-HISTORY),
          category,
        }),
      });
    }
    for (const key of entries.keys()) {
      if (entries.size <= REMEMBERED) break;
      entries.delete(key);
    }
    this.#entries = entries;
  }

  /** All that it knows now, for `goBack`. */
  mark(): Entries {
    return this.#entries;
  }

  /** Forgets what was recorded since. */
  goBack(to: Entries): void {
    this.#entries = to;
  }

  state(): Json {
    return [...this.#entries].map(([key, { visits, solved, lastStep, history, category }]) => [
      key,
      visits,
      solved,
      lastStep,
      ...(history === undefined || category === undefined ? [] : [category, history]),
    ]);
  }

  restore(state: Json): void {
    const rows = state as readonly LedgerRow[]; // written by `state`
    this.#entries = new Map(
      rows.map(([key, visits, solved, lastStep, category, history]) => [
        key,
        { visits, solved, lastStep, ...(history !== undefined && { history, category }) },
      ]),
    );
  }
}

/** An entry as the checkpoint has it: key, visits, solved, lastStep, category, history. */
type LedgerRow = readonly [string, number, number, number, string?, (readonly number[])?];

/** What a group shows of its problem: its key, the share that solves it, and what it is of where a history is kept. */
export type Observation = readonly [key: string, right: number, category?: string];

/**
 * What the policy did by itself in a batch (`Collected.unaided`): what a hint or an earlier success brought is none of the
 * problem's solve rate, and a group that was sampled again with a hint counts as it first was.
 *
 * @param withHistory  a method needs `history` and `category`
 */
export function observationsOf(groups: readonly RolloutGroup[], withHistory = false): readonly Observation[] {
  return groups.map(({ item, rollouts }) => {
    const right = rollouts.filter(isRight).length / Math.max(1, rollouts.length);
    return withHistory ? [problemKey(item), right, categoryOf(item)] : [problemKey(item), right];
  });
}

type Problem = Pick<TaskItem, 'key' | 'task'>;

/** Tells problems apart, also where the run has several tasks: the keys of one say nothing of those of another. */
export function problemKey({ key, task }: Problem): string {
  return task === undefined ? key : `${task}|${key}`;
}

/** What is drawn alike: a task of the run at one of its levels. */
export function categoryOf({ task = '', level }: Pick<TaskItem, 'task' | 'level'>): string {
  return level === undefined ? task : `${task}/${level}`;
}
