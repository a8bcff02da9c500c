/**
 * RiskPO: ascends a mixed value-at-risk of bundle scores, which looks at the failures and leaves what works alone. q_α
 * and q_β are quantiles of the score, both parts have mean weight 1, and A is 0 from q_β on and negative below it. That
 * is the weight of a score function in the gradient of tail_weight·CVaR_α + RVaR_{α,β}. It is divided by the deviation
 * of all bundle scores, and for each member by that of its group's rewards; a deviation below 1e-3 counts as 1.
 * Quantiles move with the run, q_s ← q_s + rate·(s − share of R_b below q_s); the first batch sets them to its own. No
 * group is dead: its bundles are not its own. The paper writes the two parts without 1/α and 1/(β − α): `normalized:
 * false`.
 */
import { rewardsOf } from '../../../../src/methods/support/credit/baseline.ts';
import { type AdvantageEstimator, choice, deviationOf, flag, key, keys, method, number, quantileOf } from '../kit.ts';
import { BUNDLE_OPTIONS, bundlesOf, zerosFor } from '../support/credit/bundles.ts';
import { hasNoReward } from '../support/credit/group_by_group.ts';

/** Quantiles of bundle scores at the shares α and β. */
export interface RiskQuantiles {
  readonly low: number;
  readonly high: number;
}

export interface RiskShape {
  readonly lowShare: number;
  readonly highShare: number;
  readonly tailWeight: number;
  readonly isNormalized: boolean;
}

const share = (example: number) => number({ above: 0, below: 1, example }).default(example);

export const riskpo = method({
  id: 'riskpo',
  about: {
    does: 'Learns from bundles of problems that score low, by a mixed value-at-risk.',
    formula:
      'A = (tail_weight·(−max(q_α − R_b, 0)/α) + (clip(R_b, q_α, q_β) − q_β)/(β − α))/(tail_weight + 1)/std R_b/std_group R',
    source: '2510.00911',
    certainty: 'paper',
  },
  companions: [
    {
      ids: ['sequence', 'sequence_token', 'sequence_sum'],
      line: 'importance_sampling_level: sequence',
      why: 'as a bundle is credited by whole completions',
    },
  ],
  options: keys({
    ...BUNDLE_OPTIONS,
    lowShare: share(0.2).describe('α: share of the bundles that are the tail.'),
    highShare: share(0.8).describe('β: share of the bundles that are learned from.'),
    tailWeight: number({ min: 0, example: 1.5 }).default(1.5).describe('Weight of the tail beside the range.'),
    quantileRate: number({ min: 0, max: 1, example: 0.1 }).default(0.1).describe('How fast quantiles move.'),
    isNormalized: key(
      'normalized',
      flag().default(true).describe('Divide the parts by α and by β − α; the paper writes them undivided.'),
    ),
    credit: choice(['std', 'uniform'])
      .default('std')
      .describe('Divide the advantage of a member by the deviation of its own group (std), or not (uniform).'),
  }),
  complete(options, refuse) {
    if (options.lowShare >= options.highShare) refuse('lowShare', 'must be below high_share; lower it');
    return options;
  },
  create({ bundleSize, quantileRate, credit, ...shape }): AdvantageEstimator {
    let quantiles: RiskQuantiles | undefined;
    return {
      isDead: hasNoReward,
      state: () => (quantiles === undefined ? null : { ...quantiles }),
      restore(state) {
        quantiles = (state as RiskQuantiles | null) ?? undefined; // written by `state`
      },
      estimate(groups, { rng, metric }) {
        const bundles = bundlesOf(groups, { bundleSize }, rng);
        const scores = bundles.map(({ score }) => score);
        const advantages = zerosFor(groups);
        if (scores.length === 0) return advantages.map((own) => ({ advantages: own }));
        const now = quantiles ?? {
          low: quantileOf(scores, shape.lowShare),
          high: quantileOf(scores, shape.highShare),
        };
        const ofScores = deviationOrOne(scores);
        const ofGroups = groups.map((group) => (credit === 'std' ? deviationOrOne(rewardsOf(group)) : 1));
        for (const { members, score } of bundles) {
          const weight = riskWeight(score, now, shape) / ofScores;
          for (const { group, rollout } of members) advantages[group][rollout] = weight / ofGroups[group];
        }
        quantiles = movedBy(now, scores, shape, quantileRate);
        metric('low_quantile', quantiles.low);
        metric('high_quantile', quantiles.high);
        return advantages.map((own) => ({ advantages: own }));
      },
    };
  },
});

/** What the score function of a bundle weighs in the gradient of the mixed value-at-risk, divided by tail_weight + 1. */
export function riskWeight(
  score: number,
  { low, high }: RiskQuantiles,
  { lowShare, highShare, tailWeight, isNormalized }: RiskShape,
): number {
  const below = Math.max(low - score, 0);
  const within = high - Math.min(Math.max(score, low), high);
  if (below === 0 && within === 0) return 0;
  const [tail, range] = isNormalized ? [below / lowShare, within / (highShare - lowShare)] : [below, within];
  return -(tailWeight * tail + range) / (tailWeight + 1);
}

function movedBy(
  { low, high }: RiskQuantiles,
  scores: readonly number[],
  { lowShare, highShare }: RiskShape,
  rate: number,
): RiskQuantiles {
  const below = (quantile: number): number => scores.filter((score) => score < quantile).length / scores.length;
  const moved = low + rate * (lowShare - below(low));
  return { low: moved, high: Math.max(moved, high + rate * (highShare - below(high))) };
}

function deviationOrOne(values: readonly number[]): number {
  const deviation = deviationOf(values);
  return deviation < 1e-3 ? 1 : deviation;
}
