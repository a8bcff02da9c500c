import { flag, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const rankingCard = taskCard({
  name: 'ranking',
  does: 'Rank documents by how many letters of a query they have, the most first.',
  example: ['rank abc 1dxa 2cab 3xyq>', '2,1,3'],
  version: 1,
  category: 'knowledge',
  tier: 2,
  knobs: {
    documents: integer({ min: 2, max: 9, example: 4 }).default(4).describe('How many documents are ranked.'),
    letters: integer({ min: 2, max: 6, example: 3 })
      .default(3)
      .describe('Letters of the query; a document has as many.'),
    scores: flag().default(false).describe('Each document is given its grade too, as `2:3,1:0`.'),
  },
  levels: [{ documents: 3, letters: 2 }, {}, { documents: 6, letters: 4 }, { documents: 8, letters: 5, scores: true }],
  attributes: { documents: [3, 5, 9], letters: [2, 4, 6], scores: [false, true] },
});

export type RankingKnobs = KnobsOf<typeof rankingCard>;
