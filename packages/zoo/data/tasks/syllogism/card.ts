import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const syllogismCard = taskCard({
  name: 'syllogism',
  does: 'Tell whether a conclusion follows from statements of all, no and some.',
  example: ['all b c, no c a: no a b>', 'yes'],
  version: 1,
  category: 'logic',
  tier: 2,
  knobs: {
    premises: integer({ min: 2, max: 3, example: 2 }).default(2).describe('How many premises, in a chain of terms.'),
  },
  levels: [{}, { premises: 3 }],
  attributes: { premises: [2, 3] },
});

export type SyllogismKnobs = KnobsOf<typeof syllogismCard>;
