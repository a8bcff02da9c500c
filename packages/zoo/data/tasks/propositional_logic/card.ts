import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const propositionalLogicCard = taskCard({
  name: 'propositional_logic',
  does: 'Conclude from premises what none of them says by itself.',
  example: ['so P->Q, !QvR, P>', 'Q'],
  version: 1,
  category: 'logic',
  tier: 3,
  knobs: {
    variables: integer({ min: 3, max: 5, example: 3 }).default(3).describe('How many variables the premises have.'),
    premises: integer({ min: 2, max: 5, example: 3 }).default(3).describe('How many premises.'),
    depth: integer({ min: 1, max: 2, example: 1 }).default(1).describe('How deep premises are nested, at most.'),
  },
  levels: [{ premises: 2 }, {}, { variables: 4, depth: 2 }, { variables: 5, premises: 4, depth: 2 }],
  attributes: { variables: [3, 4, 5], premises: [2, 3, 4, 5], depth: [1, 2] },
});

export type PropositionalLogicKnobs = KnobsOf<typeof propositionalLogicCard>;
