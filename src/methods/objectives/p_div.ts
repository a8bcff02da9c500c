/**
 * For completions that the policy did not sample: instead of a ratio to an unknown or different sampler it uses the
 * probability itself, shaped so that rather unlikely tokens push most.
 *
 *   f(p) = p/(p + p_div_gamma)     df/d log p = p·γ/(p + γ)², largest at p = γ
 *
 * Completions that are off-policy are trained by −A·f(π), without a clip; all others as ppo-clip does. AMPO's and
 * LUFFY's policy shaping, arXiv:2504.14945.
 */
import { key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { LossTerm, Ratio, Surrogate } from '../points.ts';
import { clipBetween, clipHighOption, clipLowOption, decidingBound } from '../support/loss/clipped.ts';
import { objectiveTerm, ownWeight } from '../support/loss/surrogate_term.ts';

export const pDiv = method({
  id: 'p-div',
  about: {
    does: 'Trains completions that the policy did not sample by their shaped probability, and all others by a clipped ratio.',
    names: ['policy shaping', 'LUFFY', 'AMPO'],
    formula: '−A·p/(p + p_div_gamma) with p = π of an off-policy completion; ppo-clip of any other',
    source: '2504.14945',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  options: {
    clipEpsilonLow: clipLowOption,
    clipEpsilonHigh: clipHighOption,
    shapingGamma: key(
      'p_div_gamma',
      number({ above: 0, example: 0.1 }).default(0.1).describe('Where an off-policy token pushes most.'),
    ),
  },
  complete: (options) => ({ ...options, clipEpsilonHigh: options.clipEpsilonHigh ?? options.clipEpsilonLow }),
  actsOn: 'others',
  create: ({ clipEpsilonLow, clipEpsilonHigh = clipEpsilonLow, shapingGamma }): LossTerm => {
    const [low, high] = [1 - clipEpsilonLow, 1 + clipEpsilonHigh];
    const clipped: Surrogate = {
      at: (point, out) => clipBetween(point, low, high, Number.POSITIVE_INFINITY, out),
      clipped: (point) => decidingBound(point, low, high),
    };
    const terms = new Map<Ratio, LossTerm>();
    const sampledBy = (ratio: Ratio): LossTerm => {
      const term = terms.get(ratio) ?? objectiveTerm(clipped, ratio);
      terms.set(ratio, term);
      return term;
    };
    return {
      coupling: 'sequence',
      add(sequences, gradients, context) {
        const places = sequences.map((_, i) => i);
        const sampled = places.filter((i) => !sequences[i].rollout.isOffPolicy);
        sampledBy(context.ratio).add(
          sampled.map((i) => sequences[i]),
          sampled.map((i) => gradients[i]),
          context,
        );
        for (const i of places.filter((place) => sequences[place].rollout.isOffPolicy)) {
          const { logprobs, advantages } = sequences[i];
          const { losses, dLogprobs } = gradients[i];
          for (let t = 0; t < logprobs.length; t++) {
            const weight = ownWeight(sequences[i], t) * advantages[t];
            if (weight === 0) continue;
            const p = Math.exp(logprobs[t]);
            losses[t] -= (weight * p) / (p + shapingGamma);
            dLogprobs[t] -= (weight * p * shapingGamma) / (p + shapingGamma) ** 2;
          }
        }
      },
      measures: {
        add(sequence, meter, context) {
          const { rollout, logprobs, coefficients } = sequence;
          if (!rollout.isOffPolicy) {
            sampledBy(context.ratio).measures?.add(sequence, meter, context);
            return;
          }
          let [sum, tokens] = [0, 0];
          for (let t = 0; t < logprobs.length; t++) {
            if (coefficients[t] === 0) continue;
            sum += Math.exp(logprobs[t]);
            tokens++;
          }
          meter.mean('p-div/probability', sum, tokens);
        },
      },
    };
  },
});
