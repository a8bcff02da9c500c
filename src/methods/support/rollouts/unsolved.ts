import type { RolloutGroup } from '../../records.ts';
import { isRight } from './right.ts';

/** No completion of the group is right. */
export function isUnsolved({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  return !rollouts.some(isRight);
}
