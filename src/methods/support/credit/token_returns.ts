/** Rewards of single tokens as advantages: a token is credited with the sum from it onwards. */

import type { CreditedGroup, Rollout } from '../../records.ts';
import { counts, hasEqualRewards } from './baseline.ts';
import { advantagesByToken, hasAdvantage } from './map_advantages.ts';

/** Σ_{t' ≥ t} discount^(t' − t)·rewards[t'] at each t. */
export function returnsToGo(rewards: ArrayLike<number>, discount: number): Float64Array {
  const returns = new Float64Array(rewards.length);
  let later = 0;
  for (let t = rewards.length - 1; t >= 0; t--) {
    later = rewards[t] + discount * later;
    returns[t] = later;
  }
  return returns;
}

/**
 * Adds credit by token to the completions' credit. It revives a group that is dead because its rewards are equal, but
 * not one that a group step made dead.
 *
 * @param creditOf  [tokens] of a completion, or undefined where it has none; not asked where a reward does not count
 */
export function addTokenCredit(
  groups: readonly CreditedGroup[],
  creditOf: (rollout: Rollout, group: CreditedGroup) => ArrayLike<number> | undefined,
): readonly CreditedGroup[] {
  return groups.map((group) => {
    if (group.dead && !hasEqualRewards(group)) return group;
    const credits = group.rollouts.map((rollout) => (counts(rollout) ? creditOf(rollout, group) : undefined));
    if (credits.every((credit) => credit === undefined)) return group;
    const tokenAdvantages = credits.map((credit, i) =>
      advantagesByToken(group, i).map((advantage, t) => advantage + (credit?.[t] ?? 0)),
    );
    const credited = { ...group, tokenAdvantages };
    return { ...credited, dead: group.dead && !hasAdvantage(credited) };
  });
}
