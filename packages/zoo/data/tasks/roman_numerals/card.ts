import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const romanNumeralsCard = taskCard({
  name: 'roman_numerals',
  does: 'Write a number in Roman numerals, or read one.',
  example: ['roman 14>', 'XIV'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    max: integer({ min: 200, max: 3999, example: 400 }).default(400).describe('Largest number.'),
  },
  levels: [{ max: 200 }, {}, { max: 1000 }, { max: 3999 }],
  attributes: { max: [200, 400, 1000, 3999] },
});

export type RomanNumeralsKnobs = KnobsOf<typeof romanNumeralsCard>;
