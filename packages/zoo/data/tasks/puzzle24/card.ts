/** What puzzle24 is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  max: integer({ min: 6, max: 13, example: 10 }).default(10).describe('Largest number.'),
});

export type Puzzle24Knobs = Values<typeof KNOBS>;

export const puzzle24Card = {
  name: 'puzzle24',
  does: 'Make 24 of four numbers, each used once.',
  example: ['24: 4 7 8 8>', '(7-8/8)*4'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: KNOBS,
  levels: [{ max: 6 }, {}, { max: 13 }],
  attributes: { max: [6, 10, 13] },
} satisfies TaskCard<Puzzle24Knobs>;
