/**
 * How cheap a right answer is beside the one that the task knows: Σ_k w_k·(ref_k − x_k)/ref_k, clipped, and 0 where the answer
 * is wrong, so that nothing is gained by being cheap alone. After ChipSeek-R1 and StitchCUDA, whose costs are power, area and
 * time; here a cost is a length of the answer, or a sub-score of the verdict, of which the reference has 1.
 */
import { number, options, text } from '../../../../src/options/keys.ts';
import { answerText } from '../../../../src/rewards/answer_text.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';

const LENGTHS: Readonly<Record<string, (answer: string) => number>> = {
  characters: (answer) => answer.length,
  words: (answer) => answer.split(/\s+/).filter((word) => word !== '').length,
  lines: (answer) => answer.split('\n').filter((line) => line.trim() !== '').length,
};

export const costMetricReward = defineReward({
  does: 'How much cheaper a right answer is than the known one, as a share of its cost; 0 for a wrong one.',
  options: options({
    of: text('characters')
      .default('characters')
      .describe('The cost: characters, words or lines of the answer, or a sub-score of the verdict by its name.'),
    most: number({ above: 0, example: 1 })
      .default(1)
      .describe('The reward is cut to what lies between -most and most.'),
  }),
  create: ({ of, most }) => ({
    name: 'cost-metric',
    range: [-most, most],
    score: ({ completions, items, verdicts }) =>
      completions.map((completion, row) => {
        const { score, parts } = verdicts[row];
        if (score === null) return null;
        const length = LENGTHS[of];
        const known = length === undefined ? 1 : length(answerText(items[row].answer));
        const own = length === undefined ? parts?.[of] : length(answerText(completion));
        if (own === undefined || known === 0) return null;
        return score === 1 ? Math.max(-most, Math.min(most, (known - own) / known)) : 0;
      }),
  }),
});
