import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const numberSequenceCard = taskCard({
  name: 'number_sequence',
  does: 'Find the next number of a sequence.',
  example: ['seq 3 5 9 17 33>', '65'],
  version: 1,
  category: 'logic',
  tier: 2,
  knobs: {
    complexity: integer({ min: 1, max: 3, example: 2 }).default(2).describe('The most difficult kind of rules.'),
    terms: integer({ min: 5, max: 10, example: 6 }).default(6).describe('Numbers that are shown, at most.'),
    max: integer({ min: 5, max: 50, example: 10 }).default(10).describe('Largest number of a start, and of a step.'),
  },
  levels: [{ complexity: 1 }, {}, { complexity: 3 }, { complexity: 3, terms: 8, max: 50 }],
  attributes: { complexity: [1, 2, 3], terms: [5, 6, 8, 10], max: [5, 10, 50] },
});

export type NumberSequenceKnobs = KnobsOf<typeof numberSequenceCard>;
