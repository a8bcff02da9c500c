/**
 * Learns from votes only where they move as labels do. A part of the problems is labelled: they keep the verifier's reward. Of the
 * others, which a step before has paid by vote, those are kept whose shares from visit to visit go as those of labelled
 * problems went, and the part of a round that comes nearest. Before a problem has enough visits, labels alone teach. TraPO.
 *
 *   s_i   the last shares of a problem: right ones of a labelled problem, the commonest answer of any other
 *   ŝ     s − its mean, over its length; cos_i = mean over labelled j of ŝ_i·ŝ_j, on the visits that both have
 *   kept  cos_i ≥ likeness, or among the top·G of a round
 */
import { rngFor } from '../../../../src/kernels/philox.ts';
import { problemKey } from '../../../../src/methods/ledger.ts';
import { givenRewards } from '../../../../src/methods/support/rewards/given_rewards.ts';
import type { GroupStep, Json, RolloutGroup } from '../kit.ts';
import { integer, key, keys, meanOf, method, number, shareRight, tells } from '../kit.ts';
import { mapRollouts } from '../support/rewards/reward_parts.ts';
import { answerBy, voteByOption, voteOf } from '../support/rewards/vote.ts';

/** Visits that are remembered of a problem. */
const REMEMBERED_VISITS = 8;
/** Problems of each kind that are remembered; beyond, those seen longest ago are forgotten. */
const REMEMBERED = 4096;
/** Labelled problems that one is compared with, those seen last. */
const COMPARED = 256;

type Courses = Map<string, readonly number[]>;

export const trajectorySelect = method({
  id: 'trajectory-select',
  about: {
    does: 'Leaves out voted groups whose shares do not move from visit to visit as those of labelled problems do.',
    names: ['TraPO', 'pseudo-label selection by trajectory'],
    formula:
      'keeps mean_j cos(ŝ_i, ŝ_j) ≥ likeness over labelled j, and the top·G nearest of a round; labelled ones keep their reward',
    source: 'own',
    certainty: 'after the paper',
    when: 'Beside votes, where a few problems have labels; without labels there is nothing to compare with.',
  },
  options: keys({
    labelledShare: key(
      'labelled',
      number({ above: 0, below: 1, example: 0.25 })
        .default(0.25)
        .describe('Share of the problems whose verdicts may be used, by a hash of each.'),
    ),
    leastLikeness: key(
      'likeness',
      number({ min: -1, max: 1, example: 0.4 }).default(0.4).describe('Least mean cosine that is kept.'),
    ),
    topLike: key(
      'top',
      number({ min: 0, max: 1, example: 0.1 })
        .default(0.1)
        .describe('Share of the voted groups of a round that is kept in any case, the nearest, rounded up.'),
    ),
    visits: integer({ min: 2, max: REMEMBERED_VISITS, example: 4 })
      .default(4)
      .describe('Visits of a problem, at least, before its vote is learned from.'),
    likenessBy: voteByOption,
  }),
  warn: (_, __, ___, members) =>
    tells(members, 'votes')
      ? undefined
      : 'leaves out groups by their votes, and nothing pays votes: put majority before it in group_steps',
  readsVerdicts: 'some',
  pays: { does: 'changes' },
  agrees: ['vote_by'],
  create: ({ labelledShare, leastLikeness, topLike, visits, likenessBy }): GroupStep => {
    const answerOf = answerBy(likenessBy);
    let labelled: Courses = new Map();
    let voted: Courses = new Map();
    return {
      scope: 'group',
      apply(groups, { metric }) {
        const isLabelled = groups.map(({ item }) => hashShare(problemKey(item)) < labelledShare);
        const votes = groups.map((group) => voteOf(group, answerOf));
        groups.forEach((group, g) => {
          const share = isLabelled[g] ? shareRight([group]) : votes[g].share;
          note(isLabelled[g] ? labelled : voted, problemKey(group.item), share);
        });
        const known = [...labelled.values()].slice(-COMPARED).filter(({ length }) => length >= visits);
        const likeness = groups.map(({ item }, g) => {
          const own = voted.get(problemKey(item)) ?? [];
          if (isLabelled[g] || own.length < visits || known.length === 0) return Number.NEGATIVE_INFINITY;
          return meanOf(known.map((course) => cosine(own, course)));
        });
        const nearest = [...groups.keys()]
          .filter((g) => likeness[g] > Number.NEGATIVE_INFINITY)
          .sort((a, b) => likeness[b] - likeness[a] || a - b);
        const top = new Set(nearest.slice(0, Math.ceil(topLike * nearest.length)));
        const kept = nearest.filter((g) => likeness[g] >= leastLikeness || top.has(g));
        const learns = new Set(kept);
        metric('kept', kept.length / Math.max(1, isLabelled.filter((is) => !is).length));
        if (kept.length > 0) metric('kept_label_accuracy', meanOf(kept.map((g) => Number(votes[g].isRight))));
        return groups.map((group, g): RolloutGroup => {
          if (isLabelled[g]) return mapRollouts([group], (rollout) => ({ ...rollout, ...rewardsOnly(rollout) }))[0];
          return learns.has(g) ? group : { ...group, dead: true };
        });
      },
      state: () => ({ labelled: [...labelled], voted: [...voted] }) as unknown as Json, // plain data
      restore(state) {
        const kept = state as unknown as { labelled: [string, number[]][]; voted: [string, number[]][] }; // written by `state`
        labelled = new Map(kept.labelled);
        voted = new Map(kept.voted);
      },
    };
  },
});

function rewardsOnly(rollout: Parameters<typeof givenRewards>[0]): ReturnType<typeof givenRewards> {
  const { rewardParts, reward } = givenRewards(rollout);
  return { rewardParts, reward };
}

/** Where a problem falls in [0, 1), the same in every run. */
export function hashShare(name: string): number {
  return rngFor(`labelled|${name}`).float();
}

function note(courses: Courses, name: string, share: number): void {
  const own = [...(courses.get(name) ?? []), share].slice(-REMEMBERED_VISITS);
  courses.delete(name);
  courses.set(name, own);
  for (const oldest of courses.keys()) {
    if (courses.size <= REMEMBERED) break;
    courses.delete(oldest);
  }
}

/** Cosine over the last visits that both have, each course less its mean; 0 where one does not move. */
export function cosine(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  const centred = (all: readonly number[]): number[] => {
    const own = all.slice(-length);
    const mean = meanOf(own);
    return own.map((value) => value - mean);
  };
  const [left, right] = [centred(a), centred(b)];
  const dot = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, value, i) => sum + value * y[i], 0);
  const size = Math.sqrt(dot(left, left) * dot(right, right));
  return size === 0 ? 0 : dot(left, right) / size;
}
