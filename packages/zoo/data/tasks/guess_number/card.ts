import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const guessNumberCard = taskCard({
  name: 'guess_number',
  does: 'Find a hidden number by guessing: after each guess it is said whether the number is lower or higher.',
  example: ['37 51>', '44'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: {
    max: integer({ min: 9, max: 9999, example: 99 }).default(99).describe('Numbers lie between 0 and this one.'),
    numbers: integer({ min: 2, max: 1023, example: 15 })
      .default(15)
      .describe(
        'How many numbers, one after the other, the hidden one is among; the prompt says the first and the last.',
      ),
    turns: integer({ min: 1, max: 16, example: 4 })
      .default(4)
      .describe('Guesses. Halving finds one of 15 numbers in 4, of 31 in 5.'),
  },
  checkKnobs: ({ max, numbers }) =>
    numbers <= max + 1 ? [] : [{ key: 'numbers', rule: `at most ${max + 1}, as many as there are up to max` }],
  levels: [{ numbers: 7, turns: 3 }, {}, { numbers: 31, turns: 5 }, { max: 999, numbers: 63, turns: 6 }],
  attributes: { numbers: [3, 7, 15], max: [50, 99, 999] },
});

export type GuessNumberKnobs = KnobsOf<typeof guessNumberCard>;
