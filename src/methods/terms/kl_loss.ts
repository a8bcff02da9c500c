/** KL to the policy at the start of the stage, by the k3 estimator: e^x − x − 1 with x = ref − logprob. joschu.net/blog/kl-approx */
import { key, real } from '../../options/keys.ts';
import { coefficientSwitch, method } from '../method.ts';
import type { LossTerm } from '../points.ts';

const beta = key(
  'beta',
  real({ least: 0, example: 0.001 }).default(0).describe('Weight of the KL to the start policy. Default 0.'),
);

export const klLoss = method({
  id: 'kl-loss',
  about: {
    does: 'Holds the policy near the one that the stage began with.',
    formula: 'beta·(e^x − x − 1), x = ref − logprob',
    source: '2402.03300',
    certainty: 'paper',
  },
  options: { klCoef: beta },
  switchedOnBy: coefficientSwitch(beta),
  needs: () => ({ parameterSets: ['reference'] }),
  create: ({ klCoef }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    device: { settings: { klCoef } },
    add(sequences, gradients) {
      sequences.forEach(({ logprobs, refLogprobs, coefficients }, i) => {
        if (refLogprobs === undefined) throw new RangeError('kl-loss needs the reference');
        const { losses, dLogprobs } = gradients[i];
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const x = refLogprobs[t] - logprobs[t];
          losses[t] += coefficients[t] * klCoef * (Math.expm1(x) - x);
          dLogprobs[t] -= coefficients[t] * klCoef * Math.expm1(x);
        }
      });
    },
    measures: {
      names: ['kl'],
      add({ logprobs, refLogprobs, coefficients }, sums) {
        if (refLogprobs === undefined) return;
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          const x = refLogprobs[t] - logprobs[t];
          sums[0] += Math.exp(x) - x - 1;
        }
      },
    },
  }),
});
