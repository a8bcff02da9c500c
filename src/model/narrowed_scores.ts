/** Restricts a batch's scores to its supports (`support.ts`), and widens derivatives. */
import type { PackedBatch } from './batch.ts';
import type { ScoreDerivatives, Scores } from './scores.ts';
import { holds, measured, narrowed } from './support.ts';

/**
 * The scores of a batch, restricted where a row has a support. @param scores with `distributions` where the batch has
 * supports
 */
export function narrowScores({ supports, targets }: PackedBatch, scores: Scores): Scores {
  const { distributions } = scores;
  if (supports === undefined || distributions === undefined) return scores;
  const width = distributions.length / supports.length;
  const [logprobs, entropies] = [scores.logprobs.slice(), scores.entropies.slice()];
  supports.forEach((support, row) => {
    if (support === undefined) return;
    const score = narrowed(distributions.subarray(row * width, (row + 1) * width), support, targets[row]);
    logprobs[row] = score.logprob;
    entropies[row] = score.entropy;
  });
  return { ...scores, logprobs, entropies };
}

/** Turns derivatives by `narrowScores`' result into derivatives by its input: by logits where a row has a support. */
export function widenDerivatives(
  { supports, targets }: PackedBatch,
  distributions: Float32Array,
  derivatives: ScoreDerivatives,
): ScoreDerivatives {
  if (supports === undefined) return derivatives;
  const width = distributions.length / supports.length;
  const logprobs = derivatives.logprobs?.slice();
  const entropies = derivatives.entropies?.slice();
  const logits = derivatives.distributions?.slice() ?? new Float32Array(distributions.length);
  supports.forEach((support, row) => {
    if (support === undefined) return;
    const [byLogprob, byEntropy] = [logprobs?.[row] ?? 0, entropies?.[row] ?? 0];
    if (logprobs !== undefined) logprobs[row] = 0;
    if (entropies !== undefined) entropies[row] = 0;
    if (byLogprob === 0 && byEntropy === 0) return;
    const rowLogprobs = distributions.subarray(row * width, (row + 1) * width);
    const { logSum, entropy } = measured(rowLogprobs, support);
    for (let v = 0; v < width; v++) {
      if (!holds(support, v)) continue;
      const logprob = rowLogprobs[v] - logSum;
      const p = Math.exp(logprob);
      logits[row * width + v] += byLogprob * (Number(v === targets[row]) - p) - byEntropy * p * (logprob + entropy);
    }
  });
  return { ...derivatives, ...(logprobs && { logprobs }), ...(entropies && { entropies }), distributions: logits };
}
