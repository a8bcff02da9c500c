import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';

export const miniSearchCard = taskCard({
  name: 'mini_search',
  names: ['Search-R1'],
  does: 'Answer a question over several made-up documents, found by a search of words.',
  example: ['deko boss aunt>', '<call>search deko boss</call>'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: {
    people: integer({ min: 3, max: 12, example: 6 }).default(5).describe('People that documents tell of.'),
    hops: integer({ min: 1, max: 4, example: 2 })
      .default(2)
      .describe('Documents from the one that is named to the answer.'),
    tools: toolsKnob(['search']),
  },
  levels: [{ people: 3, hops: 1 }, {}, { people: 8, hops: 3 }],
  attributes: { people: [3, 6, 12], hops: [1, 2, 4] },
});

export type MiniSearchKnobs = KnobsOf<typeof miniSearchCard>;
