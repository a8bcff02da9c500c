/** What ab is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  length: integer({ min: 5, max: 30, example: 8 }).default(8).describe('Tokens of a program, at most.'),
});

export type AbKnobs = Values<typeof KNOBS>;

export const abCard = {
  name: 'ab',
  does: 'Rewrite a program of the tokens A#, #A, B# and #B until no two neighbours face each other.',
  example: ['ab B# A# #B>', 'A#'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: KNOBS,
  levels: [{ length: 5 }, {}, { length: 12 }, { length: 20 }],
  attributes: { length: [5, 8, 12, 20] },
} satisfies TaskCard<AbKnobs>;
