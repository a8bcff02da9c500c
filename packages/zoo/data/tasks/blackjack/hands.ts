/**
 * Hands of blackjack and what they are worth, from an endless deck: each card is any of 13 ranks, four of which count 10.
 * Rules of Sutton & Barto, Reinforcement Learning (2018), example 5.1, where 21 of two cards is like any other 21.
 */
import type { Rng } from '../../../../../src/kernels/philox.ts';

/** Ranks by what they count: an ace 1 or 11. */
export const RANKS = 'A23456789T';
/** How many of 13 ranks count that. */
const WEIGHTS = [1, 1, 1, 1, 1, 1, 1, 1, 1, 4];
const RANKS_IN_ALL = 13;

export const MOST = 21;
const DEALER_STOPS = 17;

/** Cards with every ace as 1, and whether there is one: what follows depends on nothing else. */
export interface Hand {
  readonly low: number;
  readonly hasAce: boolean;
}

export const drawCard = (rng: Rng): string => RANKS[rng.weighted(WEIGHTS)];

/** How often a card is drawn, of 13. */
export const weightOf = (card: string): number => WEIGHTS[RANKS.indexOf(card)];

function withCard({ low, hasAce }: Hand, count: number): Hand {
  return { low: low + count, hasAce: hasAce || count === 1 };
}

export function handOf(cards: string): Hand {
  return cards
    .split('')
    .reduce<Hand>((hand, card) => withCard(hand, RANKS.indexOf(card) + 1), { low: 0, hasAce: false });
}

const isSoft = ({ low, hasAce }: Hand): boolean => hasAce && low + 10 <= MOST;

/** An ace counts 11 where that is not over 21. */
export const totalOf = (hand: Hand): number => hand.low + (isSoft(hand) ? 10 : 0);

/** Whether the dealer takes another card. @param soft17  he does at 17 with an ace that counts 11 */
export function dealerTakes(hand: Hand, soft17: boolean): boolean {
  const total = totalOf(hand);
  return total < DEALER_STOPS || (soft17 && total === DEALER_STOPS && isSoft(hand));
}

/** 1 won, 0 a draw, -1 lost, to the player. */
export function returnOf(player: Hand, dealer: Hand): number {
  const [own, other] = [totalOf(player), totalOf(dealer)];
  if (own > MOST) return -1;
  return other > MOST ? 1 : Math.sign(own - other);
}

/** Remembered by hand, the dealer's card and his rule: a few thousand numbers. */
const known = new Map<string, number>();

function remembered(key: string, compute: () => number): number {
  const value = known.get(key) ?? compute();
  known.set(key, value);
  return value;
}

const keyOf = ({ low, hasAce }: Hand): string => `${low}${hasAce ? 'A' : ''}`;

function meanOverCards(hand: Hand, worthOf: (next: Hand) => number): number {
  return WEIGHTS.reduce((sum, weight, i) => sum + weight * worthOf(withCard(hand, i + 1)), 0) / RANKS_IN_ALL;
}

/** Expected return of standing, in [-1, 1]. */
export function valueOfStanding(hand: Hand, dealer: Hand, soft17: boolean): number {
  return remembered(`standing ${totalOf(hand)} ${keyOf(dealer)} ${soft17}`, () =>
    dealerTakes(dealer, soft17)
      ? meanOverCards(dealer, (next) => valueOfStanding(hand, next, soft17))
      : returnOf(hand, dealer),
  );
}

/** Expected return of taking a card and playing as well as can be from there. */
export function valueOfHitting(hand: Hand, dealer: Hand, soft17: boolean): number {
  return remembered(`hitting ${keyOf(hand)} ${keyOf(dealer)} ${soft17}`, () =>
    meanOverCards(hand, (next) => (totalOf(next) > MOST ? -1 : bestValue(next, dealer, soft17))),
  );
}

/** Expected return of the best play. */
export function bestValue(hand: Hand, dealer: Hand, soft17: boolean): number {
  return Math.max(valueOfStanding(hand, dealer, soft17), valueOfHitting(hand, dealer, soft17));
}
