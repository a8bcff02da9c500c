/**
 * Log-probs of given sequences under a set of weights: packed with each prompt once, split to the engine's capacity,
 * scored, and put back by token. A token's score does not depend on what it is packed with.
 */
import type { ScoreQuestion, SequenceScores, SequenceToScore } from '../../methods/uses/figure_tools.ts';
import { groupByPrefix, packBatch, type Sequence, splitSequences } from '../../model/batch.ts';
import type { Policy } from '../../model/policy.ts';

/** A question, at a temperature. */
export interface ScoringRequest extends ScoreQuestion {
  readonly temperature: number;
}

/**
 * With `distributions` the answer holds the vocabulary's width for every token, so pass only as many sequences as fit
 * in host memory, for instance by `batchesToScore`.
 *
 * @returns [sequences], in order
 */
export async function scoreSequences(
  policy: Policy,
  sequences: readonly SequenceToScore[],
  { set = 'policy', temperature, distributions: isWhole = false }: ScoringRequest,
): Promise<SequenceScores[]> {
  const width = policy.shape.vocabSize;
  const scored: SequenceScores[] = [];
  for (const batchSequences of batchesToScore(policy, sequences, isWhole)) {
    const batch = packBatch(groupByPrefix(batchSequences));
    const { logprobs, distributions } = await policy.score(batch, temperature, set, isWhole ? ['distributions'] : []);
    const results = batchSequences.map(({ tokens, givenLogprobs }) => ({
      logprobs: givenLogprobs ? Float32Array.from(givenLogprobs) : new Float32Array(tokens.length),
      ...(distributions && { distributions: new Float32Array(tokens.length * width) }),
    }));
    for (let row = 0; row < batch.lossRowCount; row++) {
      const [token, into] = [batch.tokenOf[row], results[batch.completionOf[row]]];
      into.logprobs[token] = logprobs[row];
      into.distributions?.set((distributions as Float32Array).subarray(row * width, (row + 1) * width), token * width);
    }
    scored.push(...results);
  }
  return scored;
}

/**
 * Splits sequences into lists that are each scored in one pass. @param isWhole with the log-probs of the whole
 * vocabulary
 */
export function batchesToScore<S extends Sequence>(
  { capacity: { rows, lossRows, groups, completions, outputRows } }: Policy,
  sequences: readonly S[],
  isWhole: boolean,
): S[][] {
  const limits = {
    rows,
    lossRows:
      isWhole || sequences.some(({ support }) => support !== undefined)
        ? Math.min(lossRows, outputRows?.distributions ?? 0)
        : lossRows,
    groups,
    completions,
  };
  return splitSequences(sequences, limits);
}
