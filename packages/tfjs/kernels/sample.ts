/**
 * One token per row by inverse CDF over the kept tokens. Formulas and shapes: ../kernels.ts (sample).
 *
 * The device computes logits; they come to the host, block by block, and are drawn from there as the specification
 * draws (../reference/sample.ts). Tokens are needed there anyway, and ties then have one order on every device.
 */
import * as tf from '@tensorflow/tfjs';
import { SAMPLING, type SampleArgs } from '../../../src/kernels/kernels.ts';
import { drawToken } from '../../../src/kernels/reference/sample.ts';
import { rowBlocks, temperedLogits } from './linear_logprob.ts';
import type { Opened, Operand, RowRange } from './operands.ts';
import type { WaitingKernel } from './tfjs_kernel.ts';

export const sample: WaitingKernel<'sample'> = {
  async waits(args) {
    const { hidden, weight, sampling, rows } = args;
    const settings = await sampling.values();
    const temperature = settings[SAMPLING.temperature];
    const V = weight.shape[0];
    for (const block of rowBlocks(rows, V)) {
      const logits = tf.tidy(() => temperedLogits(hidden.tensor(block), weight.tensor(), tf.scalar(temperature || 1)));
      const values = Float64Array.from(await logits.data());
      logits.dispose();
      drawBlock(args, settings, values, block);
    }
  },
};

/** Draws the rows of `block` from their logits [rows, V]. */
function drawBlock(args: Opened<SampleArgs>, settings: Float32Array, logits: Float64Array, block: RowRange): void {
  const { weight, key, rolloutNumbers, counters, tokens, logprobs, entropies, keptLogMass } = args;
  const V = weight.shape[0];
  const count = block.end - block.begin;
  const drawn = {
    logprobs: new Float32Array(count),
    entropies: new Float32Array(count),
    kept: new Float32Array(count),
  };
  for (let i = 0; i < count; i++) {
    const r = block.begin + i;
    const numbers = rolloutNumbers.ints;
    const counter = [counters.ints[r], numbers[r * 2], numbers[r * 2 + 1], 0] as number[];
    const draw = drawToken(logits.subarray(i * V, (i + 1) * V), settings, counter, key.ints);
    tokens.ints[r] = draw.token;
    drawn.logprobs[i] = draw.logprob;
    drawn.entropies[i] = draw.entropy;
    drawn.kept[i] = draw.keptLogMass;
  }
  const store = (slot: Operand, values: Float32Array): void => tf.tidy(() => slot.set(tf.tensor1d(values), block));
  store(logprobs, drawn.logprobs);
  store(entropies, drawn.entropies);
  store(keptLogMass, drawn.kept);
}
