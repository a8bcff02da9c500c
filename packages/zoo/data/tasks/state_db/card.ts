import { choice, integer } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';
import { toolsKnob } from '../../tools/tools_knob.ts';

export const stateDbCard = taskCard({
  name: 'state_db',
  does: 'Look up the orders of a customer, treat each as a policy says, and leave all others alone.',
  example: ['k sr dc>', '<call>orders k</call>'],
  version: 2,
  category: 'environments',
  tier: 2,
  knobs: {
    world: choice(['shop', 'airline'])
      .default('shop')
      .describe('What the question in English tells of: orders of customers, or bookings of travellers.'),
    orders: integer({ min: 2, max: 9, example: 4 }).default(4).describe('Orders in the tables.'),
    rules: integer({ min: 1, max: 3, example: 2 })
      .default(2)
      .describe('Rules of the policy, each for orders of one kind.'),
    bounds: integer({ min: 0, max: 100, example: 50 })
      .default(0)
      .describe('Percentage of the rules that hold for orders below a price alone.'),
    tools: toolsKnob(['orders', 'act']),
  },
  levels: [
    { orders: 3, rules: 1 },
    {},
    { orders: 6, rules: 3, bounds: 50 },
    { orders: 9, rules: 3, bounds: 70, world: 'airline' },
  ],
  attributes: { orders: [2, 4, 9], rules: [1, 2, 3], bounds: [0, 50, 100], world: ['shop', 'airline'] },
});

export type StateDbKnobs = KnobsOf<typeof stateDbCard>;
