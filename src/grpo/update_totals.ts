/** Running totals over the loss rows of an optimizer step: what its metrics are made of. */
import type { Rollout, UpdateTotals } from '../methods/records.ts';
import type { PackedBatch } from '../model/batch.ts';
import type { ObjectiveRows } from '../model/policy.ts';
import type { ObjectiveResult } from './objective.ts';

export function emptyTotals(): UpdateTotals {
  return { loss: 0, rows: 0, measured: new Map(), logprobDifferenceMax: 0, logprobDifferenceSum: 0 };
}

/** Adds one micro-batch. */
export function addRows(
  totals: UpdateTotals,
  batch: PackedBatch,
  rollouts: readonly Rollout[],
  rows: ObjectiveRows,
  { scores, measured }: ObjectiveResult,
): void {
  for (let row = 0; row < batch.lossRowCount; row++) {
    totals.loss += scores.losses[row] ?? 0;
    if (rows.coefficients[row] === 0) continue;
    const logprob = scores.logprobs[row] ?? 0;
    const sampled = rollouts[batch.completionOf[row] ?? 0]?.logprobs[batch.tokenOf[row] ?? 0] ?? 0;
    const difference = Math.abs(logprob - sampled);
    totals.rows++;
    totals.logprobDifferenceSum += difference;
    totals.logprobDifferenceMax = Math.max(totals.logprobDifferenceMax, difference);
  }
  for (const [name, sum] of measured) totals.measured.set(name, (totals.measured.get(name) ?? 0) + sum);
}
