/** Which completions count as solved, for estimators that ask nothing else. */
import { key, number } from '../../../options/keys.ts';
import type { CountedRollout } from './baseline.ts';

/**
 * The verdict decides by default: score 1, as in evaluation. Where rewards are something else than the verdict (votes of
 * the group, noise, a judge), a least reward decides, so that nothing is learned from a label that was not to be seen.
 */
export const SOLVED_OPTIONS = {
  solvedReward: key(
    'solved_reward',
    number({ example: 0.5 })
      .optional()
      .describe('Least reward of a completion that counts as solved. Default: its verdict decides, by score 1.'),
  ),
};

/** Whether a completion counts as solved, by the options of its method. */
export function solvedBy({ solvedReward: least }: { readonly solvedReward?: number }) {
  return ({ reward, verdict }: CountedRollout): boolean =>
    least === undefined ? verdict.score === 1 : reward >= least;
}
