import { isRight, type RolloutGroup } from '../../kit.ts';

/** No completion of the group is right. */
export function isUnsolved({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  return !rollouts.some(isRight);
}
