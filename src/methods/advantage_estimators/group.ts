/**
 * Group-relative advantages; deviations are with n − 1. The baseline is the mean of the group, of its other members, of
 * the batch, or 0; the deviation that of the group, of the batch, or left out; or the divisor is the mean of the group
 * (MaxRL), and 0 comes of a mean that is not above 0. With a baseline of its own a dead group's advantages are exactly
 * 0. The engine has a kernel for the plain case (kernels.ts, groupAdvantages). `normalize_then_sum`, TRL's for several
 * rewards (GDPO, arXiv:2601.05242), normalizes each within the group, adds them up by their weights, and normalizes the
 * sums over the batch.
 */
import { z } from 'zod';
import { choice, key, laterKey } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { AdvantageEstimator } from '../points.ts';
import type { CreditedGroup, Rollout, RolloutGroup } from '../records.ts';
import { deviationOf, meanOf } from '../statistics.ts';
import { areEqual, counts, EPSILON, groupAdvantages } from '../support/credit/baseline.ts';

export const group = method({
  id: 'group',
  about: {
    does: 'Compares each completion with the others of its group.',
    names: ['GRPO', 'Dr. GRPO'],
    formula: 'A = (R − baseline) / (std + 1e-4)',
    source: '2402.03300',
    certainty: 'paper',
  },
  optionsAreStageKeys: true,
  options: {
    scaleRewards: key(
      'scale_rewards',
      z
        .union([z.enum(['group', 'batch', 'none', 'mean']), z.boolean()], {
          error: 'not a way to scale rewards; use group, batch, none, mean, true (group) or false (none)',
        })
        .default('group')
        .transform((written) => (typeof written === 'string' ? written : written ? 'group' : 'none'))
        .describe(
          'What divides the advantages: the standard deviation of the group, of the batch, nothing (none), or the mean of the group.',
        ),
    ),
    rewardBaseline: laterKey(
      'baseline',
      choice(['group', 'loo', 'batch', 'none'], 'not a baseline')
        .default('group')
        .describe(
          'What a reward is compared with: the mean of its group, of the others of its group (loo), of the batch, or 0 (none).',
        ),
    ),
    rewardAggregation: laterKey(
      'multi_objective_aggregation',
      choice(['sum_then_normalize', 'normalize_then_sum'], 'not a way to join rewards')
        .default('sum_then_normalize')
        .describe(
          'Whether the weighted sum of the rewards is normalized, or each reward within its group, and the sum over the batch.',
        ),
    ),
  },
  sameAs: {
    given: { baseline: 'none', scale_rewards: 'none' },
    id: 'constant',
    options: { constant_baseline: 0 },
  },
  tells: ({ scaleRewards, rewardBaseline }) => [
    ...(scaleRewards === 'group' ? (['group-scale'] as const) : []),
    ...(rewardBaseline === 'none' ? (['uncentred'] as const) : []),
  ],
  readsRewards: ({ rewardAggregation }) => (rewardAggregation === 'normalize_then_sum' ? 'each' : undefined),
  complete(options, refuse) {
    const { scaleRewards, rewardBaseline, rewardAggregation } = options;
    if (['none', 'batch'].includes(rewardBaseline) && scaleRewards === 'group') {
      refuse(
        'rewardBaseline',
        'a group of equal rewards would be divided by almost 0; use scale_rewards: batch or none',
      );
    }
    if (rewardAggregation === 'normalize_then_sum' && (scaleRewards !== 'group' || rewardBaseline !== 'group')) {
      refuse('rewardAggregation', 'divides by group, then by batch; leave scale_rewards and baseline out');
    }
    return options;
  },
  create: ({ scaleRewards, rewardBaseline, rewardAggregation }, { rewards: parts }): AdvantageEstimator => {
    if (rewardAggregation === 'normalize_then_sum') {
      const weights = parts.map(({ weight }) => weight);
      return {
        estimate: (groups) => normalizeThenSum(groups, weights),
        isDead: ({ rollouts }) => columnsOf(rollouts, weights).every(({ values }) => areEqual(values)),
      };
    }
    return groupAdvantages({ baseline: rewardBaseline, divisor: scaleRewards });
  },
});

/** One reward function's scores of some rollouts, where it gave any. */
interface Column {
  readonly weight: number;
  readonly values: readonly number[];
}

function columnsOf(rollouts: readonly Rollout[], weights: readonly number[]): Column[] {
  return weights.map((weight, k) => ({
    weight,
    values: rollouts.flatMap((rollout) => {
      const value = counts(rollout) ? rollout.rewardParts[k] : null;
      return weight === 0 || value === null || value === undefined ? [] : [value];
    }),
  }));
}

function normalizeThenSum(
  groups: readonly RolloutGroup[],
  weights: readonly number[],
): Pick<CreditedGroup, 'advantages'>[] {
  const sums = groups.map(({ rollouts }) => {
    const columns = columnsOf(rollouts, weights).map(({ values }) => ({
      center: meanOf(values),
      divisor: deviationOf(values) + EPSILON,
      isEqual: areEqual(values),
    }));
    return rollouts.map((rollout) => {
      if (!counts(rollout)) return null;
      return weights.reduce((sum, weight, k) => {
        const value = rollout.rewardParts[k];
        const { center, divisor, isEqual } = columns[k];
        return value === null || value === undefined || isEqual ? sum : sum + (weight * (value - center)) / divisor;
      }, 0);
    });
  });
  const all = sums.flat().filter((sum) => sum !== null);
  const [center, divisor] = [meanOf(all), deviationOf(all) + EPSILON];
  return groups.map(({ dead }, g) => ({
    advantages: Float32Array.from(sums[g], (sum) => (sum === null || dead ? 0 : (sum - center) / divisor)),
  }));
}
