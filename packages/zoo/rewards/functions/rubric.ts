/**
 * A rubric: the weighted share of the criteria that a completion meets.
 *
 *   R = 0 where a veto is not met, else max(0, Σ w·s) / Σ w over the weights above 0,   s ← tanh(κ·s) / tanh(κ)
 *
 * A criterion is met or not, however often its text is there.
 */
import { number, options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import type { RewardBatch } from '../../../../src/rewards/reward_function.ts';
import {
  type Criterion,
  criteriaColumn,
  criteriaOf,
  criteriaOption,
  criteriaRules,
  lacksCriteria,
  metOf,
} from './rubric_criteria.ts';

export const rubricReward = defineReward({
  does: 'The weighted share of the criteria of a rubric that a completion meets; 0 where one with a veto is not met.',
  options: options({
    criteria: criteriaOption,
    column: criteriaColumn,
    saturation: number({ above: 0, example: 2 })
      .optional()
      .describe('Of graded criteria: s becomes tanh(saturation·s)/tanh(saturation), which pays the first half more.'),
  }),
  rules: criteriaRules,
  create: ({ saturation, ...given }) => ({
    name: 'rubric',
    range: [0, 1],
    refuses: (item) => lacksCriteria(given, item),
    score: (batch) =>
      batch.items.map((item, row) => {
        const criteria = criteriaOf(given, item);
        return criteria === undefined ? null : rubricScore(criteria, batch, row, saturation);
      }),
  }),
});

function rubricScore(criteria: readonly Criterion[], batch: RewardBatch, row: number, saturation?: number): number {
  const met = metOf(criteria, batch, row);
  if (criteria.some(({ veto }, i) => veto && met[i] < 1)) return 0;
  let paid = 0;
  let payable = 0;
  criteria.forEach(({ weight }, i) => {
    const share = saturation === undefined ? met[i] : Math.tanh(saturation * met[i]) / Math.tanh(saturation);
    paid += weight * share;
    payable += Math.max(0, weight);
  });
  return Math.min(1, Math.max(0, paid) / payable);
}
