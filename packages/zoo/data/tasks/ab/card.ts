import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const abCard = taskCard({
  name: 'ab',
  does: 'Rewrite a program of the tokens A#, #A, B# and #B until no two neighbours face each other.',
  example: ['ab B# A# #B>', 'A#'],
  version: 1,
  category: 'strings',
  tier: 2,
  knobs: {
    length: integer({ min: 5, max: 30, example: 8 }).default(8).describe('Tokens of a program, at most.'),
  },
  levels: [{ length: 5 }, {}, { length: 12 }, { length: 20 }],
  attributes: { length: [5, 8, 12, 20] },
});

export type AbKnobs = KnobsOf<typeof abCard>;
