import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const mastermindCard = taskCard({
  name: 'mastermind',
  does: 'Find a code by guessing: after each guess it is said how many digits are right, and how many are elsewhere.',
  example: ['3 4>', '012'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: {
    pegs: integer({ min: 2, max: 4, example: 3 }).default(3).describe('Digits of the code.'),
    colours: integer({ min: 2, max: 6, example: 4 }).default(4).describe('What each digit may be, from 0.'),
    turns: integer({ min: 2, max: 10, example: 6 }).default(6).describe('Guesses.'),
  },
  levels: [{ pegs: 2, turns: 5 }, {}, { colours: 6, turns: 7 }, { pegs: 4, colours: 6, turns: 7 }],
  attributes: { pegs: [2, 3, 4], colours: [3, 4, 6] },
});

export type MastermindKnobs = KnobsOf<typeof mastermindCard>;
