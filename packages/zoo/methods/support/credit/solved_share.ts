import { type CountedRollout, counts, type RolloutGroup } from '../../kit.ts';

/** Share of a group that solves the problem, of the completions whose reward counts; 0 where none does. In [0, 1]. */
export function solvedShare(
  { rollouts }: Pick<RolloutGroup, 'rollouts'>,
  isSolved: (rollout: CountedRollout) => boolean,
): number {
  const counted = rollouts.filter(counts);
  return counted.filter(isSolved).length / Math.max(1, counted.length);
}
