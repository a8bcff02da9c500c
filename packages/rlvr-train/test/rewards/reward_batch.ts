/** Batches for rewards, from what a test says of each completion. */

import { getReward } from '../../../../test/support/everything.ts';
import type { RewardBatch, RewardValues, Verdict } from '../../rewards.ts';

export interface Row {
  readonly text?: string;
  readonly length?: number;
  readonly score?: number | null;
  readonly status?: Verdict['status'];
  readonly canonical?: string;
  readonly parts?: Readonly<Record<string, number>>;
  readonly group?: number;
  readonly prompt?: string;
  readonly answer?: string;
  readonly columns?: Readonly<Record<string, unknown>>;
}

export function batchOf(rows: readonly Row[], further: Partial<RewardBatch> = {}): RewardBatch {
  return {
    prompts: rows.map(({ prompt = 'p' }) => prompt),
    completions: rows.map(({ text = '' }) => text),
    completionTokens: rows.map(({ length = 1 }) => new Int32Array(length)),
    items: rows.map(({ prompt = 'p', answer = 'a', columns }) => ({
      id: 'i',
      prompt,
      answer,
      identity: null,
      ...(columns && { columns }),
    })),
    groupOf: Int32Array.from(rows, ({ group = 0 }) => group),
    verdicts: rows.map(({ score = 1, status, canonical, parts }) => ({
      score,
      status: status ?? (score === 1 ? 'correct' : 'incorrect'),
      reason: 'as given',
      ...(canonical !== undefined && { canonical }),
      ...(parts && { parts }),
    })),
    finishReasons: rows.map(({ status }) => (status === 'truncated' ? 'length' : 'eos')),
    trainerState: { step: 0, progress: 0 },
    ...further,
  };
}

/** What a built-in reward gives. */
export function values(
  name: string,
  rows: readonly Row[],
  options: Record<string, unknown> = {},
  further: Partial<RewardBatch> = {},
): RewardValues {
  const given = getReward(name, options).score(batchOf(rows, further));
  if (given instanceof Promise) throw new TypeError('asynchronous');
  return given;
}

/** What it gives of one completion. */
export function oneValue(name: string, row: Row, options: Record<string, unknown> = {}): number | null {
  return values(name, [row], options)[0];
}
