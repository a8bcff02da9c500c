import { integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const dyckCard = taskCard({
  name: 'dyck',
  does: 'Close the brackets that are open.',
  example: ['close ([{>', '}])'],
  version: 1,
  category: 'strings',
  tier: 1,
  knobs: {
    depth: integer({ min: 3, max: 12, example: 4 }).default(4).describe('Most brackets that stay open.'),
    kinds: integer({ min: 2, max: 4, example: 3 }).default(3).describe('Kinds of brackets, of ( [ { <.'),
    closed: integer({ min: 0, max: 12, example: 2 }).default(2).describe('Most pairs inside that are closed already.'),
  },
  levels: [{ depth: 3, closed: 1 }, {}, { depth: 6, closed: 4 }, { depth: 12, kinds: 4, closed: 12 }],
  attributes: { depth: [3, 4, 6, 12], kinds: [2, 3, 4], closed: [0, 2, 4, 12] },
});

export type DyckKnobs = KnobsOf<typeof dyckCard>;
