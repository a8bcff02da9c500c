/** Advantages by token, and whether a group has any. */
import type { CreditedGroup } from '../../records.ts';

/** [tokens] the advantages of one completion of a group. */
export function advantagesByToken({ rollouts, advantages, tokenAdvantages }: CreditedGroup, i: number): Float32Array {
  return tokenAdvantages?.[i] ?? new Float32Array(rollouts[i].tokens.length).fill(advantages[i]);
}

/** Whether the group can change the weights: some advantage is not 0. */
export function hasAdvantage({ advantages, tokenAdvantages }: CreditedGroup): boolean {
  const isSet = (value: number): boolean => value !== 0;
  return tokenAdvantages === undefined
    ? advantages.some(isSet)
    : tokenAdvantages.some((ofTokens) => ofTokens.some(isSet));
}
