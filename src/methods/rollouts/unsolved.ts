import type { RolloutGroup } from '../records.ts';
import { isRight } from './answers.ts';

/** No completion of the group is right. */
export function isUnsolved({ rollouts }: Pick<RolloutGroup, 'rollouts'>): boolean {
  return !rollouts.some(isRight);
}
