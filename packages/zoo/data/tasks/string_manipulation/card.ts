import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const stringManipulationCard = taskCard({
  name: 'string_manipulation',
  does: 'Rewrite a text by rules, the first that applies, until none does or a text is there again.',
  example: ['ab=c,cc$=a:abcc>', 'ca'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    rules: integer({ min: 2, max: 8, example: 3 }).default(3).describe('Rules, at most.'),
    length: integer({ min: 4, max: 20, example: 6 }).default(6).describe('Letters of the text, at most.'),
    letters: integer({ min: 2, max: 5, example: 3 }).default(3).describe('How many letters of the alphabet are used.'),
  },
  levels: [{ rules: 2, length: 5 }, {}, { rules: 5, length: 10, letters: 4 }, { rules: 8, length: 20, letters: 5 }],
  attributes: { rules: [2, 3, 5, 8], length: [5, 6, 10, 20], letters: [2, 3, 5] },
});

export type StringManipulationKnobs = KnobsOf<typeof stringManipulationCard>;
