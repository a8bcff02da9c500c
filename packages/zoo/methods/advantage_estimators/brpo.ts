/**
 * Ties get 0, and so does the completion that was drawn. Where all others compare alike, all get 0: the group only
 * showed how good the draw was, so groups need three or more completions. Only the order of rewards matters.
 */
import { type AdvantageEstimator, areEqual, method, rewardsOf, spreadOut } from '../kit.ts';
import { type Comparator, comparatorOf, PAIR_OPTIONS } from '../support/credit/pairs.ts';

export const brpo = method({
  id: 'brpo',
  about: {
    does: 'Compares the completions of a group with one of them, drawn at random: better or worse.',
    formula: 'A_i = sign(R_i − R_b), b drawn; A_b = 0; all 0 where all signs agree',
    source: '2506.00103',
    certainty: 'after the paper',
  },
  options: PAIR_OPTIONS,
  conflict: (_, __, { batch: { numGenerations } }) =>
    numGenerations < 3
      ? `needs two completions beside the one that is drawn, and groups are of ${numGenerations}; raise num_generations to 3 or more`
      : undefined,
  create: (options): AdvantageEstimator => {
    const compare = comparatorOf(options);
    return {
      isDead(group) {
        const rewards = rewardsOf(group);
        return rewards.every((drawn) => comparedWith(drawn, rewards, compare).every((advantage) => advantage === 0));
      },
      estimate: (groups, { rng }) =>
        groups.map((group, g) => {
          const rewards = rewardsOf(group);
          if (rewards.length === 0) return { advantages: new Float32Array(group.rollouts.length) };
          // By rank: the order within the group does not decide; which of several equal ones it is changes nothing.
          const ranked = [...rewards].sort((a, b) => a - b);
          const drawn = rng.fork(String(g)).pick(ranked);
          return { advantages: spreadOut(group.rollouts, comparedWith(drawn, rewards, compare)) };
        }),
    };
  },
});

/** Signs of all rewards compared with that of the one drawn. */
export function comparedWith(drawn: number, rewards: readonly number[], compare: Comparator): number[] {
  const signs = rewards.map((reward) => compare(reward, drawn));
  const others = signs.toSpliced(rewards.indexOf(drawn), 1);
  return areEqual(others) ? signs.map(() => 0) : signs;
}
