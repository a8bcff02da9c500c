/**
 * It acts in groups without an advantage, too: where all completions are right, their likelihood still rises. With
 * `nll_weights` a token weighs as credit steps say.
 */
import { choice, counts, flag, key, keys, type LossTerm, method, number, weightOfToken } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

export const sftNll = method({
  id: 'sft-nll',
  about: {
    does: 'Raises the likelihood of chosen completions, whatever their advantage.',
    formula: '−nll_coef·ω_t·log π, on the completions of nll_on',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    nllWeight: key(
      'nll_coef',
      number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the negative log-likelihood.'),
    ),
    nllOn: choice(['correct', 'positive', 'off-policy', 'all'], 'not a choice of completions')
      .default('correct')
      .describe(
        'Which completions: those that are solved (correct), of positive advantage, solved and off-policy, or all.',
      ),
    isNllWeighted: key(
      'nll_weights',
      flag().default(false).describe('Multiply by the token weights that credit steps gave.'),
    ),
    ...SOLVED_OPTIONS,
  }),
  create: ({ nllWeight, nllOn, isNllWeighted, ...options }): LossTerm => ({
    coupling: 'token',
    actsWithoutAdvantage: true,
    add(sequences, gradients) {
      const solves = solvedBy(options);
      sequences.forEach(({ logprobs, advantages, coefficients, group, rollout }, i) => {
        const isSolved = counts(rollout) && solves(rollout);
        if ((nllOn === 'correct' || nllOn === 'off-policy') && !isSolved) return;
        if (nllOn === 'off-policy' && !rollout.isOffPolicy) return;
        const { losses, dLogprobs } = gradients[i];
        const place = group.rollouts.indexOf(rollout);
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0 || (nllOn === 'positive' && advantages[t] <= 0)) continue;
          const weight = coefficients[t] * nllWeight * (isNllWeighted ? weightOfToken(group, place, t) : 1);
          losses[t] -= weight * logprobs[t];
          dLogprobs[t] -= weight;
        }
      });
    },
  }),
});
