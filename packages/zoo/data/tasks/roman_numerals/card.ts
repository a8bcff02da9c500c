/** What roman_numerals is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 200, max: 3999, example: 400 }).default(400).describe('Largest number.'),
});

export type RomanNumeralsKnobs = Values<typeof KNOBS>;

export const romanNumeralsCard = {
  name: 'roman_numerals',
  does: 'Write a number in Roman numerals, or read one.',
  example: ['roman 14>', 'XIV'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 200 }, {}, { max: 1000 }, { max: 3999 }],
  attributes: { max: [200, 400, 1000, 3999] },
} satisfies TaskCard<RomanNumeralsKnobs>;
