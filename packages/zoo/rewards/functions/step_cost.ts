/**
 * What each step of an answer costs: −min(most, cost·steps) for a right answer, −most for a wrong one, so that giving up early is
 * never cheaper than being right.
 */
import { number, options, text } from '../../../../src/options/keys.ts';
import { answerText } from '../../../../src/rewards/answer_text.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

export const stepCostReward = defineReward({
  does: 'Charges the steps of a right answer, the parts between separators, up to a limit; a wrong answer costs the limit.',
  options: options({
    cost: number({ min: 0, example: 0.1 }).default(0.1).describe('Of each step.'),
    most: number({ above: 0, example: 1 }).default(1).describe('What an answer costs at most.'),
    separator: text(',').default(',').describe('What separates two steps.'),
  }),
  create: ({ cost, most, separator }) => ({
    name: 'step-cost',
    range: [-most, 0],
    score: ({ completions, verdicts }) =>
      completions.map((completion, row) => {
        const { score } = verdicts[row];
        if (score === null) return null;
        const steps = answerText(completion).split(separator).length;
        return score === 1 ? -Math.min(most, cost * steps) : -most;
      }),
  }),
});
