/**
 * Completions without an answer (invalid, or cut off) have no vote and no reward; of answers with equally many votes,
 * the one given first counts.
 *
 * Where the policy is more often right than wrong this is nearly the true reward; where it is not, the policy collapses
 * to one answer. So the true accuracy is logged beside the share of the majority, and `collapse` is above 0 where that
 * share is high while accuracy has fallen: share · (best accuracy − accuracy), both as moving averages.
 */
import { type GroupStep, method } from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { answerBy, paidByVote, VoteWatch, voteByOption, voteOf } from '../support/rewards/vote.ts';

export const majority = method({
  id: 'majority',
  about: {
    does: 'Rewards the answer that most of a group give; needs no right answers.',
    formula: 'R = 1[answer = mode of the group]',
    source: '2504.16084',
    certainty: 'paper',
    names: ['TTRL'],
  },
  options: { votedReward: changedReward, votedBy: voteByOption },
  conflict: changeConflict,
  tells: ['votes'],
  pays: paysReward('replaces'),
  relabels: true,
  agrees: ['vote_by'],
  create: ({ votedReward, votedBy: by }, stage): GroupStep => {
    const target = targetOf(stage, votedReward);
    const watch = new VoteWatch();
    const answerOf = answerBy(by);
    return {
      scope: 'group',
      apply(groups, { metric }) {
        const votes = groups.map((group) => voteOf(group, answerOf));
        watch.log(groups, votes, metric);
        return groups.map((group, g) => paidByVote(group, votes[g], answerOf, target));
      },
      state: () => watch.state(),
      restore: (state) => watch.restore(state),
    };
  },
});
