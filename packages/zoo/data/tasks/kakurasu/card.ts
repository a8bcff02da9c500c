import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const kakurasuCard = taskCard({
  name: 'kakurasu',
  does: 'Set cells so that the weights of each row and column add up.',
  example: ['kaku 3 4 2 6/4 7 5 2>', '0010/0001/0100/1110'],
  version: 1,
  category: 'puzzles',
  tier: 2,
  knobs: {
    size: integer({ min: 3, max: 9, example: 4 }).default(4).describe('Rows and columns.'),
    ones: integer({ min: 20, max: 80, example: 50 }).default(50).describe('Percentage of the cells that are set.'),
  },
  levels: [{ size: 3 }, {}, { size: 5 }, { size: 8 }],
  attributes: { size: [3, 4, 5, 8, 9], ones: [20, 30, 50] },
});

export type KakurasuKnobs = KnobsOf<typeof kakurasuCard>;
