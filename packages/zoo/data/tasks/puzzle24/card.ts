import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const puzzle24Card = taskCard({
  name: 'puzzle24',
  does: 'Make 24 of four numbers, each used once.',
  example: ['24: 4 7 8 8>', '(7-8/8)*4'],
  version: 1,
  category: 'arithmetic',
  tier: 2,
  knobs: {
    max: integer({ min: 6, max: 13, example: 10 }).default(10).describe('Largest number.'),
  },
  levels: [{ max: 6 }, {}, { max: 13 }],
  attributes: { max: [6, 10, 13] },
});

export type Puzzle24Knobs = KnobsOf<typeof puzzle24Card>;
