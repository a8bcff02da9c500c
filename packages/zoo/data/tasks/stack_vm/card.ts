import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const stackVmCard = taskCard({
  name: 'stack_vm',
  does: 'Write a program of a stack machine that does what three examples show.',
  example: ['1:5 2:8 3:11>', '3 * 2 +'],
  version: 1,
  category: 'programs',
  tier: 2,
  parts: ['syntax', 'tests', 'brevity'],
  knobs: {
    degree: integer({ min: 1, max: 2, example: 2 }).default(1).describe('Whether the square of the input matters (2).'),
    max: integer({ min: 5, max: 30, example: 9 })
      .default(9)
      .describe('Largest number that the input is multiplied by, or that is added.'),
  },
  levels: [{}, { max: 20 }, { degree: 2, max: 5 }, { degree: 2, max: 12 }],
  attributes: { degree: [1, 2], max: [5, 9, 20, 30] },
});

export type StackVmKnobs = KnobsOf<typeof stackVmCard>;
