/** What nim is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { choice, integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  heaps: integer({ min: 2, max: 5, example: 3 }).default(3).describe('Heaps.'),
  most: integer({ min: 2, max: 9, example: 5 }).default(5).describe('Most things in a heap at the start.'),
  opponent: choice(['perfect', 'random'])
    .default('perfect')
    .describe('Who takes in turn: one who wins whatever can be won, or one who takes anything.'),
});

export type NimKnobs = Values<typeof KNOBS>;

export const nimCard = {
  name: 'nim',
  does: 'Take things from heaps in turn with an opponent, so that the last one is yours.',
  example: ['345>', 'a2'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: KNOBS,
  levels: [{ most: 3, opponent: 'random' }, { most: 3 }, {}, { heaps: 4, most: 7 }],
  attributes: { heaps: [2, 3, 4], most: [3, 5, 7], opponent: ['random', 'perfect'] },
} satisfies TaskCard<NimKnobs>;
