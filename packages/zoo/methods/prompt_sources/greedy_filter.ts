import { integer, keys, method, type PromptSource, STARVED } from '../kit.ts';
import { drawWanted } from '../support/prompts/drawn.ts';

/** Costs one greedy completion of each problem that is drawn. */
export const greedyFilter = method({
  id: 'greedy-filter',
  about: {
    does: 'Leaves out problems that the greedy completion solves.',
    formula: 'asks the problems whose greedy completion is wrong',
    source: '2510.02230',
    certainty: 'paper',
  },
  against: ['few-live-groups', 'all-right'],
  options: keys({
    drawingRounds: integer({ min: 1, max: 100, example: 4 })
      .default(4)
      .describe('Rounds of drawing, after which solved problems fill the empty places.'),
  }),
  readsVerdicts: true,
  create: ({ drawingRounds }): PromptSource => ({
    async next(count, draw, { attempt, metric }) {
      const { items, unwanted, starved } = await drawWanted(count, draw, drawingRounds, async (drawn) =>
        (await attempt(drawn, 'greedy')).map(([verdict]) => verdict.score !== 1),
      );
      metric('solved', unwanted);
      metric(STARVED, starved);
      return items;
    },
  }),
});
