/** What blackjack is and which knobs it has. */

import type { TaskCard } from '../../../../../src/data/task.ts';
import { flag, options, type Values } from '../../../../../src/options/keys.ts';

const KNOBS = options({
  totals: flag().default(true).describe('The prompt, and what is said of a card, have the total of the hand.'),
  soft_17: flag().default(false).describe('The dealer takes another card at 17 with an ace that counts 11.'),
});

export type BlackjackKnobs = Values<typeof KNOBS>;

export const blackjackCard = {
  name: 'blackjack',
  does: 'Play a hand of blackjack against a dealer: take cards, and stop before the hand is over 21.',
  example: ['A6 17 7>', 'h'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: KNOBS,
  levels: [{}, { totals: false }, { totals: false, soft_17: true }],
  attributes: { totals: [true, false], soft_17: [false, true] },
} satisfies TaskCard<BlackjackKnobs>;
