import { flag, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const stackMachineCard = taskCard({
  name: 'stack_machine',
  does: 'Run a program of a stack machine and give the stack at its end.',
  example: ['vm 3 4 + dup *>', '49'],
  version: 1,
  category: 'programs',
  tier: 2,
  knobs: {
    length: integer({ min: 4, max: 20, example: 6 }).default(6).describe('Instructions, at most.'),
    max: integer({ min: 5, max: 99, example: 9 }).default(9).describe('Largest number of a program.'),
    moves: flag().default(true).describe('Instructions dup, swap, over and drop beside + - *.'),
  },
  levels: [{ length: 5, moves: false }, {}, { length: 10 }, { length: 16, max: 20 }],
  attributes: { length: [5, 6, 10, 16, 20], max: [5, 9, 20, 99] },
});

export type StackMachineKnobs = KnobsOf<typeof stackMachineCard>;
