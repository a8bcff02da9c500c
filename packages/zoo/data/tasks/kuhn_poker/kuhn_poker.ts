/**
 * Kuhn poker, H. W. Kuhn (1950), against a fixed opponent: three cards, J below Q below K, one each, and one chip each in
 * the pot. A player passes or bets one chip; after a bet the other one passes, which loses the pot, or bets too, which
 * calls. After two passes or two bets the higher card wins.
 *
 *   prompt      Q 1 b3 c6>    the card, the seat (1 acts first, 2 has seen a pass, 3 a bet), and the opponent's habits
 *   action      p or b        pass or bet
 *   observation b             what the opponent does, where it is one's turn after it; ? where that was neither p nor b
 *   won         chips
 *   split       by hash of the prompt
 *
 * Of 9 hands the opponent bets a jack in `b`, to bluff, and calls with a queen in `c`. A king he bets where that is first
 * asked as often as three times a bluff, at most always, after a pass always, and always calls with; a queen he never bets,
 * and with a jack he never calls. With b = c = 3 that is the equilibrium of the second player; of the first it is every
 * b ≤ 3 with c = b + 3. (Hoehn, Southey, Holte & Bulitko, Effective short-term opponent exploitation in simplified poker,
 * 2005, name the same families.)
 *
 * The score is (chips + 2) / 4: from 0, two lost, to 1, two won. The column `best_score` is the expected score of the best
 * response, exactly.
 */
import { correct, environmentTask, type Rng, type Verdict, wrongValue } from '../../kit.ts';
import { type KuhnPokerKnobs, kuhnPokerCard } from './card.ts';
import { answersBet, CARDS, chancesOfCards, opens, type Seat, showdown, worthOf } from './strategies.ts';

export type KuhnPokerItem = {
  readonly card: string;
  readonly seat: Seat;
  readonly bluffs: number;
  readonly calls: number;
};
/** `other`: the opponent's card. `passed`: the policy has passed first, and the opponent has bet. */
export type KuhnPokerState = KuhnPokerItem & { readonly other: string; readonly passed: boolean };

const PASS = 'p';
const BET = 'b';
const VALUES = { extreme: [0, 9], some: [0, 3, 6, 9], all: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] } as const;

function judged(chips: number, action: string): Verdict {
  const score = (chips + 2) / 4;
  if (score === 1) return correct('two chips won', action);
  const said = `${Math.abs(chips)} ${chips > 0 ? 'won' : 'lost'}`;
  return score === 0 ? wrongValue(said) : { ...wrongValue(said), score, failure: 'partial' };
}

/** Whether something that happens in this many of 9 hands does. */
const happens = (ninths: number, rng: Rng): boolean => rng.int(0, 8) < ninths;

export const kuhnPoker = environmentTask<KuhnPokerItem, KuhnPokerState, KuhnPokerKnobs>(kuhnPokerCard, {
  characters: `${CARDS}0123456789 bcp>?`,
  generate: (rng, { opponents }) => ({
    card: rng.pick([...CARDS]),
    seat: rng.pick<Seat>([1, 2, 3]),
    bluffs: rng.pick([...VALUES[opponents]]),
    calls: rng.pick([...VALUES[opponents]]),
  }),
  key: ({ card, seat, bluffs, calls }) => `kuhn_poker|${card}|${seat}|${bluffs}|${calls}`,
  prompt: ({ card, seat, bluffs, calls }) => `${card} ${seat} b${bluffs} c${calls}>`,
  columns: (item) => ({ best_score: (Math.max(worthOf(item, true), worthOf(item, false)) + 2) / 4 }),
  start(item, _, rng) {
    const chances = chancesOfCards(item);
    return { ...item, other: chances[rng.weighted(chances.map(({ weight }) => weight))].card, passed: false };
  },
  step(state, action, _, rng) {
    if (action !== PASS && action !== BET) return { state, observation: '?', illegal: true };
    const { card, other, seat, passed } = state;
    const ended = (chips: number) => ({ state, verdict: judged(chips, action) });
    const facesBet = seat === 3 || passed;
    if (facesBet) return ended(action === PASS ? -1 : 2 * showdown(card, other));
    if (action === BET) return ended(happens(answersBet(other, state), rng) ? 2 * showdown(card, other) : 1);
    if (seat === 2) return ended(showdown(card, other));
    if (!happens(opens(other, state, true), rng)) return ended(showdown(card, other));
    return { state: { ...state, passed: true }, observation: BET };
  },
  expert: (state) => (worthOf(state, true, state.passed) > worthOf(state, false, state.passed) ? BET : PASS),
  random: (_, __, rng) => rng.pick([PASS, BET]),
  mutants: () => ({ 'both at once': PASS + BET }),
  /** Two chips are won with a bet that is called alone. */
  chance: () => 0.5,
  longest: () => ({ turns: 2, prompt: 10, action: 1, observation: 1 }),
  chanceDecides: () => true,
});
