/** Advantages that know of a completion only whether it is solved: `w-reinforce` and `nsr`. */
import { type AdvantageEstimator, groupByGroup } from '../../kit.ts';
import { solvedBy } from './solved.ts';

/** A = `weight` of a solved completion, else −1. @param options  of SOLVED_OPTIONS */
export function solvedOrNot(weight: number, options: Parameters<typeof solvedBy>[0]): AdvantageEstimator {
  const isSolved = solvedBy(options);
  return groupByGroup((_, rollouts) => rollouts.map((rollout) => (isSolved(rollout) ? weight : -1)));
}
