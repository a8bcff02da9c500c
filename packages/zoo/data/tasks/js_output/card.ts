import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const jsOutputCard = taskCard({
  name: 'js_output',
  does: 'Tell what an expression in JavaScript gives.',
  example: ['js [1,2,3].map(x=>x+2).slice(1)>', '[4,5]'],
  version: 1,
  category: 'programs',
  tier: 2,
  knobs: {
    steps: integer({ min: 1, max: 5, example: 1 }).default(1).describe('Methods that are called one after the other.'),
    length: integer({ min: 3, max: 12, example: 5 }).default(5).describe('Elements of the list, at most.'),
  },
  levels: [{}, { steps: 2 }, { steps: 3, length: 7 }, { steps: 5, length: 9 }],
  attributes: { steps: [1, 2, 3, 5], length: [3, 5, 8, 12] },
});

export type JsOutputKnobs = KnobsOf<typeof jsOutputCard>;
