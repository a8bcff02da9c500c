/**
 * `Rollout.proximalLogprobs`: log-probs of off-policy rollouts before the first step on their batch. It is not a
 * figure, since it is kept as long as the batch is trained on.
 */
import type { Use } from './use.ts';

/** Log-probs of off-policy rollouts before the first step on their batch: `Rollout.proximalLogprobs`. */
export const proximalLogprobs: Use = {
  id: 'proximalLogprobs',
  says: 'a scoring pass of what is off-policy, and its log-probs for as long as the batch is trained on',
  scoresBeforeUpdate: true,
};
