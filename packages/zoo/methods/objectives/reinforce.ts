/**
 * The plain policy gradient, without a ratio. Right on-policy alone: on rollouts of an older policy it is the gradient
 * of another objective, and nothing holds the policy back. With `baseline: loo` it is RLOO, with group means GPG
 * (arXiv:2504.02546).
 */
import { method, type Surrogate, uncorrected, unreadRatio } from '../kit.ts';

export const reinforce = method({
  id: 'reinforce',
  about: {
    does: 'Raises the log-prob of a token by its advantage; for one optimizer step per batch of rollouts.',
    formula: '−A·log π',
    source: '2504.02546',
    certainty: 'paper',
  },
  warn: (_, __, stage, members) => uncorrected(stage, members, 'nothing corrects', 'ppo-clip or topr, or '),
  note: (_, methods) => unreadRatio(methods),
  actsOn: 'moved',
  create: (): Surrogate => ({
    at({ logprob, advantage }, out) {
      out.loss = -advantage * logprob;
      out.logprobSlope = -advantage;
    },
  }),
});
