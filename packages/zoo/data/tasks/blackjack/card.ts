import { flag } from '../../../../../src/options/keys.ts';
import { type KnobsOf, taskCard } from '../../task_card.ts';

export const blackjackCard = taskCard({
  name: 'blackjack',
  does: 'Play a hand of blackjack against a dealer: take cards, and stop before the hand is over 21.',
  example: ['A6 17 7>', 'h'],
  version: 1,
  category: 'environments',
  tier: 1,
  knobs: {
    totals: flag().default(true).describe('The prompt, and what is said of a card, have the total of the hand.'),
    soft_17: flag().default(false).describe('The dealer takes another card at 17 with an ace that counts 11.'),
  },
  levels: [{}, { totals: false }, { totals: false, soft_17: true }],
  attributes: { totals: [true, false], soft_17: [false, true] },
});

export type BlackjackKnobs = KnobsOf<typeof blackjackCard>;
