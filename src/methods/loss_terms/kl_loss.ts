/**
 * KL to the policy at the start of the stage, by an estimator on sampled tokens, x = ref − logprob:
 *
 *   k3    e^x − x − 1: never negative, of little variance; its gradient is that of the KL the other way round
 *   k2    x²/2: its gradient is that of KL(policy, reference)
 *   k3+   the value of k3 with the gradient of k2
 *
 * Multiplied by the policy's ratio, as TRL does by default, k3 has the gradient of KL(policy, reference), too, and is
 * right off-policy. joschu.net/blog/kl-approx
 */
import { z } from 'zod';
import { flag, key, laterKey, number, optional } from '../../options/keys.ts';
import { coefficientSwitch, method } from '../method.ts';
import type { LossSequence, LossTerm, Ratio } from '../points.ts';
import { bounded } from '../ratios/bounded.ts';
import { reference } from '../uses/parameter_sets.ts';

const beta = key(
  'beta',
  number({ min: 0, example: 0.001 })
    .default(0)
    .describe('Weight of the KL to the start policy; a batch without a live group takes no step for it.'),
);

const ESTIMATORS = ['k3', 'k2', 'k3+'] as const;

/** Value and derivative by the log-prob, at x = ref − logprob. */
const estimators: Readonly<Record<(typeof ESTIMATORS)[number], readonly [of: Figure, slope: Figure]>> = {
  k3: [(x) => Math.expm1(x) - x, (x) => -Math.expm1(x)],
  k2: [(x) => (x * x) / 2, (x) => -x],
  'k3+': [(x) => Math.expm1(x) - x, (x) => -x],
};
type Figure = (x: number) => number;

export const klLoss = method({
  id: 'kl-loss',
  about: {
    does: 'Holds the policy near the one that the stage began with.',
    formula: 'beta·r·(e^x − x − 1), x = ref − logprob; r = 1 without use_bias_correction_kl',
    source: '2402.03300',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  options: {
    klCoef: beta,
    isKlCorrected: key(
      'use_bias_correction_kl',
      optional(flag()).describe(
        'Multiply the KL of each token by the ratio of importance_sampling_level, which corrects its gradient. ' +
          'Default true, as in TRL, with k3; else false.',
      ),
    ),
    klEstimator: laterKey(
      'kl_estimator',
      z
        .enum(ESTIMATORS, {
          error: ({ input }) =>
            input === 'k1'
              ? 'as a loss its gradient is 0 on average, so it would hold nothing; use k2'
              : 'not an estimator of the KL; use k3, k2 or k3+',
        })
        .default('k3')
        .describe('Estimator of the KL on sampled tokens: k3, k2, or k3+ (value of k3, gradient of k2).'),
    ),
    mostKlDistance: laterKey(
      'kl_clamp',
      number({ above: 0, example: 20 })
        .nullable()
        .default(null)
        .describe(
          'Most nats that a token may count as away from the reference, so that the KL of one that has become ' +
            'impossible stays finite; it is pulled back as at that distance. null is off.',
        ),
    ),
  },
  switchedOnBy: coefficientSwitch(beta),
  complete(options) {
    return { ...options, isKlCorrected: options.isKlCorrected ?? options.klEstimator === 'k3' };
  },
  uses: () => [reference],
  tells: ['kl'],
  create: ({ klCoef, isKlCorrected: isCorrected, klEstimator: estimator, mostKlDistance }): LossTerm => {
    const [valueAt, slopeAt] = estimators[estimator];
    const isPlain = estimator === 'k3' && !isCorrected && mostKlDistance === null;
    const most = mostKlDistance ?? Number.POSITIVE_INFINITY;
    const distance = (sequence: LossSequence, t: number): number =>
      Math.min(Math.max(distanceOf(sequence, t), -most), most);
    const logRatiosOf = (sequence: LossSequence, ratio: Ratio): Float64Array => {
      const logRatios = new Float64Array(sequence.coefficients.length);
      if (isCorrected) ratio.measure(sequence, logRatios);
      return logRatios;
    };
    return {
      coupling: isCorrected ? 'sequence' : 'token',
      actsWithoutAdvantage: true,
      ...(estimator === 'k3+' && { stopsGradient: true }),
      ...(isPlain && { device: { settings: { klCoef } } }),
      add(sequences, gradients, { ratio }) {
        sequences.forEach((sequence, i) => {
          const { losses, dLogprobs } = gradients[i];
          const { coefficients } = sequence;
          const logRatios = logRatiosOf(sequence, ratio);
          const slopes = new Float64Array(coefficients.length);
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            const x = distance(sequence, t);
            const logRatio = bounded(logRatios[t]);
            const weight = coefficients[t] * klCoef * Math.exp(logRatio);
            const loss = weight * valueAt(x);
            losses[t] += loss;
            if (logRatio === logRatios[t]) slopes[t] = loss; // beyond its bounds it is a constant
            dLogprobs[t] += weight * slopeAt(x);
          }
          if (isCorrected) ratio.spread(sequence, slopes, dLogprobs);
        });
      },
      measures: {
        add(sequence, meter, { ratio }) {
          const logRatios = logRatiosOf(sequence, ratio);
          let [sum, tokens] = [0, 0];
          for (let t = 0; t < logRatios.length; t++) {
            if (sequence.coefficients[t] === 0) continue;
            sum += Math.exp(bounded(logRatios[t])) * valueAt(distance(sequence, t));
            tokens++;
          }
          meter.mean('kl', sum, tokens);
        },
      },
    };
  },
});

function distanceOf({ logprobs, refLogprobs }: LossSequence, t: number): number {
  if (refLogprobs === undefined) throw new RangeError('kl-loss needs the reference');
  return refLogprobs[t] - logprobs[t];
}
