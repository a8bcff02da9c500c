import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const openRefCard = taskCard({
  name: 'open_ref',
  names: ['open-ended answers', 'reference texts'],
  does: 'Say facts in a sentence of your own; a reference text says them in one of the ways.',
  example: ['tell ana food rice job cook pet cat>', 'ana the cook has a cat and likes rice'],
  version: 2,
  category: 'text',
  tier: 2,
  knobs: {
    facts: integer({ min: 1, max: 4, example: 3 }).default(3).describe('Facts about each of them.'),
    people: integer({ min: 1, max: 3, example: 2 }).default(1).describe('People, a sentence for each.'),
  },
  levels: [{ facts: 2 }, {}, { facts: 4 }, { people: 2 }],
  attributes: { facts: [1, 2, 3, 4], people: [1, 2, 3] },
});

export type OpenRefKnobs = KnobsOf<typeof openRefCard>;
