/** What bool_expression is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  operators: integer({ min: 3, max: 20, example: 5 }).default(5).describe('How often & or | occurs, at most.'),
});

export type BoolExpressionKnobs = Values<typeof KNOBS>;

export const boolExpressionCard = {
  name: 'bool_expression',
  does: 'Evaluate an expression of truth values.',
  example: ['!(T&F)|F>', 'true'],
  version: 1,
  category: 'logic',
  tier: 2,
  knobs: KNOBS,
  levels: [{ operators: 3 }, {}, { operators: 9 }, { operators: 15 }],
  attributes: { operators: [3, 5, 9, 15, 20] },
} satisfies TaskCard<BoolExpressionKnobs>;
