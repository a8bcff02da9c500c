/** Running totals over the loss rows of an optimizer step: what its metrics are made of. */

import type { GrpoStageConfig } from '../config/stage_config.ts';
import type { Rollout, UpdateTotals } from '../methods/records.ts';
import type { PackedBatch } from '../model/batch.ts';
import type { ObjectiveRows, ScoresWithLoss } from '../model/policy.ts';

export function emptyTotals(): UpdateTotals {
  return { loss: 0, rows: 0, kl: 0, clippedLow: 0, clippedHigh: 0, logprobDifferenceMax: 0, logprobDifferenceSum: 0 };
}

/** Adds one micro-batch. */
export function addRows(
  totals: UpdateTotals,
  stage: GrpoStageConfig,
  batch: PackedBatch,
  rollouts: readonly Rollout[],
  rows: ObjectiveRows,
  scores: ScoresWithLoss,
): void {
  for (let row = 0; row < batch.lossRowCount; row++) {
    totals.loss += scores.losses[row] ?? 0;
    if (rows.coefficients[row] === 0) continue;
    const completion = batch.completionOf[row] ?? 0;
    const logprob = scores.logprobs[row] ?? 0;
    const sampled = rollouts[completion]?.logprobs[batch.tokenOf[row] ?? 0] ?? 0;
    const difference = Math.abs(logprob - sampled);
    totals.rows++;
    totals.logprobDifferenceSum += difference;
    totals.logprobDifferenceMax = Math.max(totals.logprobDifferenceMax, difference);
    if (rows.refLogprobs !== undefined) {
      const x = (rows.refLogprobs[row] ?? 0) - logprob;
      totals.kl += Math.exp(x) - x - 1;
    }
    if (rows.oldLogprobs !== 'current') {
      const ratio = Math.exp(logprob - (rows.oldLogprobs[row] ?? 0));
      const advantage = rows.advantages[row] ?? 0;
      if (advantage < 0 && ratio < 1 - stage.clipEpsilonLow) totals.clippedLow++;
      if (advantage > 0 && ratio > 1 + stage.clipEpsilonHigh) totals.clippedHigh++;
    }
  }
}
