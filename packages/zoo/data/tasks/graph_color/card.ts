import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const graphColorCard = taskCard({
  name: 'graph_color',
  does: 'Give the vertices of a graph colours, so that no edge joins two alike.',
  example: ['color 3 5-6 0-3 6-4 1-2 1-5 0-5 6-2 6-3 0-2>', '{"0":1,"1":1,"2":2,"3":2,"4":1,"5":2,"6":3}'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: {
    vertices: integer({ min: 5, max: 15, example: 7 }).default(7).describe('How many vertices.'),
    colors: integer({ min: 3, max: 5, example: 3 }).default(3).describe('How many colours.'),
    edges: integer({ min: 50, max: 100, example: 80 })
      .default(80)
      .describe('Percentage of the pairs of vertices that may have an edge which have one.'),
  },
  checkKnobs: ({ vertices, colors }) =>
    vertices >= colors + 2
      ? []
      : [
          {
            key: 'vertices',
            rule: `must be ${colors + 2} or more: with ${colors} colours hardly any two need be alike`,
          },
        ],
  levels: [{ vertices: 5 }, {}, { vertices: 10, edges: 60 }, { vertices: 15, colors: 4, edges: 70 }],
  attributes: { vertices: [5, 7, 10, 15], colors: [3, 4, 5], edges: [100, 80, 50] },
});

export type GraphColorKnobs = KnobsOf<typeof graphColorCard>;
