import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const binairoCard = taskCard({
  name: 'binairo',
  does: 'Fill in a grid of zeros and ones, as many of each and never three in a row.',
  example: ['_1___0/1__010/0____1/__0_01/1__100/0_1__1>', '110100/101010/010011/010101/101100/001011'],
  version: 1,
  category: 'puzzles',
  tier: 2,
  knobs: {
    size: integer({ min: 4, max: 8, example: 6 }).default(6).describe('Rows and columns: 4, 6 or 8.'),
    holes: integer({ min: 10, max: 70, example: 50 }).default(50).describe('Percentage of the cells that are open.'),
  },
  checkKnobs: ({ size }) =>
    size % 2 === 0 ? [] : [{ key: 'size', rule: `must be even: half of a row are ones; for example ${size - 1}` }],
  levels: [{ size: 4 }, { holes: 30 }, {}, { size: 8 }],
  attributes: { size: [4, 6, 8], holes: [10, 30, 50, 70] },
});

export type BinairoKnobs = KnobsOf<typeof binairoCard>;
