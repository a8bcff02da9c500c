/**
 * A right answer whose reasoning is flawed is worth less. After FAPO.
 *
 *   R = 1 for a right answer, 1 − λ for a right one that is flawed, −1 for a wrong one
 *
 * The reasoning is flawed where an equation of the completion is false, where its answer is a number that no equation ends in,
 * or where equations follow the answer tag. A text without equations is not, unless it is asked for them.
 */
import { flag, number, options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { isFlawed } from '../flaws.ts';

const WRONG = -1;

export const flawPenaltyReward = defineReward({
  does: '1 for a right answer, less where an equation on the way to it is false or does not lead to it, -1 for a wrong one.',
  options: options({
    penalty: number({ min: 0, max: 2, example: 1 }).default(1).describe('What a flaw takes from a right answer.'),
    needs_equations: flag().default(false).describe('Whether a right answer without equations is flawed, too.'),
  }),
  create: ({ penalty, needs_equations: needsEquations }) => ({
    name: 'flaw-penalty',
    range: [WRONG, 1],
    score: ({ completions, verdicts }) =>
      completions.map((completion, row) => {
        const { score } = verdicts[row];
        if (score === null) return null;
        if (score !== 1) return WRONG;
        return isFlawed(completion, needsEquations) ? 1 - penalty : 1;
      }),
  }),
});
