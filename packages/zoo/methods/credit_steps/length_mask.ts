import { withoutLoss } from '../../../../src/methods/support/credit/without_loss.ts';
import { ownLength } from '../../../../src/methods/support/rollouts/turns.ts';
import { type CreditStep, integer, keys, method } from '../kit.ts';

/** Keeps the policy from learning to ramble; the rewards of such completions stay in the baseline. */
export const lengthMask = method({
  id: 'length-mask',
  about: {
    does: 'Leaves completions of more than max_tokens tokens out of the loss.',
    formula: 'm_t = 0 where L > max_tokens',
    source: 'own',
    certainty: 'own',
    when: 'To leave over-long completions out without paying them badly; they are then not discouraged either.',
  },
  options: keys({
    maxTokens: integer({ min: 1, example: 24 }).describe(
      'Longest completion that is trained on, in tokens, EOS included.',
    ),
  }),
  create: ({ maxTokens }): CreditStep => ({
    apply: (groups) => withoutLoss(groups, (rollout) => ownLength(rollout) > maxTokens),
  }),
});
