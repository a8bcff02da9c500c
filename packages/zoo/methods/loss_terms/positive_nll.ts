import { counts, key, type LossTerm, lossTokens, method, number, type Rollout } from '../kit.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

/** VAPO's. (`sft-nll` weighs by the stage's aggregation, so that few right answers weigh little.) */
export const positiveNll = method({
  id: 'positive-nll',
  about: {
    does: 'Raises the likelihood of correct completions, however few there are.',
    formula: '−positive_nll_coef·mean_t log π, over the tokens of all correct completions of the step',
    source: '2504.05118',
    certainty: 'paper',
  },
  options: {
    positiveWeight: key(
      'positive_nll_coef',
      number({ min: 0, example: 0.1 }).default(0.1).describe('Weight of the mean.'),
    ),
    ...SOLVED_OPTIONS,
  },
  create: ({ positiveWeight, ...options }): LossTerm => {
    const solves = solvedBy(options);
    const isRight = (rollout: Rollout): boolean => counts(rollout) && solves(rollout);
    let tokens = 0;
    return {
      coupling: 'token',
      actsWithoutAdvantage: true,
      begin(groups) {
        tokens = 0;
        for (const { rollouts } of groups) {
          for (const rollout of rollouts) if (isRight(rollout)) tokens += lossTokens(rollout);
        }
      },
      add(sequences, gradients) {
        const weight = positiveWeight / Math.max(1, tokens);
        sequences.forEach(({ logprobs, coefficients, rollout }, i) => {
          if (!isRight(rollout)) return;
          const { losses, dLogprobs } = gradients[i];
          for (let t = 0; t < coefficients.length; t++) {
            if (coefficients[t] === 0) continue;
            losses[t] -= weight * logprobs[t];
            dLogprobs[t] -= weight;
          }
        });
      },
    };
  },
});
