import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const rulesCalcCard = taskCard({
  name: 'rules_calc',
  does: 'Apply the rules of a made-up tariff to values, in their order, and give the sum that is due.',
  example: ['due a5 b2: +3 a>4:+2 b<1:-1 +2b>', '9'],
  version: 1,
  category: 'knowledge',
  tier: 1,
  knobs: {
    rules: integer({ min: 1, max: 8, example: 3 }).default(3).describe('Rules of the tariff.'),
    values: integer({ min: 1, max: 4, example: 2 }).default(2).describe('Values that the rules read.'),
    max: integer({ min: 3, max: 99, example: 9 }).default(9).describe('Largest value.'),
  },
  levels: [{ rules: 1, values: 1 }, { rules: 2 }, {}, { rules: 6, values: 3, max: 20 }],
  attributes: { rules: [1, 3, 8], values: [1, 4], max: [9, 99] },
});

export type RulesCalcKnobs = KnobsOf<typeof rulesCalcCard>;
