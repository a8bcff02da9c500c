import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const futoshikiCard = taskCard({
  name: 'futoshiki',
  does: 'Fill in a square of digits that keeps the signs between neighbours.',
  example: ['_>1._>3/.^.v/_<_._<_/..../1._._<4/..^./_.2._.1>', '2143/3412/1324/4231'],
  version: 1,
  category: 'puzzles',
  tier: 2,
  knobs: {
    size: integer({ min: 4, max: 9, example: 4 }).default(4).describe('Rows and columns.'),
    holes: integer({ min: 10, max: 80, example: 60 }).default(60).describe('Percentage of the cells that are open.'),
    signs: integer({ min: 10, max: 60, example: 30 })
      .default(30)
      .describe('Percentage of the pairs of neighbours that have a sign.'),
  },
  levels: [{ holes: 30 }, {}, { size: 5 }, { size: 7 }],
  attributes: { size: [4, 5, 7, 9], holes: [10, 30, 60, 80], signs: [60, 30, 10] },
});

export type FutoshikiKnobs = KnobsOf<typeof futoshikiCard>;
