import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

/** What a star is made of, also where its way is searched for. @param arms  by default */
export const starKnobs = (arms: number) => ({
  arms: integer({ min: 2, max: 6, example: 3 }).default(arms).describe('Arms of the star.'),
  length: integer({ min: 2, max: 8, example: 3 }).default(3).describe('Edges of each arm.'),
});

export const pathStarCard = taskCard({
  name: 'path_star',
  does: 'Find the way from the middle of a star to the end of one of its arms.',
  example: ['star xz nP PD ZW Wn Zh nU cD zU: nh>', 'nWZh'],
  version: 1,
  category: 'graphs',
  tier: 2,
  knobs: starKnobs(3),
  levels: [{ arms: 2, length: 2 }, {}, { arms: 4, length: 5 }, { arms: 6, length: 8 }],
  attributes: { arms: [2, 3, 4, 6], length: [2, 3, 5, 8] },
});

export type PathStarKnobs = KnobsOf<typeof pathStarCard>;
