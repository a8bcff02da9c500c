import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const boolExpressionCard = taskCard({
  name: 'bool_expression',
  does: 'Evaluate an expression of truth values.',
  example: ['!(T&F)|F>', 'true'],
  version: 1,
  category: 'logic',
  tier: 2,
  knobs: {
    operators: integer({ min: 3, max: 20, example: 5 }).default(5).describe('How often & or | occurs, at most.'),
  },
  levels: [{ operators: 3 }, {}, { operators: 9 }, { operators: 15 }],
  attributes: { operators: [3, 5, 9, 15, 20] },
});

export type BoolExpressionKnobs = KnobsOf<typeof boolExpressionCard>;
