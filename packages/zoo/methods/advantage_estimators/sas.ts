/**
 * The measure with the smaller effect counts, so that a group of equal rewards still teaches where earlier ones
 * differed. Variances are those of populations; over visits they are merged by counts.
 */
import { problemKey } from '../../../../src/methods/ledger.ts';
import { rewardsOf, spreadOut } from '../../../../src/methods/support/credit/baseline.ts';
import { type AdvantageEstimator, type Json, meanOf, method, type RolloutGroup } from '../kit.ts';
import { hasNoReward } from '../support/credit/group_by_group.ts';

/** Rewards of a problem so far. */
interface Past {
  readonly visits: number;
  readonly mean: number;
  /** Variance of the population. */
  readonly variance: number;
}

const NEVER: Past = { visits: 0, mean: 0, variance: 0 };

/** Problems whose past is kept; beyond, those seen longest ago are forgotten. */
const REMEMBERED = 50_000;

export const sas = method({
  id: 'sas',
  about: {
    does: 'Measures rewards by this group and by all earlier ones of the same problem, and takes the smaller advantage.',
    names: ['DCPO', 'smooth advantage standardization'],
    formula: 'the smaller in size of (A_all + (i − 1)·A_new)/i and (A_new + (i − 1)·A_all)/i at visit i, A = (R − μ)/σ',
    source: '2509.02333',
    certainty: 'paper',
  },
  note: (_, __, ___, members) =>
    members.some(({ method: { repeatsProblems } }) => repeatsProblems)
      ? undefined
      : 'measures a problem by its earlier groups, and a task with many problems asks each but once; add few-shot-data or prefilter',
  create: (): AdvantageEstimator => {
    /** In the order of last visits. */
    const pasts = new Map<string, Past>();
    const advantagesOf = (group: RolloutGroup): { readonly past: Past; readonly advantages: Float32Array } => {
      const rewards = rewardsOf(group);
      const known = pasts.get(problemKey(group.item)) ?? NEVER;
      if (rewards.length === 0) return { past: known, advantages: new Float32Array(group.rollouts.length) };
      const past = merged(known, rewards);
      const own = merged(NEVER, rewards);
      const visit = past.visits;
      const smoothed = rewards.map((reward) => {
        const [all, now] = [scored(reward, past), scored(reward, own)];
        const candidates = [(all + (visit - 1) * now) / visit, (now + (visit - 1) * all) / visit];
        return Math.abs(candidates[0]) <= Math.abs(candidates[1]) ? candidates[0] : candidates[1];
      });
      return { past, advantages: spreadOut(group.rollouts, smoothed) };
    };
    return {
      isDead: (group) => advantagesOf(group).advantages.every((advantage) => advantage === 0),
      estimate: (groups) =>
        groups.map((group) => {
          const { past, advantages } = advantagesOf(group);
          const key = problemKey(group.item);
          if (!hasNoReward(group)) {
            pasts.delete(key);
            pasts.set(key, past);
          }
          const [oldest] = pasts.keys();
          if (pasts.size > REMEMBERED) pasts.delete(oldest);
          return { advantages };
        }),
      state: () => [...pasts].map(([key, { visits, mean, variance }]): Json => [key, visits, mean, variance]),
      restore(state) {
        pasts.clear();
        const rows = state as readonly (readonly [string, number, number, number])[]; // written by `state`
        for (const [key, visits, mean, variance] of rows) pasts.set(key, { visits, mean, variance });
      },
    };
  },
});

/** The past with one more visit. */
function merged({ visits, mean, variance }: Past, rewards: readonly number[]): Past {
  const own = meanOf(rewards);
  const ownVariance = rewards.every((reward) => reward === rewards[0])
    ? 0
    : meanOf(rewards.map((reward) => (reward - own) ** 2));
  const count = visits + 1;
  return {
    visits: count,
    mean: mean + (own - mean) / count,
    variance: (visits * variance + ownVariance + (visits / count) * (own - mean) ** 2) / count,
  };
}

/** 0 where nothing ever differed. */
function scored(reward: number, { mean, variance }: Past): number {
  return variance === 0 ? 0 : (reward - mean) / Math.sqrt(variance);
}
