import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';

export const lookupCard = taskCard({
  name: 'lookup',
  does: 'Find the age of a friend of a neighbour of somebody: one fact a call, each of which leads to the next.',
  example: ['Bnfa>', '<call>ask B n</call>'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: {
    people: integer({ min: 3, max: 26, example: 8 }).default(8).describe('People that something is known of.'),
    hops: integer({ min: 0, max: 5, example: 2 })
      .default(2)
      .describe('People from the one that is named to the one whose age is asked; each has to be looked up.'),
    tools: toolsKnob(['ask']),
  },
  levels: [{ people: 5, hops: 1 }, {}, { people: 16, hops: 4 }],
  attributes: { people: [4, 8, 26], hops: [0, 2, 5] },
});

export type LookupKnobs = KnobsOf<typeof lookupCard>;
