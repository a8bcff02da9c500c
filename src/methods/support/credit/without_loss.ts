import type { CreditedGroup, Rollout } from '../../records.ts';

/** The groups, with rollouts for which `isMasked` holds excluded from the loss. */
export function withoutLoss(
  groups: readonly CreditedGroup[],
  isMasked: (rollout: Rollout) => boolean,
): readonly CreditedGroup[] {
  return groups.map((group) => ({
    ...group,
    rollouts: group.rollouts.map((rollout) => (isMasked(rollout) ? { ...rollout, inLoss: false } : rollout)),
  }));
}
