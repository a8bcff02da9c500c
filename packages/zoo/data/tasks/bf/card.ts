import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const bfCard = taskCard({
  name: 'bf',
  does: 'Tell what a Brainf*** program prints.',
  example: ['bf 0: ++[>+++<-]>.+. >', '6 7'],
  version: 1,
  category: 'programs',
  tier: 2,
  knobs: {
    prints: integer({ min: 2, max: 8, example: 3 }).default(3).describe('Times that something is printed, at most.'),
    loops: integer({ min: 0, max: 5, example: 1 }).default(1).describe('Loops, at most; a text of letters has one.'),
    output: choice(['numbers', 'letters']).default('numbers').describe('What a cell is printed as.'),
  },
  levels: [{ loops: 0 }, {}, { prints: 5, loops: 3 }, { prints: 5, output: 'letters' }],
  attributes: { prints: [2, 3, 5, 8], loops: [0, 1, 3, 5] },
});

export type BfKnobs = KnobsOf<typeof bfCard>;
