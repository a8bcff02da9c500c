/** What the heads look at where a token is written: the shares that the engine's own queries and keys give. */
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { Slot } from '../../src/kernels/memory.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { ForwardSlots, LayerActivations } from '../../src/model/memory/activations.ts';
import { attentionScale } from '../../src/model/shape.ts';
import type { Attention } from './browser_run.ts';

/**
 * Scores one sequence, and computes in float64 the shares of its last token's place, in every head of every layer.
 *
 * @param answer  tokens, of which the last is the one that is written; at least one
 */
export async function attentionOf({ engine }: TrainingRun, prompt: string, answer: Int32Array): Promise<Attention> {
  const { policy, tasks } = engine;
  const batch = packBatch([{ prompt: tasks.typedTokens(prompt), completions: [answer] }]);
  await policy.score(batch, 1);
  const { shape, slots } = policy;
  const { inputs, layers, kv } = slots.training as ForwardSlots; // a page's run trains
  const row = batch.rowCount - 1;
  const read = (slot: Slot, width: number) => policy.engine.read(slot, (row + 1) * width);
  const { numHeads, numKvHeads, headDim } = shape;
  const scale = attentionScale(shape);
  const ofLayer = async (layer: number): Promise<Float32Array> => {
    const isNear = shape.family?.window?.layers[layer] === true;
    const [q, keys, intervals] = await Promise.all([
      read((layers[layer] as LayerActivations).q, numHeads * headDim),
      read(kv[layer] as Slot, 2 * numKvHeads * headDim),
      read((isNear && inputs.windowIntervals) || inputs.intervals, 4),
    ]);
    const [begin, end, ownBegin, ownEnd] = intervals.subarray(row * 4) as unknown as [number, number, number, number];
    const isSeen = (j: number): boolean => (j >= begin && j < end) || (j >= ownBegin && j < ownEnd);
    const shares = new Float32Array(numHeads * (row + 1));
    for (let head = 0; head < numHeads; head++) {
      const queryAt = (row * numHeads + head) * headDim;
      const scores = Array.from({ length: row + 1 }, (_, j) => {
        if (!isSeen(j)) return Number.NEGATIVE_INFINITY;
        const keyAt = (2 * numKvHeads * j + Math.floor((head * numKvHeads) / numHeads)) * headDim;
        let sum = 0;
        for (let i = 0; i < headDim; i++) sum += (q[queryAt + i] as number) * (keys[keyAt + i] as number);
        return scale * sum;
      });
      const most = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - most));
      const total = powers.reduce((sum, power) => sum + power, 0);
      shares.set(
        powers.map((power) => power / total),
        head * (row + 1),
      );
    }
    return shares;
  };
  return { tokens: batch.tokens, layers: await Promise.all(layers.map((_, layer) => ofLayer(layer))) };
}
