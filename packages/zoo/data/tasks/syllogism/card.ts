/** What syllogism is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  premises: integer({ min: 2, max: 3, example: 2 }).default(2).describe('How many premises, in a chain of terms.'),
});

export type SyllogismKnobs = Values<typeof KNOBS>;

export const syllogismCard = {
  name: 'syllogism',
  does: 'Tell whether a conclusion follows from statements of all, no and some.',
  example: ['all b c, no c a: no a b>', 'yes'],
  version: 1,
  category: 'logic',
  tier: 2,
  knobs: KNOBS,
  levels: [{}, { premises: 3 }],
  attributes: { premises: [2, 3] },
} satisfies TaskCard<SyllogismKnobs>;
