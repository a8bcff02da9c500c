/** Which completions are right by their verdicts, whatever the rewards. */
import type { Rollout, RolloutGroup } from '../../records.ts';
import { meanOf } from '../../statistics.ts';

export function isRight({ verdict }: Pick<Rollout, 'verdict'>): boolean {
  return verdict.score === 1;
}

/** Share of right completions in some groups, in [0, 1]. */
export function shareRight(groups: readonly RolloutGroup[]): number {
  return meanOf(groups.flatMap(({ rollouts }) => rollouts.map((rollout) => (isRight(rollout) ? 1 : 0))));
}
