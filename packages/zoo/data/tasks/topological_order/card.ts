/** What topological_order is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { integer, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  courses: integer({ min: 4, max: 9, example: 5 }).default(5).describe('How many courses.'),
});

export type TopologicalOrderKnobs = Values<typeof KNOBS>;

export const topologicalOrderCard = {
  name: 'topological_order',
  does: 'Order courses so that each follows what it needs.',
  example: ['topo 12 23>', '123'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: KNOBS,
  levels: [{ courses: 4 }, {}, { courses: 7 }, { courses: 9 }],
  attributes: { courses: [4, 5, 7, 9] },
} satisfies TaskCard<TopologicalOrderKnobs>;
