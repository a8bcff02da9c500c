import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const topologicalOrderCard = taskCard({
  name: 'topological_order',
  does: 'Order courses so that each follows what it needs.',
  example: ['topo 12 23>', '123'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: {
    courses: integer({ min: 4, max: 9, example: 5 }).default(5).describe('How many courses.'),
  },
  levels: [{ courses: 4 }, {}, { courses: 7 }, { courses: 9 }],
  attributes: { courses: [4, 5, 7, 9] },
});

export type TopologicalOrderKnobs = KnobsOf<typeof topologicalOrderCard>;
