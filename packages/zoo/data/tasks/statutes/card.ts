import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const statutesCard = taskCard({
  name: 'statutes',
  does: 'Decide a case by the rules of a made-up statute, and name the rule that decides it.',
  example: ['case a b: 1a+q 2b-q 3q+r, r>', 'no 0'],
  version: 1,
  category: 'logic',
  tier: 2,
  knobs: {
    rules: integer({ min: 1, max: 9, example: 4 }).default(4).describe('Rules of the statute.'),
    facts: integer({ min: 1, max: 5, example: 2 }).default(2).describe('Facts of the case.'),
  },
  levels: [{ rules: 2, facts: 1 }, {}, { rules: 6, facts: 3 }, { rules: 9, facts: 5 }],
  attributes: { rules: [1, 3, 6, 9], facts: [1, 3, 5] },
});

export type StatutesKnobs = KnobsOf<typeof statutesCard>;
