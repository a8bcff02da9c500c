/**
 * A hard negative weighs more than one that would hardly ever be drawn. ReRe's ranking reward, arXiv:2510.12211. A group
 * that is all right, or all wrong, is left as it is.
 */
import { carriesLoss, counts, type GroupStep, keys, method, number, type Rollout } from '../kit.ts';

export const rankPenalty = method({
  id: 'rank-penalty',
  about: {
    does: 'Punishes wrong completions the more, the likelier the policy found them.',
    names: ['ReRe', 'ranking reward', 'hard negatives'],
    formula:
      'R_k − rank_weight·(1/ln(ρ_k + 1))/Σ_wrong(1/ln(ρ + 1)) of a wrong one, ρ its place by log-prob in the group',
    source: '2510.12211',
    certainty: 'after the paper',
    when: 'Where the policy is sure of wrong answers; where all are wrong it pushes without saying where to.',
  },
  options: keys({
    rankWeight: number({ min: 0, example: 1 })
      .default(1)
      .describe('What the wrong completions of a group lose together.'),
  }),
  pays: { does: 'changes' },
  readsVerdicts: true,
  create: ({ rankWeight }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) =>
      groups.map((group) => {
        const members = group.rollouts.filter((rollout) => counts(rollout) && rollout.reward !== null);
        const wrong = members.filter(({ verdict }) => verdict.score !== 1);
        if (rankWeight === 0 || wrong.length === 0 || wrong.length === members.length) return group;
        const likeliest = [...members].sort((a, b) => logprobOf(b) - logprobOf(a));
        const shares = new Map(wrong.map((rollout) => [rollout, 1 / Math.log(likeliest.indexOf(rollout) + 2)]));
        const sum = [...shares.values()].reduce((all, share) => all + share, 0);
        metric('heaviest', Math.max(...shares.values()) / sum);
        return {
          ...group,
          rollouts: group.rollouts.map((rollout) => {
            const share = shares.get(rollout);
            if (share === undefined || rollout.reward === null) return rollout;
            return { ...rollout, reward: rollout.reward - (rankWeight * share) / sum };
          }),
        };
      }),
  }),
});

/** Sum over the tokens that the policy has written itself. */
function logprobOf(rollout: Rollout): number {
  return rollout.logprobs.reduce((sum, logprob, t) => (carriesLoss(rollout, t) ? sum + logprob : sum), 0);
}
