/** What tower_of_hanoi is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  disks: integer({ min: 4, max: 7, example: 5 }).default(5).describe('Disks, at most.'),
  pegs: integer({ min: 3, max: 4, example: 3 }).default(3).describe('Pegs.'),
});

export type TowerOfHanoiKnobs = Values<typeof KNOBS>;

export const towerOfHanoiCard = {
  name: 'tower_of_hanoi',
  does: 'Move all disks to one peg, never a larger one onto a smaller one.',
  example: ['hanoi ABC: AAB C>', 'BC AB AC BC'],
  version: 1,
  category: 'plans',
  tier: 2,
  knobs: KNOBS,
  levels: [{ disks: 4 }, {}, { pegs: 4 }, { disks: 7, pegs: 4 }],
  attributes: { disks: [4, 5, 6, 7], pegs: [3, 4] },
} satisfies TaskCard<TowerOfHanoiKnobs>;
