/**
 * A part of each round is kept whatever its share, the surest first, so that a policy that is sure of nothing yet still
 * learns. After the label selection of TraPO, which looks at how shares move from epoch to epoch and needs some labels
 * for that; this looks at the share alone. How often the kept labels are right, and how often all would have been, is
 * logged and not paid.
 */
import { type GroupStep, keys, meanOf, method, number, tells } from '../kit.ts';
import { answerBy, type Vote, voteByOption, voteOf } from '../support/rewards/vote.ts';

export const pseudoLabelSelect = method({
  id: 'pseudo-label-select',
  about: {
    does: 'Leaves out groups whose majority is not sure, for steps that pay votes.',
    formula: 'keeps share of the mode ≥ sure, and the top·G groups of the largest share of a round',
    source: 'own',
    certainty: 'own',
  },
  against: ['wrong-majority'],
  options: keys({
    sure: number({ above: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Least share of the commonest answer of a group that is kept.'),
    top: number({ min: 0, max: 1, example: 0.1 })
      .default(0.1)
      .describe('Share of the groups of a round that is kept in any case, the surest, rounded up.'),
    surenessBy: voteByOption,
  }),
  warn: (_, __, ___, members) =>
    tells(members, 'votes')
      ? undefined
      : 'leaves out groups by their votes, and nothing pays votes: hard problems would be lost; add majority to group_steps',
  agrees: ['vote_by'],
  create: ({ sure, top, surenessBy }): GroupStep => {
    const answerOf = answerBy(surenessBy);
    return {
      scope: 'group',
      apply(groups, { metric }) {
        const votes = groups.map((group) => voteOf(group, answerOf));
        const bySureness = [...votes.keys()].sort((a, b) => votes[b].share - votes[a].share || a - b);
        const surest = new Set(bySureness.slice(0, Math.ceil(top * groups.length)));
        const isKept = votes.map(({ answer, share }, g) => answer !== undefined && (share >= sure || surest.has(g)));
        const kept = votes.filter((_, g) => isKept[g]);
        metric('kept', kept.length / Math.max(1, groups.length));
        metric('label_accuracy', accuracyOf(votes));
        if (kept.length > 0) metric('kept_label_accuracy', accuracyOf(kept));
        return groups.map((group, g) => (isKept[g] ? group : { ...group, dead: true }));
      },
    };
  },
});

const accuracyOf = (votes: readonly Vote[]): number => meanOf(votes.map(({ isRight }) => Number(isRight)));
