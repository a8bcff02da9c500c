import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const towerOfHanoiCard = taskCard({
  name: 'tower_of_hanoi',
  does: 'Move all disks to one peg, never a larger one onto a smaller one.',
  example: ['hanoi ABC: AAB C>', 'BC AB AC BC'],
  version: 1,
  category: 'plans',
  tier: 2,
  knobs: {
    disks: integer({ min: 4, max: 7, example: 5 }).default(5).describe('Disks, at most.'),
    pegs: integer({ min: 3, max: 4, example: 3 }).default(3).describe('Pegs.'),
  },
  levels: [{ disks: 4 }, {}, { pegs: 4 }, { disks: 7, pegs: 4 }],
  attributes: { disks: [4, 5, 6, 7], pegs: [3, 4] },
});

export type TowerOfHanoiKnobs = KnobsOf<typeof towerOfHanoiCard>;
