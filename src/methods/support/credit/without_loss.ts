import type { CreditedGroup, Rollout } from '../../records.ts';

/** The groups, with the rollouts that `isMasked` names out of the loss. */
export function withoutLoss(
  groups: readonly CreditedGroup[],
  isMasked: (rollout: Rollout) => boolean,
): readonly CreditedGroup[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => (isMasked(rollout) ? { ...rollout, inLoss: false } : rollout)),
  }));
}
