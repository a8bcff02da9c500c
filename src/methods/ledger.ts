/** The run's record of each problem: kept only if a method reads it, of bounded size, and part of the checkpoint. */

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
  /** Shares of its last groups, newest last, and its task and level, if a method needs them. */
  readonly history?: readonly number[];
  readonly category?: string;
}

/** By `problemKey`. */
type Entries = ReadonlyMap<string, LedgerEntry>;

/** Weight of the newest group in the moving average. */
const NEWEST = 0.5;
/** Groups whose shares a history remembers. */
const HISTORY = 8;
/** Problems remembered; beyond that, those seen longest ago are forgotten. */
const REMEMBERED = 50_000;

/** The record of each problem, kept from step to step and in checkpoints. */
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

  /** Records the observations of a batch. @param step  optimizer steps already taken */
  record(batch: readonly Observation[], step: number): void {
    const entries = new Map(this.#entries);
    for (const [key, right, category] of batch) {
      const entry = entries.get(key);
      const solved = entry === undefined ? right : entry.solved + NEWEST * (right - entry.solved);
      entries.delete(key);
      entries.set(key, {
        visits: (entry?.visits ?? 0) + 1,
        solved,
        lastStep: step,
        ...(category !== undefined && {
          history: [...(entry?.history ?? []), right].slice(-HISTORY),
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

  /** A snapshot for `goBack`. */
  mark(): Entries {
    return this.#entries;
  }

  /** Forgets everything recorded since the snapshot. */
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

/** A group's evidence on its problem: key, share that solves it, and category if a history is kept. */
export type Observation = readonly [key: string, right: number, category?: string];

/**
 * Observations of what the policy did unaided in a batch (`Collected.unaided`): successes through a hint or a replay do
 * not count in a problem's solve rate, and a group sampled again with a hint counts as first sampled.
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

/** Identifies a problem among several tasks, whose keys may coincide. */
export function problemKey({ key, task }: Problem): string {
  return task === undefined ? key : `${task}|${key}`;
}

/** A category of problems: a task of the run at one of its levels. */
export function categoryOf({ task = '', level }: Pick<TaskItem, 'task' | 'level'>): string {
  return level === undefined ? task : `${task}/${level}`;
}
