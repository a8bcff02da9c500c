/** What an opponent at Kuhn poker does, and what that makes pass and bet worth: all of it exact. */

export const CARDS = 'JQK';
/** Where the player who is asked sits: 1 acts first, 2 has seen the opponent pass, 3 has seen him bet. */
export type Seat = 1 | 2 | 3;

/** In how many of 9 hands an opponent bets a jack, and calls with a queen. */
export interface Habits {
  readonly bluffs: number;
  readonly calls: number;
}

interface Asked extends Habits {
  readonly card: string;
  readonly seat: Seat;
}

const ALWAYS = 9;

/** In how many of 9 hands a player opens the betting. @param afterPass  the opponent has passed before */
export function opens(card: string, { bluffs }: Habits, afterPass: boolean): number {
  if (card === 'J') return bluffs;
  if (card === 'Q') return 0;
  return afterPass ? ALWAYS : Math.min(ALWAYS, 3 * bluffs);
}

/** In how many of 9 hands he calls a bet. */
export function answersBet(card: string, { calls }: Habits): number {
  return card === 'K' ? ALWAYS : card === 'Q' ? calls : 0;
}

/** 1 to the higher card, -1 to the lower one. */
export const showdown = (own: string, other: string): number => (CARDS.indexOf(own) > CARDS.indexOf(other) ? 1 : -1);

/**
 * The cards that the opponent may have, each with a weight by how often he comes to where one is asked.
 *
 * Where he would never have done what was seen, he did it with either card.
 */
export function chancesOfCards(asked: Asked, passed = false): { readonly card: string; readonly weight: number }[] {
  const { card: own, seat } = asked;
  const weightOf = (card: string): number => {
    if (seat === 1) return passed ? opens(card, asked, true) : 1;
    const bets = opens(card, asked, false);
    return seat === 2 ? ALWAYS - bets : bets;
  };
  const others = CARDS.split('').filter((card) => card !== own);
  const weighted = others.map((card) => ({ card, weight: weightOf(card) }));
  return weighted.some(({ weight }) => weight > 0) ? weighted : others.map((card) => ({ card, weight: 1 }));
}

/**
 * Expected chips of passing or betting, with the best play after it.
 *
 * @param bets    bet, or pass
 * @param passed  one has passed first, and the opponent has bet
 */
export function worthOf(asked: Asked, bets: boolean, passed = false): number {
  const { card: own, seat } = asked;
  const cards = chancesOfCards(asked, passed);
  const total = cards.reduce((sum, { weight }) => sum + weight, 0);
  const mean = (worth: (card: string) => number): number =>
    cards.reduce((sum, { card, weight }) => sum + weight * worth(card), 0) / total;
  if (seat === 3 || passed) return bets ? mean((card) => 2 * showdown(own, card)) : -1;
  if (bets) {
    return mean((card) => {
      const called = answersBet(card, asked) / ALWAYS;
      return called * 2 * showdown(own, card) + (1 - called);
    });
  }
  if (seat === 2) return mean((card) => showdown(own, card));
  const opening = mean((card) => opens(card, asked, true) / ALWAYS);
  const checked = mean((card) => (1 - opens(card, asked, true) / ALWAYS) * showdown(own, card));
  return checked + opening * Math.max(worthOf(asked, true, true), worthOf(asked, false, true));
}
