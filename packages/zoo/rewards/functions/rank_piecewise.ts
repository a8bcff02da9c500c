/**
 * Pays the rank of what is looked for in a ranking, steeply at its top. As in ConvSearch-R1.
 *
 *   R = (19 − k)/9 for rank k ≤ 10, (100 − k)/90 for k ≤ 100, else 0; −0.1 for what is no ranking
 *   late: (19 − k)/9 for k ≤ 10, else −0.2
 *
 * A ranking in which an element is there twice is none.
 */
import { flag, options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { truthColumn } from '../shared_options.ts';
import { comparing, listForm } from '../truth.ts';

const TOP = 10;
const LAST = 100;
const NO_RANKING = -0.1;
const LATE_MISS = -0.2;
const BEST = 2;

export const rankPiecewiseReward = defineReward({
  does: 'The rank of the truth, or of the best of several, in a list without repeats: 2 for the first, 1 for the tenth, 0 from the hundredth on; -0.1 for no such list.',
  options: options({
    late: flag().default(false).describe('Whether only the first ten count, and all others cost 0.2.'),
    column: truthColumn,
  }),
  create: ({ late, column }) =>
    comparing({
      name: 'rank-piecewise',
      range: [LATE_MISS, BEST],
      truth: listForm,
      column,
      ifCut: NO_RANKING,
      score(answer, truth) {
        const ranking = listForm.read(answer);
        if (ranking === undefined || new Set(ranking).size < ranking.length) return NO_RANKING;
        const place = ranking.findIndex((element) => truth.includes(element));
        return rankScore(place < 0 ? Number.POSITIVE_INFINITY : place + 1, late);
      },
    }),
});

function rankScore(rank: number, late: boolean): number {
  if (rank <= TOP) return (19 - rank) / 9;
  if (late) return LATE_MISS;
  return rank <= LAST ? (LAST - rank) / 90 : 0;
}
