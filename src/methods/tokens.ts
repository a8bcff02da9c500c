/** The sampled tokens of a rollout: tokens that were put in have neither a loss nor an entropy. */
import { TOKEN } from '../token_kinds.ts';
import type { CreditedGroup, Rollout } from './records.ts';

/** Number of tokens with a loss: all that were not put in, or none if the rollout is masked. */
export function lossTokens({ tokens, labels, inLoss }: Pick<Rollout, 'tokens' | 'labels' | 'inLoss'>): number {
  if (inLoss === false) return 0;
  return labels === undefined ? tokens.length : labels.filter((label) => label !== TOKEN.given).length;
}

/** Whether a token of the rollout carries a loss. */
export function carriesLoss({ labels, inLoss }: Pick<Rollout, 'labels' | 'inLoss'>, token: number): boolean {
  return inLoss !== false && labels?.[token] !== TOKEN.given;
}

/** Credit steps' weight of a token of a group's completion. */
export function weightOfToken(
  { tokenWeights, tokenSelection }: CreditedGroup,
  completion: number,
  token: number,
): number {
  return (tokenWeights?.[completion][token] ?? 1) * (tokenSelection?.[completion][token] ?? 1);
}

/** The same, summed over the tokens with a loss. */
export function lossTokenWeight(group: CreditedGroup, completion: number): number {
  const rollout = group.rollouts[completion];
  if (group.tokenWeights === undefined && group.tokenSelection === undefined) return lossTokens(rollout);
  let sum = 0;
  for (let t = 0; t < rollout.tokens.length; t++) {
    if (carriesLoss(rollout, t)) sum += weightOfToken(group, completion, t);
  }
  return sum;
}

/** Number of a group's loss tokens that the policy's own term acts on. */
export function selectedTokens({ rollouts, tokenSelection }: CreditedGroup): number {
  return rollouts.reduce((sum, rollout, i) => {
    const selection = tokenSelection?.[i];
    if (selection === undefined) return sum + lossTokens(rollout);
    return sum + selection.filter((value, t) => value !== 0 && carriesLoss(rollout, t)).length;
  }, 0);
}

/** Nats, of the tokens that were sampled. */
export function sampledEntropies({ entropies, labels }: Pick<Rollout, 'entropies' | 'labels'>): Float32Array {
  return labels === undefined ? entropies : entropies.filter((_, t) => labels[t] === TOKEN.sampled);
}
