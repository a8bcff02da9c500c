/**
 * As in Co-Reward. A habit that one prompt sets off, such as answering with its last number, wins its own vote, and
 * seldom that of the twin. The `twin` source asks each problem under two prompts; a problem whose twin is not asked in
 * the same round has no reward.
 */
import { type GroupStep, method } from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { answerBy, paidByVote, VoteWatch, voteByOption, voteOf } from '../support/rewards/vote.ts';

const TWIN = '/twin';

export const crossMajority = method({
  id: 'cross-majority',
  about: {
    does: 'Rewards the answer that most completions of the same problem give under another prompt; needs no right answers.',
    names: ['Co-Reward'],
    formula: "R(y on q) = 1[answer = mode of the twin q'], and the other way round",
    source: '2508.00410',
    certainty: 'paper',
  },
  against: ['wrong-majority'],
  options: { twinVotedReward: changedReward, twinVotedBy: voteByOption },
  conflict: changeConflict,
  warn: (_, { promptSource }) =>
    promptSource.some(({ name }) => name === 'twin')
      ? undefined
      : 'pays the majority of a twin, and nothing asks twins: no completion will have a reward; put twin last in prompt_source',
  tells: ['votes'],
  pays: paysReward('replaces'),
  relabels: true,
  agrees: ['vote_by'],
  create: ({ twinVotedReward, twinVotedBy: by }, stage): GroupStep => {
    const target = targetOf(stage, twinVotedReward);
    const watch = new VoteWatch();
    const answerOf = answerBy(by);
    return {
      scope: 'group',
      apply(groups, { metric }) {
        const votes = groups.map((group) => voteOf(group, answerOf));
        watch.log(groups, votes, metric);
        const byId = new Map(groups.map(({ item }, g) => [item.id, votes[g]]));
        const partners = groups.map(({ item: { id } }) =>
          byId.get(id.endsWith(TWIN) ? id.slice(0, -TWIN.length) : `${id}${TWIN}`),
        );
        metric('paired', partners.filter((vote) => vote !== undefined).length / groups.length);
        return groups.map((group, g) => paidByVote(group, partners[g], answerOf, target));
      },
      state: () => watch.state(),
      restore: (state) => watch.restore(state),
    };
  },
});
