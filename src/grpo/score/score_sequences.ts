/**
 * Log-probs of given sequences under a set of weights: packed with each prompt once, cut to what the engine holds at a
 * time, scored, and put back by token. What a token is given does not depend on what it is packed with.
 */
import { groupByPrefix, packBatch, type Sequence, splitSequences } from '../../model/batch.ts';
import type { Policy } from '../../model/policy.ts';

/** Tokens behind a prompt: what is asked of each that is not labelled as given. */
export interface SequenceToScore extends Sequence {
  /** [tokens] log-probs of tokens that are given; 0 where absent. */
  readonly givenLogprobs?: Float32Array;
}

export interface ScoringRequest {
  /** Default: the policy that is trained. */
  readonly set?: 'policy' | 'reference' | 'first';
  readonly temperature: number;
  /** Log-probs of the whole vocabulary too; only of a policy that was opened with room for some. */
  readonly distributions?: boolean;
}

/** What is known of a sequence. */
export interface SequenceScores {
  /** [tokens] */
  readonly logprobs: Float32Array;
  /** [tokens × vocabulary], where asked for; 0 at tokens that are given. */
  readonly distributions?: Float32Array;
}

/**
 * Asked with `distributions` the answer holds the vocabulary's width for every token: give no more sequences at a time than
 * there is host memory for, `batchesToScore` for instance.
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
  for (const own of batchesToScore(policy, sequences, isWhole)) {
    const batch = packBatch(groupByPrefix(own));
    const { logprobs, distributions } = await policy.score(batch, temperature, set, { distributions: isWhole });
    const found = own.map(({ tokens, givenLogprobs }) => ({
      logprobs: givenLogprobs ? Float32Array.from(givenLogprobs) : new Float32Array(tokens.length),
      ...(distributions && { distributions: new Float32Array(tokens.length * width) }),
    }));
    for (let row = 0; row < batch.lossRowCount; row++) {
      const [token, into] = [batch.tokenOf[row], found[batch.completionOf[row]]];
      into.logprobs[token] = logprobs[row];
      into.distributions?.set((distributions as Float32Array).subarray(row * width, (row + 1) * width), token * width);
    }
    scored.push(...found);
  }
  return scored;
}

/** The sequences in lists that are each scored in one pass. @param isWhole  with the log-probs of the whole vocabulary */
export function batchesToScore<S extends Sequence>(
  { capacity: { rows, lossRows, groups, completions, distributionRows = 0 } }: Policy,
  sequences: readonly S[],
  isWhole: boolean,
): S[][] {
  const limits = { rows, lossRows: isWhole ? Math.min(lossRows, distributionRows) : lossRows, groups, completions };
  return splitSequences(sequences, limits);
}
