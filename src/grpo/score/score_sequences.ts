/**
 * Log-probs of given sequences under a set of weights: packed with each prompt once, split to the engine's capacity,
 * scored, and put back by token. A token's score does not depend on what it is packed with.
 */
import type { ScoreQuestion, SequenceScores, SequenceToScore } from '../../methods/uses/figure_tools.ts';
import { groupByPrefix, packBatch, type Sequence, splitSequences } from '../../model/batch.ts';
import type { OutputName, Policy } from '../../model/policy.ts';

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
  { set = 'policy', temperature, distributions: isWhole = false, hidden: isHidden = false }: ScoringRequest,
): Promise<SequenceScores[]> {
  const outputs: OutputName[] = [
    ...(isWhole ? (['distributions'] as const) : []),
    ...(isHidden ? (['hidden'] as const) : []),
  ];
  const scored: SequenceScores[] = [];
  for (const batchSequences of batchesToScore(policy, sequences, isWhole)) {
    const batch = packBatch(groupByPrefix(batchSequences));
    const { logprobs, ...scores } = await policy.score(batch, temperature, set, outputs);
    const wide = outputs.map((name) => {
      const values = scores[name] as Float32Array; // it was asked for
      return { name, values, width: values.length / Math.max(1, batch.lossRowCount) };
    });
    const results = batchSequences.map(({ tokens, givenLogprobs }) => ({
      logprobs: givenLogprobs ? Float32Array.from(givenLogprobs) : new Float32Array(tokens.length),
      ...(Object.fromEntries(wide.map(({ name, width }) => [name, new Float32Array(tokens.length * width)])) as Partial<
        Record<OutputName, Float32Array>
      >),
    }));
    for (let row = 0; row < batch.lossRowCount; row++) {
      const [token, into] = [batch.tokenOf[row], results[batch.completionOf[row]]];
      into.logprobs[token] = logprobs[row];
      for (const { name, values, width } of wide) {
        into[name]?.set(values.subarray(row * width, (row + 1) * width), token * width);
      }
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
