import type { RolloutGroup } from '../records.ts';

/** No completion of the group is right. */
export function isUnsolved({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  return rollouts.every(({ verdict }) => verdict.score !== 1);
}
