import type { RolloutGroup } from '../../../../../src/methods/records.ts';
import { isRight } from '../../../../../src/methods/support/rollouts/right.ts';

/** No completion of the group is right. */
export function isUnsolved({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  return !rollouts.some(isRight);
}
