/**
 * How near a number is: exp(−α·|answer − truth|). arXiv:2505.13508 (Time-R1). α may grow over the run, from lenient to strict;
 * evaluation counts strict verdicts as always.
 */
import { number, options } from '../../options/keys.ts';
import { answerText } from '../answer_text.ts';
import { defineReward } from '../definition.ts';
import { truthColumn } from '../shared_options.ts';
import { lacksTruth, numberForm, truthOf } from '../truth.ts';

export const expDecayReward = defineReward({
  does: 'exp(-alpha |answer - truth|) of a number, 0 for what is none; alpha may move over the run, from lenient to strict.',
  options: options({
    alpha: number({ above: 0, example: 0.1 }).default(0.07).describe('How fast it falls, at the start of the run.'),
    alpha_end: number({ above: 0, example: 0.1 })
      .optional()
      .describe('The same at its end; in between it moves in equal steps. Default: alpha.'),
    column: truthColumn,
  }),
  create: ({ alpha, alpha_end: end = alpha, column }) => ({
    name: 'exp-decay',
    range: [0, 1],
    refuses: (item) => lacksTruth(numberForm, item, column),
    score: ({ completions, items, trainerState, verdicts }) => {
      const now = alpha + (end - alpha) * trainerState.progress;
      return completions.map((completion, row) => {
        const truth = truthOf(numberForm, items[row], column);
        if (truth === undefined) return null;
        const answer = verdicts[row].status === 'truncated' ? undefined : numberForm.read(answerText(completion));
        return answer === undefined ? 0 : Math.exp(-now * Math.abs(answer - truth));
      });
    },
  }),
});
