/**
 * p̂ is the share of the group that solves the problem. For verifiers that know one of several right answers, so that a
 * failure says little where nothing succeeds. By default it acts below p̂ = 1/3 alone.
 */
import { type CreditStep, keys, method, number } from '../kit.ts';
import { mapAdvantages, oncePerGroup } from '../support/credit/map_advantages.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { solvedShare } from '../support/credit/solved_share.ts';

export const negScaleSuccess = method({
  id: 'neg-scale-success',
  about: {
    does: 'Punishes less where few completions of a group succeed.',
    names: ['GUI-Libra', 'success-adaptive scaling'],
    formula: 'A ← A·clip(unsolved_scale + solved_slope·p̂, 0, 1) where A < 0',
    source: '2602.22190',
    certainty: 'paper',
  },
  options: keys({
    unsolvedScale: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Factor of a negative advantage where no completion of the group is right.'),
    solvedSlope: number({ min: 0, example: 1.5 })
      .default(1.5)
      .describe('How much the factor grows with the share of right completions, up to 1.'),
    ...SOLVED_OPTIONS,
  }),
  create: ({ unsolvedScale, solvedSlope, ...options }): CreditStep => {
    const isSolved = solvedBy(options);
    return {
      apply(groups) {
        const scaleOf = oncePerGroup((group) =>
          Math.min(1, unsolvedScale + solvedSlope * solvedShare(group, isSolved)),
        );
        return mapAdvantages(groups, (advantage, _, group) => (advantage < 0 ? advantage * scaleOf(group) : advantage));
      },
    };
  },
});
