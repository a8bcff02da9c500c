/**
 * Where the stage has a reference, the KL to that is measured too. Both use the estimator e^x − x − 1, which is never
 * negative.
 */
import { bounded } from '../../../../src/methods/ratios/bounded.ts';
import { type LossSequence, type LossTerm, type Meter, method, type Surrogate } from '../kit.ts';

/** Upper ends of the bins of a token's probability under the policy that sampled, and their names. */
const BINS = [
  [0.1, 'p_below_0.1'],
  [0.5, 'p_0.1_to_0.5'],
  [0.9, 'p_0.5_to_0.9'],
  [Number.POSITIVE_INFINITY, 'p_above_0.9'],
] as const;

const ID = 'm-ratio';

export const mRatio = method({
  id: ID,
  about: {
    does: 'Measures ratios, clips and how far the policy has moved; changes nothing.',
    formula: 'r = π/π_old: min, mean, max; KL = mean_t (e^x − x − 1)',
    source: 'own',
    certainty: 'own',
    when: 'With several optimizer steps on a batch or staleness; on-policy every ratio is 1.',
  },
  holdsPolicy: false,
  onlyMeasures: true,
  create: (): LossTerm => ({
    coupling: 'sequence',
    device: {},
    add() {},
    measures: {
      add(sequence, meter, { ratio: stageRatio, objective }) {
        const { coefficients } = sequence;
        const surrogate = 'at' in objective ? objective : undefined;
        const ratio = surrogate?.ratio ?? stageRatio;
        const logRatios = new Float64Array(coefficients.length);
        ratio.measure(sequence, logRatios);
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const value = Math.exp(bounded(logRatios[t]));
          meter.least(`${ID}/min`, value);
          meter.mean(`${ID}/mean`, value, 1);
          meter.most(`${ID}/max`, value);
        }
        measureTokens(sequence, meter);
        if (surrogate !== undefined) measureClips(sequence, logRatios, surrogate, meter);
      },
    },
  }),
});

/** Distances by token, and the weights of the policy's own term. */
function measureTokens(sequence: LossSequence, meter: Meter): void {
  const { logprobs, oldLogprobs, refLogprobs, coefficients, weights, importance } = sequence;
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    meter.mean(`${ID}/kl_old`, distance(logprobs[t] - oldLogprobs[t]), 1);
    if (refLogprobs !== undefined) meter.mean(`${ID}/kl_ref`, distance(refLogprobs[t] - logprobs[t]), 1);
    const weight = weights[t] * (importance?.[t] ?? 1);
    meter.mean(`${ID}/weight`, weight, 1);
    meter.mean(`${ID}/without_weight`, weight === 0 ? 1 : 0, 1);
  }
}

/** Tokens that the clip stops, by their probability and by the bound that decides. */
function measureClips(sequence: LossSequence, logRatios: Float64Array, surrogate: Surrogate, meter: Meter): void {
  if (surrogate.clipped === undefined) return;
  const { logprobs, oldLogprobs, advantages, coefficients } = sequence;
  const value = { loss: 0, slope: 0, logprobSlope: 0 };
  for (let t = 0; t < coefficients.length; t++) {
    if (coefficients[t] === 0) continue;
    const [logprob, oldLogprob, advantage] = [logprobs[t], oldLogprobs[t], advantages[t]];
    const point = { logRatio: bounded(logRatios[t]), logprob, oldLogprob, advantage };
    const bound = surrogate.clipped(point);
    value.loss = value.slope = value.logprobSlope = 0;
    surrogate.at(point, value);
    // Flat although neither bound decides: the ratio is beyond dual_clip or delta.
    const isDual = bound === undefined && advantage !== 0 && value.slope === 0 && value.logprobSlope === 0;
    meter.mean(`${ID}/clipped/low`, bound === 'low' ? 1 : 0, 1);
    meter.mean(`${ID}/clipped/high`, bound === 'high' ? 1 : 0, 1);
    meter.mean(`${ID}/clipped/dual`, isDual ? 1 : 0, 1);
    const probability = Math.exp(oldLogprob);
    const bin = BINS.find(([end]) => probability < end);
    if (bin !== undefined) meter.mean(`${ID}/clipped/${bin[1]}`, bound !== undefined || isDual ? 1 : 0, 1);
  }
}

function distance(x: number): number {
  return Math.expm1(bounded(x)) - bounded(x);
}
