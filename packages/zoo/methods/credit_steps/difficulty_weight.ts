/**
 * p̂ is the share of right completions of the group. Advantages that are divided by the deviation of their group are
 * weighed already, by about 1/√(p̂(1 − p̂)) against undivided ones.
 */
import { type CreditStep, key, method, number } from '../kit.ts';
import { mapAdvantages, oncePerGroup } from '../support/credit/map_advantages.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';
import { solvedShare } from '../support/credit/solved_share.ts';

const factor = (yaml: string, fallback: number, where: string) =>
  key(
    yaml,
    number({ min: 0, example: fallback }).default(fallback).describe(`Factor where ${where} of the group are right.`),
  );

export const difficultyWeight = method({
  id: 'difficulty-weight',
  about: {
    does: 'Multiplies advantages by a factor of the share of right completions of the group.',
    formula: 'A ← A·f(p̂), f straight through hard_weight at 0, middle_weight at ½, easy_weight at 1',
    source: 'own',
    certainty: 'own',
  },
  options: {
    hardWeight: factor('hard_weight', 1.5, 'hardly any'),
    middleWeight: factor('middle_weight', 1, 'half'),
    easyWeight: factor('easy_weight', 0.5, 'nearly all'),
    ...SOLVED_OPTIONS,
  },
  create: ({ hardWeight, middleWeight, easyWeight, ...options }): CreditStep => {
    const isSolved = solvedBy(options);
    const weightAt = (share: number): number => {
      const [end, towards] = share < 0.5 ? [hardWeight, 1 - 2 * share] : [easyWeight, 2 * share - 1];
      return middleWeight + towards * (end - middleWeight);
    };
    return {
      apply(groups) {
        const weightOf = oncePerGroup((group) => weightAt(solvedShare(group, isSolved)));
        return mapAdvantages(groups, (advantage, _, group) => advantage * weightOf(group));
      },
    };
  },
});
