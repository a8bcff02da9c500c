/**
 * A rubric, criterion by criterion against the rest of the group.
 *
 *   R(a) = mean over the others b of Σ_k w_k·sign(s_k(a) − s_k(b)) / Σ |w_k|
 *
 * The rewards of a group add up to 0.
 */
import { options } from '../../../../src/options/keys.ts';
import { defineReward } from '../../../../src/rewards/definition.ts';
import { criteriaColumn, criteriaOf, criteriaOption, criteriaRules, lacksCriteria, metOf } from './rubric_criteria.ts';

export const rubricPairwiseReward = defineReward({
  does: 'Compares a completion with each other one of its group, criterion by criterion of a rubric: -1 to 1.',
  options: options({ criteria: criteriaOption, column: criteriaColumn }),
  rules: criteriaRules,
  create: (given) => ({
    name: 'rubric-pairwise',
    range: [-1, 1],
    refuses: (item) => lacksCriteria(given, item),
    score: (batch) => {
      const criteria = batch.items.map((item) => criteriaOf(given, item));
      const met = criteria.map((of, row) => of && metOf(of, batch, row));
      return criteria.map((of, row) => {
        const own = met[row];
        if (of === undefined || own === undefined) return null;
        const others = met.filter((_, other) => other !== row && batch.groupOf[other] === batch.groupOf[row]);
        const size = of.reduce((sum, { weight }) => sum + Math.abs(weight), 0);
        const wins = others.map((other) =>
          of.reduce((sum, { weight }, k) => sum + weight * Math.sign(own[k] - (other?.[k] ?? 0)), 0),
        );
        return wins.reduce((sum, win) => sum + win / size, 0) / Math.max(1, others.length);
      });
    },
  }),
});
