/**
 * Rewards of single tokens beside that of the completion: the verifier's score of a step, less a baseline, is paid at the
 * last token of the step, and each token is credited with what is paid from it on. Not centred within the group, so that
 * groups of equal outcomes learn as well; with a baseline of 0 longer solutions earn more. Code of your own adds any other
 * reward by token in the same way (`addTokenCredit`, `returnsToGo`).
 */
import { addTokenCredit, returnsToGo } from '../../../../src/methods/support/credit/token_returns.ts';
import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import { type CreditStep, keys, method, number, type Rollout } from '../kit.ts';

export const tokenReward = method({
  id: 'token-reward',
  about: {
    does: 'Adds what the steps of a solution earn, from each token on.',
    names: ['step rewards', 'returns-to-go'],
    formula: 'A_t ← A_t + token_reward_weight·Σ_{t′ ≥ t} token_discount^(t′ − t)·ρ_t′',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    tokenRewardWeight: number({ min: 0, example: 0.5 })
      .default(1)
      .describe('Weight of the rewards of tokens beside the advantage of the completion.'),
    tokenDiscount: number({ min: 0, max: 1, example: 0.95 })
      .default(1)
      .describe('What a reward is worth a token earlier.'),
    stepBaseline: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Score of a step that earns nothing; below it a step costs.'),
  }),
  uses: () => [solutionSteps],
  create: ({ tokenRewardWeight, tokenDiscount, stepBaseline }): CreditStep => {
    const creditOf = ({ steps = [], tokens }: Rollout): Float64Array | undefined => {
      if (steps.length === 0) return undefined;
      const rewards = new Float64Array(tokens.length);
      for (const { to, score } of steps) rewards[to - 1] += tokenRewardWeight * (score - stepBaseline);
      return returnsToGo(rewards, tokenDiscount);
    };
    return { apply: (groups) => (tokenRewardWeight === 0 ? groups : addTokenCredit(groups, creditOf)) };
  },
});
