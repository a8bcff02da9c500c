/** Which completions count as solved, for methods that ask nothing else. */
import { keys, number, type Rollout } from '../../kit.ts';

/**
 * The verdict decides by default: score 1, as in evaluation. Where a method pays something else (votes of the group, noise, a
 * factor), a least reward decides and must be given (`payment_rules.ts`), so that nothing is learned from a label that was not
 * to be seen, and what is paid is what is learned.
 */
export const SOLVED_OPTIONS = keys({
  solvedReward: number({ example: 0.5 })
    .optional()
    .describe(
      'Least reward of a completion that counts as solved; to be given where a method changes rewards. ' +
        'Default: its verdict decides, by score 1.',
    ),
});

/** Whether a completion counts as solved, by the options of its method. */
export function solvedBy({ solvedReward: least }: { readonly solvedReward?: number }) {
  return ({ reward, verdict }: Pick<Rollout, 'reward' | 'verdict'>): boolean =>
    least === undefined ? verdict.score === 1 : reward !== null && reward >= least;
}
