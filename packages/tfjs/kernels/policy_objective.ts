/**
 * The clipped policy objective with KL and entropy terms, row by row; its derivatives come from tf.grads. Formulas,
 * shapes and papers: ../kernels.ts (policyObjective).
 */
import * as tf from '@tensorflow/tfjs';
import { OBJECTIVE } from '../../../src/kernels/kernels.ts';
import type { WaitingKernel } from './tfjs_kernel.ts';

export interface Clipping {
  readonly low: number;
  readonly high: number;
  /** Most that a ratio counts where the advantage is negative; 0: off */
  readonly delta: number;
}

/**
 * −min(min(ratio, delta)·A, clip(ratio, 1 − low, 1 + high)·A), element by element; flat wherever a bound decides.
 * @param logRatio log-probs under the current policy less those under the sampling one
 */
export function clippedSurrogate(
  logRatio: tf.Tensor,
  advantages: tf.Tensor,
  { low, high, delta }: Clipping,
): tf.Tensor {
  const ratio = tf.exp(logRatio);
  // tf.minimum gives a tie's gradient to its first argument, as the formula's derivative inside the bounds wants it.
  const unclipped = tf.mul(delta > 0 ? tf.minimum(ratio, delta) : ratio, advantages);
  return tf.neg(tf.minimum(unclipped, tf.mul(tf.clipByValue(ratio, 1 - low, 1 + high), advantages)));
}

/** k3: e^x − x − 1 with x = ref − logprob; joschu.net/blog/kl-approx */
export function klToReference(logprobs: tf.Tensor, refLogprobs: tf.Tensor): tf.Tensor {
  const x = tf.sub(refLogprobs, logprobs);
  return tf.sub(tf.expm1(x), x);
}

export const policyObjective: WaitingKernel<'policyObjective'> = {
  async waits(args) {
    const { logprobs, oldLogprobs, refLogprobs, entropies, advantages, coefficients, rows } = args;
    const { entropyCoefficients, losses, dLogprobs, dEntropies } = args;
    const settings = await args.settings.values();
    const klCoef = settings[OBJECTIVE.klCoef];
    const clipping: Clipping = {
      low: settings[OBJECTIVE.clipEpsilonLow],
      high: settings[OBJECTIVE.clipEpsilonHigh],
      delta: settings[OBJECTIVE.clipDelta],
    };
    tf.tidy(() => {
      const weights = coefficients.tensor(rows);
      const entropyWeights = entropyCoefficients.tensor(rows);
      const credits = advantages.tensor(rows);
      // A masked row's numbers may be infinite, and 0·∞ is not 0: they are replaced before they are used.
      const isMasked = tf.equal(weights, 0);
      const unlessMasked = (values: tf.Tensor, instead: tf.Tensor): tf.Tensor => tf.where(isMasked, instead, values);
      const current = logprobs.tensor(rows);
      const zeros = tf.zerosLike(current);
      const objective = (logprob: tf.Tensor, entropy: tf.Tensor): tf.Tensor => {
        const kept = unlessMasked(logprob, zeros);
        const policy = clippedSurrogate(tf.sub(kept, unlessMasked(oldLogprobs.tensor(rows), zeros)), credits, clipping);
        const loss =
          klCoef === 0
            ? policy
            : tf.add(policy, tf.mul(klToReference(kept, unlessMasked(refLogprobs.tensor(rows), zeros)), klCoef));
        return tf.sub(tf.mul(weights, loss), tf.mul(entropyWeights, entropy));
      };
      const inputs = [current, entropies.tensor(rows)];
      losses.set(objective(inputs[0] as tf.Tensor, inputs[1] as tf.Tensor), rows);
      const [dLogprob, dEntropy] = tf.grads(objective)(inputs, tf.onesLike(current)) as [tf.Tensor, tf.Tensor];
      dLogprobs.set(dLogprob, rows);
      dEntropies.set(dEntropy, rows);
    });
  },
};
