/**
 * Pays an answer and the honesty of the score that the completion gives itself. After arXiv:2511.22570 (DeepSeekMath-V2).
 *
 *   R = [a score is stated]·(w·s + (1 − w)·(1 − |stated − s|)),   s: the verdict's score of what precedes the mark, w = 0.76
 *
 * A wrong answer that says so is paid 1 − w, a right one that says so 1, and one that claims to be right and is not, 0.
 */
import { number, options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { confidenceMark } from '../shared_options.ts';
import { statedIn } from './stated_confidence.ts';

export const selfScoreHonestyReward = defineReward({
  does: 'The score of the answer, and how near the score comes that the completion gives itself after a mark: 0.76 and 0.24 of it; 0 where it gives none.',
  options: options({
    mark: confidenceMark,
    answer_weight: number({ min: 0, max: 1, example: 0.76 })
      .default(0.76)
      .describe('Weight of the answer; the rest is that of honesty.'),
  }),
  create: ({ mark, answer_weight: weight }) => ({
    name: 'self-score-honesty',
    range: [0, 1],
    score: (batch) =>
      batch.verdicts.map(({ score }, row) => {
        if (score === null) return null;
        const stated = statedIn(batch, row, mark);
        if (stated === undefined) return 0;
        const ownScore = stated.score ?? 0;
        return weight * ownScore + (1 - weight) * (1 - Math.abs(stated.confidence - ownScore));
      }),
  }),
});
