/** Running totals over an optimizer step's loss rows, from which its metrics are computed. */
import type { CreditedGroup, UpdateTotals } from '../../methods/records.ts';
import type { PackedBatch } from '../../model/batch.ts';
import type { ObjectiveRows, ScoresWithLoss } from '../../model/policy.ts';

/** @param hasBonus  a term of the loss pays for entropy */
export function emptyTotals(hasBonus: boolean): UpdateTotals {
  return {
    loss: 0,
    rows: 0,
    entropyBonus: hasBonus ? 0 : undefined,
    selectedEntropy: 0,
    selectedRows: 0,
    measured: {},
    logprobDifferenceMax: 0,
    logprobDifferenceSum: 0,
    entropyDifferenceMax: 0,
    movedSum: 0,
    movedMax: 0,
    ratioSum: 0,
    replayedRows: 0,
    replayDifferenceSum: 0,
  };
}

/** Adds one micro-batch. */
export function addRows(
  totals: UpdateTotals,
  { batch, groups }: { readonly batch: PackedBatch; readonly groups: readonly CreditedGroup[] },
  rows: ObjectiveRows,
  scores: ScoresWithLoss,
): void {
  const rollouts = groups.flatMap((group) => group.rollouts);
  const selections = groups.flatMap(({ rollouts: members, tokenSelection }) =>
    members.map((_, i) => tokenSelection?.[i]),
  );
  for (let row = 0; row < batch.lossRowCount; row++) {
    totals.loss += scores.losses[row] ?? 0;
    if (rows.coefficients[row] === 0) continue;
    const [completion, token] = [batch.completionOf[row], batch.tokenOf[row]];
    const logprob = scores.logprobs[row] ?? 0;
    const { logprobs, entropies, isOffPolicy, age } = rollouts[completion];
    const moved = Math.abs(logprob - logprobs[token]);
    const difference = isOffPolicy ? 0 : moved;
    if (age !== undefined) {
      totals.replayedRows++;
      totals.replayDifferenceSum += moved;
    }
    totals.rows++;
    totals.logprobDifferenceSum += difference;
    totals.movedSum += moved;
    totals.movedMax = Math.max(totals.movedMax, moved);
    totals.ratioSum += Math.exp(logprob - logprobs[token]);
    if (!isOffPolicy) {
      const apart = Math.abs((scores.entropies[row] ?? 0) - entropies[token]);
      totals.entropyDifferenceMax = Math.max(totals.entropyDifferenceMax, apart);
    }
    totals.logprobDifferenceMax = Math.max(totals.logprobDifferenceMax, difference);
    if (totals.entropyBonus !== undefined) totals.entropyBonus -= rows.entropyCoefficients[row] * scores.entropies[row];
    if (selections[completion]?.[token] === 0) continue;
    totals.selectedRows++;
    totals.selectedEntropy += scores.entropies[row];
  }
}
