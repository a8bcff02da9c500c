import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const fsmSiteCard = taskCard({
  name: 'fsm_site',
  does: 'Find the way to a page of a site, a link a turn: of each page only its own links are seen.',
  example: ['i h ef>', 'e'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: {
    pages: integer({ min: 6, max: 20, example: 16 }).default(16).describe('Pages of the site.'),
    links: integer({ min: 2, max: 3, example: 2 }).default(2).describe('Links of each page, in one direction.'),
    turns: integer({ min: 3, max: 40, example: 6 }).default(6).describe('Links that may be followed.'),
    site: integer({ min: 0, max: 9999, example: 1 })
      .default(1)
      .describe(
        'Number of the site that all problems share, so that it can be learned by heart; 0: every problem has a site of its own, to be explored.',
      ),
  },
  levels: [{ pages: 10, turns: 5 }, {}, { site: 0, pages: 8, turns: 6 }, { site: 0, pages: 12, turns: 8 }],
  attributes: { pages: [10, 13, 16], turns: [10, 8, 6] },
});

export type FsmSiteKnobs = KnobsOf<typeof fsmSiteCard>;
