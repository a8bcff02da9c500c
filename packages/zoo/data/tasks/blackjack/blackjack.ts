/**
 * A hand of blackjack against a dealer, who takes cards up to 16 and stops at 17.
 *
 *   prompt      A6 17 7>    the hand, its total, and the dealer's first card; A an ace, T ten, jack, queen or king
 *   action      h or s      take a card, or stop
 *   observation 5 12        the card that was taken, and the total with it; ? where that was neither h nor s
 *   won         by more than the dealer has, or by his being over 21; lost with less, or over 21
 *   split       by hash of both cards of the hand, in any order, and the dealer's
 *
 * The score is (return + 1) / 2: 1 won, 0.5 a draw, 0 lost, so that its mean is the mean return on another scale. The
 * column `best_score` is the expected score of the best play, exactly; `mean_score` of a policy is beside it.
 */
import { correct, environmentTask, type Verdict, wrongValue } from '../../kit.ts';
import { type BlackjackKnobs, blackjackCard } from './card.ts';
import {
  bestValue,
  dealerTakes,
  drawCard,
  handOf,
  MOST,
  RANKS,
  returnOf,
  totalOf,
  valueOfHitting,
  valueOfStanding,
  weightOf,
} from './hands.ts';

/** `cards`: the hand, those of the deal in the order of `RANKS`; `dealer`: the card that he shows. */
export type BlackjackItem = { readonly cards: string; readonly dealer: string };

const HIT = 'h';
const STAND = 's';
/** With the tenth card a hand stops by itself: one of a few million gets there. */
const MOST_CARDS = 10;

function dealt(first: string, second: string, dealer: string): BlackjackItem {
  return { cards: RANKS.indexOf(first) <= RANKS.indexOf(second) ? first + second : second + first, dealer };
}

function judged(outcome: number, cards: string): Verdict {
  if (outcome > 0) return correct('won', cards);
  return outcome === 0 ? { ...wrongValue('a draw'), score: 0.5, failure: 'partial' } : wrongValue('lost');
}

/** What is known of a hand, in the notation of the prompt. */
const written = (cards: string, { totals }: BlackjackKnobs, said = cards): string =>
  totals ? `${said} ${totalOf(handOf(cards))}` : said;

export const blackjack = environmentTask<BlackjackItem, BlackjackItem, BlackjackKnobs>(blackjackCard, {
  characters: `${RANKS}01 >hs?`,
  generate: (rng) => dealt(drawCard(rng), drawCard(rng), drawCard(rng)),
  *enumerate() {
    for (const [at, first] of [...RANKS].entries()) {
      for (const second of RANKS.slice(at)) for (const dealer of RANKS) yield { cards: first + second, dealer };
    }
  },
  frequency: ({ cards, dealer }) =>
    (cards[0] === cards[1] ? 1 : 2) * weightOf(cards[0]) * weightOf(cards[1]) * weightOf(dealer),
  key: ({ cards, dealer }) => `blackjack|${cards}|${dealer}`,
  prompt: ({ cards, dealer }, knobs) => `${written(cards, knobs)} ${dealer}>`,
  question: ({ cards, dealer }) =>
    `We play blackjack. You hold ${cards.split('').join(' and ')}, and the dealer shows ${dealer} (A is an ace, T a ten ` +
    `or a face card). Write ${HIT} to take a card, or ${STAND} to stop.`,
  columns: ({ cards, dealer }, { soft_17 }) => ({
    best_score: (bestValue(handOf(cards), handOf(dealer), soft_17) + 1) / 2,
  }),
  start: (item) => item,
  step(state, action, knobs, rng) {
    const { dealer } = state;
    if (action !== HIT && action !== STAND) return { state, observation: '?', illegal: true };
    let { cards } = state;
    if (action === HIT) {
      const card = drawCard(rng);
      cards += card;
      if (totalOf(handOf(cards)) > MOST) return { state: { cards, dealer }, verdict: wrongValue('over 21') };
      if (cards.length < MOST_CARDS) return { state: { cards, dealer }, observation: written(cards, knobs, card) };
    }
    let dealers = dealer;
    while (dealerTakes(handOf(dealers), knobs.soft_17)) dealers += drawCard(rng);
    return { state: { cards, dealer }, verdict: judged(returnOf(handOf(cards), handOf(dealers)), cards) };
  },
  expert({ cards, dealer }, { soft_17 }) {
    const [own, other] = [handOf(cards), handOf(dealer)];
    return valueOfHitting(own, other, soft_17) > valueOfStanding(own, other, soft_17) ? HIT : STAND;
  },
  random: (_, __, rng) => rng.pick([HIT, STAND]),
  mutants: () => ({ 'over 21': Array.from({ length: MOST_CARDS }, () => HIT).join('\n'), 'both at once': HIT + STAND }),
  /** Counted, of 100,000 hands at random: 28 % are won. */
  chance: () => 0.4,
  longest: ({ totals }) => ({
    turns: MOST_CARDS - 2,
    prompt: totals ? 8 : 5,
    action: 1,
    observation: totals ? 4 : 1,
    question: 200,
  }),
  chanceDecides: () => true,
});
