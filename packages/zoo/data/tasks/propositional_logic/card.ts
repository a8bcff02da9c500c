/** What propositional_logic is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  variables: integer({ min: 3, max: 5, example: 3 }).default(3).describe('How many variables the premises have.'),
  premises: integer({ min: 2, max: 5, example: 3 }).default(3).describe('How many premises.'),
  depth: integer({ min: 1, max: 2, example: 1 }).default(1).describe('How deep premises are nested, at most.'),
});

export type PropositionalLogicKnobs = Values<typeof KNOBS>;

export const propositionalLogicCard = {
  name: 'propositional_logic',
  does: 'Conclude from premises what none of them says by itself.',
  example: ['so P->Q, !QvR, P>', 'Q'],
  version: 1,
  category: 'logic',
  tier: 3,
  knobs: KNOBS,
  levels: [{ premises: 2 }, {}, { variables: 4, depth: 2 }, { variables: 5, premises: 4, depth: 2 }],
  attributes: { variables: [3, 4, 5], premises: [2, 3, 4, 5], depth: [1, 2] },
} satisfies TaskCard<PropositionalLogicKnobs>;
