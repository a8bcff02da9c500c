/** What mastermind is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  pegs: integer({ min: 2, max: 4, example: 3 }).default(3).describe('Digits of the code.'),
  colours: integer({ min: 2, max: 6, example: 4 }).default(4).describe('What each digit may be, from 0.'),
  turns: integer({ min: 2, max: 10, example: 6 }).default(6).describe('Guesses.'),
});

export type MastermindKnobs = Values<typeof KNOBS>;

export const mastermindCard = {
  name: 'mastermind',
  does: 'Find a code by guessing: after each guess it is said how many digits are right, and how many are elsewhere.',
  example: ['3 4>', '012'],
  version: 1,
  category: 'environments',
  tier: 2,
  knobs: KNOBS,
  levels: [{ pegs: 2, turns: 5 }, {}, { colours: 6, turns: 7 }, { pegs: 4, colours: 6, turns: 7 }],
  attributes: { pegs: [2, 3, 4], colours: [3, 4, 6] },
} satisfies TaskCard<MastermindKnobs>;
