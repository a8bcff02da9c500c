/**
 * How near a number is: exp(−α·|answer − truth|). arXiv:2505.13508 (Time-R1). α may grow over the run, from lenient to strict;
 * evaluation counts strict verdicts as always.
 *
 * With `consistent` an answer is two numbers and what lies between them, `first, second, difference`, and the truth a list of
 * the two: R = mean of both exp(−α·error) · exp(−α·| |difference| − |second − first| |). What contradicts itself earns less
 * however near it is.
 */
import { flag, number, options } from '../../../../src/options/keys.ts';
import { answerText } from '../../../../src/rewards/answer_text.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { lacksTruth, listForm, numberForm, type TruthForm, truthOf } from '../truth.ts';

export const expDecayReward = defineReward({
  does: 'exp(-alpha |answer - truth|) of a number, 0 for what is none; alpha may move over the run, from lenient to strict.',
  options: options({
    alpha: number({ above: 0, example: 0.1 }).default(0.07).describe('How fast it falls, at the start of the run.'),
    alpha_end: number({ above: 0, example: 0.1 })
      .optional()
      .describe('The same at its end; in between it moves in equal steps. Default: alpha.'),
    consistent: flag()
      .default(false)
      .describe('An answer is `first, second, difference`; one whose difference is another than theirs earns less.'),
    column: truthColumn,
  }),
  create: ({ alpha, alpha_end: end = alpha, consistent, column }) => ({
    name: 'exp-decay',
    range: [0, 1],
    refuses: (item) => (consistent ? lacksTruth(numbersForm(2), item, column) : lacksTruth(numberForm, item, column)),
    score: ({ completions, items, trainerState, verdicts }) => {
      const now = alpha + (end - alpha) * trainerState.progress;
      return completions.map((completion, row) => {
        const isCut = verdicts[row].status === 'truncated';
        if (consistent) {
          const truth = truthOf(numbersForm(2), items[row], column);
          if (truth === undefined) return null;
          const fields = isCut ? undefined : numbersForm(3).read(completion);
          return fields === undefined ? 0 : consistentReward(fields, truth, now);
        }
        const truth = truthOf(numberForm, items[row], column);
        if (truth === undefined) return null;
        const answer = isCut ? undefined : numberForm.read(answerText(completion));
        return answer === undefined ? 0 : Math.exp(-now * Math.abs(answer - truth));
      });
    },
  }),
});

function numbersForm(count: number): TruthForm<readonly number[]> {
  return {
    form: `a list of ${count} numbers`,
    read(value) {
      const numbers = listForm.read(value)?.map((element) => numberForm.read(element));
      if (numbers?.length !== count || numbers.includes(undefined)) return undefined;
      return numbers as readonly number[]; // none is undefined
    },
  };
}

function consistentReward(
  [first, second, difference]: readonly number[],
  [trueFirst, trueSecond]: readonly number[],
  alpha: number,
): number {
  const near = (error: number): number => Math.exp(-alpha * Math.abs(error));
  const agreement = near(Math.abs(difference) - Math.abs(second - first));
  return (agreement * (near(first - trueFirst) + near(second - trueSecond))) / 2;
}
