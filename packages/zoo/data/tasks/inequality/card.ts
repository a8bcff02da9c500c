/** What inequality is and which knobs it has. */

import type { ListedCard } from '../../../../../src/data/task.ts';
import { choice, integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  asks: choice(['relation', 'bound'])
    .default('relation')
    .describe('The relation of two sides, whatever x is; or the bound, the least or the largest value of one.'),
  max: integer({ min: 2, max: 20, example: 5 }).default(5).describe('Largest number that a side is made of.'),
});

export type InequalityKnobs = Values<typeof KNOBS>;

export const inequalityCard = {
  name: 'inequality',
  does: 'Find the relation between two quadratic expressions, or the bound of one.',
  example: ['relate x^2-4x+5 and 1>', '>='],
  version: 1,
  category: 'algebra',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 3 }, {}, { asks: 'bound' }, { asks: 'bound', max: 12 }],
  attributes: { asks: ['relation', 'bound'], max: [3, 5, 12] },
} satisfies ListedCard<InequalityKnobs>;
