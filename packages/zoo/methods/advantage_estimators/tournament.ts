/**
 * One comparison with an anchor seeds the draw. Single elimination follows on the standard bracket, with byes where
 * slots are left; those that leave in the same round are ranked by their mean points. At most 2G − 2 comparisons. Only
 * the order of rewards matters: a draw goes to the better seed, completions of one reward share their ranks, and a group
 * of draws alone gets 0.
 */
import { type AdvantageEstimator, areEqual, deviationOf, meanOf, method, rewardsOf, spreadOut } from '../kit.ts';
import { type Comparator, comparatorOf, PAIR_OPTIONS } from '../support/credit/pairs.ts';

/** The paper's. */
const SMALLEST_DEVIATION = 1e-6;

export const tournament = method({
  id: 'tournament',
  about: {
    does: 'Ranks the completions of a group by a tournament of pairs; the rank is the reward.',
    formula: 'q = 1 − rank/(G − 1); A = (q − mean q)/(std q + 1e-6)',
    source: '2601.06487',
    certainty: 'paper',
  },
  options: PAIR_OPTIONS,
  create: (options): AdvantageEstimator => {
    const compare = comparatorOf(options);
    return {
      isDead: (group) => allDraw(rewardsOf(group), compare),
      estimate: (groups, { rng }) =>
        groups.map((group, g) => {
          const rewards = rewardsOf(group);
          if (allDraw(rewards, compare)) return { advantages: new Float32Array(group.rollouts.length) };
          // Drawn from the sorted rewards: the order within the group does not decide.
          const entrants = rng.fork(String(g)).shuffle([...rewards].sort((a, b) => a - b));
          return { advantages: spreadOut(group.rollouts, scoresByRank(rewards, ranking(entrants, compare))) };
        }),
    };
  },
});

/** The draw alone would decide. */
function allDraw(rewards: readonly number[], compare: Comparator): boolean {
  return rewards.length === 0 || compare(Math.max(...rewards), Math.min(...rewards)) === 0;
}

/** @param ranked  the same rewards, the winner first */
function scoresByRank(rewards: readonly number[], ranked: readonly number[]): number[] {
  const quantiles = rewards.map((reward) => {
    const places = ranked.flatMap((other, place) => (other === reward ? [place] : []));
    return 1 - meanOf(places) / (ranked.length - 1);
  });
  if (areEqual(quantiles)) return quantiles.map(() => 0);
  const [center, divisor] = [meanOf(quantiles), deviationOf(quantiles) + SMALLEST_DEVIATION];
  return quantiles.map((quantile) => (quantile - center) / divisor);
}

interface Entrant {
  readonly reward: number;
  /** Matches played, and points out of them: 1, ½ or 0 each. */
  matches: number;
  points: number;
}

/** The rewards from the winner down. @param rewards  of the entrants; the first is the anchor */
export function ranking(rewards: readonly number[], compare: Comparator): number[] {
  const entrants = rewards.map((reward): Entrant => ({ reward, matches: 0, points: 0 }));
  const meet = (one: Entrant, other: Entrant): number => {
    const outcome = compare(one.reward, other.reward);
    one.matches++;
    other.matches++;
    one.points += (1 + outcome) / 2;
    other.points += (1 - outcome) / 2;
    return outcome;
  };
  const [anchor, ...others] = entrants;
  const seeded = others.map((entrant) => ({ entrant, strength: meet(entrant, anchor) }));
  const seeds = [{ entrant: anchor, strength: 0 }, ...seeded]
    .sort((a, b) => b.strength - a.strength)
    .map(({ entrant }) => entrant);
  let round = bracket(seeds.length).map((seed) => seeds[seed]); // undefined: a bye
  const ranked: Entrant[] = [];
  while (round.length > 1) {
    const [winners, losers]: [Entrant[], Entrant[]] = [[], []];
    for (let pair = 0; pair < round.length; pair += 2) {
      const [one, other] = round.slice(pair, pair + 2);
      if (one === undefined || other === undefined) {
        winners.push(one ?? other);
        continue;
      }
      const outcome = meet(one, other) || seeds.indexOf(other) - seeds.indexOf(one);
      winners.push(outcome > 0 ? one : other);
      losers.push(outcome > 0 ? other : one);
    }
    ranked.unshift(...losers.sort((a, b) => b.points / b.matches - a.points / a.matches));
    round = winners;
  }
  return [...round, ...ranked].map(({ reward }) => reward);
}

/** Seeds slot by slot, for the next power of two: those that meet are side by side, and the best meet last. */
export function bracket(size: number): number[] {
  let slots = [0];
  while (slots.length < size) {
    const doubled = 2 * slots.length;
    slots = slots.flatMap((seed) => [seed, doubled - 1 - seed]);
  }
  return slots;
}
