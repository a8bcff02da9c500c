/**
 * The clipped policy objective with KL and entropy terms, row by row, and its derivatives. Formulas, shapes and
 * papers: kernels.ts (policyObjective).
 */
import { OBJECTIVE } from '../kernels.ts';
import type { Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** A term of the loss and its derivative with respect to the log-prob. */
interface Term {
  readonly loss: number;
  readonly slope: number;
}

/** losses = coefficients·(policy + klCoef·kl) − entropyCoefficients·entropies; a coefficient of 0 masks the row. */
export const policyObjective: ReferenceKernel<'policyObjective'> = {
  rules: () => ({
    logprobs: real('R'),
    oldLogprobs: real('R'),
    refLogprobs: real('R'),
    entropies: real('R'),
    advantages: real('R'),
    coefficients: real('R'),
    entropyCoefficients: real('R'),
    settings: real(OBJECTIVE.length),
    losses: real('R'),
    dLogprobs: real('R'),
    dEntropies: real('R'),
    rows: 'R',
  }),
  run(args) {
    const { logprobs, oldLogprobs, refLogprobs, entropies, advantages, settings, rows } = args;
    const { coefficients, entropyCoefficients, losses, dLogprobs, dEntropies } = args;
    const klCoef = settings[OBJECTIVE.klCoef];
    for (let r = rows.begin; r < rows.end; r++) {
      losses[r] = -entropyCoefficients[r] * entropies[r];
      dLogprobs[r] = 0;
      dEntropies[r] = -entropyCoefficients[r];
      if (coefficients[r] === 0) continue; // not 0·x: a masked row's ratio may be infinite
      const policy = clippedSurrogate(logprobs[r] - oldLogprobs[r], advantages[r], settings);
      const kl = klCoef === 0 ? { loss: 0, slope: 0 } : klToReference(logprobs[r], refLogprobs[r]);
      losses[r] += coefficients[r] * (policy.loss + klCoef * kl.loss);
      dLogprobs[r] = coefficients[r] * (policy.slope + klCoef * kl.slope);
    }
  },
};

/** −min(min(ratio, delta)·A, clip(ratio, 1 − low, 1 + high)·A); flat wherever a bound decides. */
function clippedSurrogate(logRatio: number, advantage: number, settings: Values): Term {
  const ratio = Math.exp(logRatio);
  const delta = settings[OBJECTIVE.clipDelta];
  const isCapped = delta > 0 && ratio > delta;
  const low = 1 - settings[OBJECTIVE.clipEpsilonLow];
  const high = 1 + settings[OBJECTIVE.clipEpsilonHigh];
  const unclipped = (isCapped ? delta : ratio) * advantage;
  const clipped = Math.min(Math.max(ratio, low), high) * advantage;
  if (clipped < unclipped) return { loss: -clipped, slope: 0 };
  return { loss: -unclipped, slope: isCapped ? 0 : -ratio * advantage };
}

/** k3 = e^x − x − 1 with x = ref − logprob; its derivative is 1 − e^x. */
function klToReference(logprob: number, refLogprob: number): Term {
  const x = refLogprob - logprob;
  return { loss: Math.expm1(x) - x, slope: -Math.expm1(x) };
}
