/**
 * The weight is a constant to the gradient: the slope of hinge_beta/2·max(KL − hinge_delta, 0)², up to the constant
 * inside the bracket. The estimator r − 1 − log r is never negative and pulls each token back to where it was; the plain
 * mean of −log r would raise all of them instead. DRPO's, arXiv:2510.04474.
 */
import { bounded } from '../../../../src/methods/ratios/bounded.ts';
import { key, type LossSequence, type LossTerm, method, number } from '../kit.ts';

export const hingeKl = method({
  id: 'hinge-kl',
  about: {
    does: 'Lets a policy move freely up to a bound on its KL, and pulls it back beyond.',
    formula: 'sg(max(hinge_beta·(KL_old − hinge_delta), 0))·KL_old, KL_old = mean_t (r_t − 1 − log r_t)',
    source: '2510.04474',
    certainty: 'after the paper',
  },
  against: ['kl-jump'],
  options: {
    hingeWeight: key('hinge_beta', number({ min: 0, example: 1000 }).default(1000).describe('Weight of the excess.')),
    freeKl: key(
      'hinge_delta',
      number({ min: 0, example: 1e-4 }).default(1e-4).describe('KL that is free, in nats per token.'),
    ),
  },
  actsOn: 'moved',
  create: ({ hingeWeight, freeKl }): LossTerm => {
    let [weight, kl] = [0, 0];
    return {
      coupling: 'batch',
      actsWithoutAdvantage: true,
      stopsGradient: true,
      observe(sequences) {
        let [sum, tokens] = [0, 0];
        for (const sequence of sequences) {
          for (let t = 0; t < sequence.coefficients.length; t++) {
            if (sequence.coefficients[t] === 0) continue;
            sum += klAt(sequence, t).value;
            tokens++;
          }
        }
        kl = sum / Math.max(1, tokens);
        weight = Math.max(hingeWeight * (kl - freeKl), 0) / Math.max(1, tokens);
      },
      add(sequences, gradients) {
        if (weight === 0) return;
        sequences.forEach((sequence, i) => {
          const { losses, dLogprobs } = gradients[i];
          for (let t = 0; t < sequence.coefficients.length; t++) {
            if (sequence.coefficients[t] === 0) continue;
            const { value, slope } = klAt(sequence, t);
            losses[t] += weight * value;
            dLogprobs[t] += weight * slope;
          }
        });
      },
      afterUpdate: () => ({ 'hinge-kl/kl': kl }),
    };
  },
});

function klAt({ logprobs, oldLogprobs }: LossSequence, t: number): { value: number; slope: number } {
  const logRatio = logprobs[t] - oldLogprobs[t];
  const kept = bounded(logRatio);
  return { value: Math.expm1(kept) - kept, slope: kept === logRatio ? Math.expm1(kept) : 0 };
}
