import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const knightsKnavesCard = taskCard({
  name: 'knights_knaves',
  names: ['Logic-RL'],
  does: 'Tell who always says the truth (1) and who always lies (0).',
  example: ['A:!B B:!C C:A&B>', '010'],
  version: 1,
  category: 'logic',
  tier: 1,
  knobs: {
    people: integer({ min: 2, max: 6, example: 3 }).default(3).describe('How many people speak.'),
    depth: integer({ min: 1, max: 3, example: 1 }).default(1).describe('How deep statements are nested, at most.'),
  },
  levels: [{ people: 2, depth: 2 }, {}, { people: 4, depth: 2 }, { people: 6, depth: 3 }],
  attributes: { people: [2, 3, 4, 6], depth: [1, 2, 3] },
});

export type KnightsKnavesKnobs = KnobsOf<typeof knightsKnavesCard>;
