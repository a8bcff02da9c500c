import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const inequalityCard = taskCard({
  name: 'inequality',
  does: 'Find the relation between two quadratic expressions, or the bound of one.',
  example: ['relate x^2-4x+5 and 1>', '>='],
  version: 1,
  category: 'algebra',
  tier: 2,
  knobs: {
    asks: choice(['relation', 'bound'])
      .default('relation')
      .describe('The relation of two sides, whatever x is; or the bound, the least or the largest value of one.'),
    max: integer({ min: 2, max: 20, example: 5 }).default(5).describe('Largest number that a side is made of.'),
  },
  levels: [{ max: 3 }, {}, { asks: 'bound' }, { asks: 'bound', max: 12 }],
  attributes: { asks: ['relation', 'bound'], max: [3, 5, 12] },
});

export type InequalityKnobs = KnobsOf<typeof inequalityCard>;
