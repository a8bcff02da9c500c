/**
 * A gap that grows while held-out accuracy does not is a reward that is being gamed. Of a reward of 0 or 1, `youden_j` is
 * Youden's J, the share of right completions that it calls right less that of wrong ones: above 0 training on it raises
 * accuracy however noisy it is, below 0 it lowers it (arXiv:2601.04537). Rewards are read on the scale of a
 * stage: (R − least)/(most − least) over the completions of a step; 0 where all are equal.
 */
import { type CountedRollout, counts, type GroupStep, isRight, meanOf, method } from '../kit.ts';

export const mProxyGap = method({
  id: 'm-proxy-gap',
  about: {
    does: 'Measures how far rewards and verdicts are apart; changes nothing.',
    names: ['proxy gap', 'reward over-optimisation'],
    formula:
      'gap = mean R̃ − mean [right], R̃ the reward scaled to 0 … 1; agreement: of pairs of a right and a wrong one in a group, the share where the right one is paid more, ties half; fooled: share of groups with a right one whose best paid is wrong; youden_j: mean R̃ of right ones − mean R̃ of wrong ones',
    source: 'own',
    certainty: 'own',
    when: 'Beside any reward other than the verdict, to see whether it still means what it should.',
  },
  onlyMeasures: true,
  create: (): GroupStep => ({
    scope: 'group',
    apply(groups, { metric }) {
      const counted = groups.map(({ rollouts }) => rollouts.filter(counts));
      const all = counted.flat();
      if (all.length === 0) return groups;
      const rewards = all.map(({ reward }) => reward);
      const [least, most] = [Math.min(...rewards), Math.max(...rewards)];
      const scaled = (reward: number): number => (most === least ? 0 : (reward - least) / (most - least));
      metric('gap', meanOf(rewards.map(scaled)) - meanOf(all.map((rollout) => (isRight(rollout) ? 1 : 0))));
      const paid = (of: boolean): number[] =>
        all.filter((rollout) => isRight(rollout) === of).map(({ reward }) => scaled(reward));
      if (paid(true).length > 0 && paid(false).length > 0) metric('youden_j', meanOf(paid(true)) - meanOf(paid(false)));
      const mixed = counted.filter((rollouts) => rollouts.some(isRight) && !rollouts.every(isRight));
      if (mixed.length === 0) return groups;
      metric('agreement', meanOf(mixed.flatMap(agreements)));
      metric('fooled', meanOf(mixed.map((rollouts) => (isFooled(rollouts) ? 1 : 0))));
      return groups;
    },
  }),
});

/** The verdict on each pair of a right and a wrong completion: 1 where the right one is paid more, 0.5 where both are paid alike, else 0. */
function agreements(rollouts: readonly CountedRollout[]): number[] {
  const wrong = rollouts.filter((rollout) => !isRight(rollout));
  return rollouts
    .filter(isRight)
    .flatMap(({ reward }) => wrong.map((other) => (1 + Math.sign(reward - other.reward)) / 2));
}

/** Whether a wrong completion is paid more than all right ones. */
function isFooled(rollouts: readonly CountedRollout[]): boolean {
  const best = (right: boolean): number =>
    Math.max(...rollouts.flatMap((rollout) => (isRight(rollout) === right ? [rollout.reward] : [])));
  return best(false) > best(true);
}
