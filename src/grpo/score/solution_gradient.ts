/** Reads the gradient of right answers and drops it: none of it reaches the weights. */
import type { TaskItem } from '../../data/task.ts';
import { groupByPrefix, packBatch } from '../../model/batch.ts';
import type { Engine } from '../engine.ts';
import { batchesToScore } from './score_sequences.ts';

/** Most parameters in the slice, evenly spread over those that are trained. */
const SLICE = 65_536;

/**
 * Gradient of the mean negative log-likelihood of a right answer to each item, per token, on a slice of the parameters; 0
 * where no answer is known, or none fits.
 */
export async function solutionGradient({ policy, tasks }: Engine, items: readonly TaskItem[]): Promise<Float32Array> {
  const sequences = items.flatMap((item) => {
    const [answer] = tasks.solutions(item);
    if (answer === undefined) return [];
    const prefix = tasks.promptTokens(item);
    const isEnded = tasks.fixedCompletionTokens === undefined;
    const tokens = Int32Array.from(isEnded ? [...answer, tasks.codec.eosTokenId] : answer);
    return prefix.length + tokens.length <= policy.capacity.context ? [{ prefix, tokens }] : [];
  });
  const count = sequences.reduce((sum, { tokens }) => sum + tokens.length, 0);
  policy.forgetGradients();
  for (const batchSequences of batchesToScore(policy, sequences, false)) {
    const batch = packBatch(groupByPrefix(batchSequences));
    await policy.forward(batch, 1);
    await policy.backward({ logprobs: new Float32Array(batch.lossRowCount).fill(-1 / count) });
  }
  const all = count === 0 ? new Float32Array(1) : await policy.readVector('gradients');
  policy.forgetGradients();
  const stride = Math.ceil(all.length / SLICE);
  return Float32Array.from({ length: Math.ceil(all.length / stride) }, (_, i) => all[i * stride]);
}
