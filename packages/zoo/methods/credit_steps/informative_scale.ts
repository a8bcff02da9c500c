/**
 * Dead groups stay in the denominators of the loss, so a step shrinks with their share. Where a strategy replaces dead
 * groups there is nothing to scale. After RAPO of Fathom-DeepResearch, arXiv:2509.24107; the default of the cap is ours.
 */
import { hasAdvantage } from '../../../../src/methods/support/credit/map_advantages.ts';
import { type CreditStep, keys, method, number } from '../kit.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';

export const informativeScale = method({
  id: 'informative-scale',
  about: {
    does: 'Makes up for groups that give no gradient.',
    names: ['RAPO', 'Fathom-DeepResearch'],
    formula: 'A ← A·min(groups / groups with an advantage, most_scale)',
    source: '2509.24107',
    certainty: 'after the paper',
  },
  options: keys({
    mostScale: number({ min: 1, example: 4 }).default(4).describe('Largest factor of an advantage.'),
  }),
  create: ({ mostScale }): CreditStep => ({
    apply(groups, { metric }) {
      const informative = groups.filter((group) => !group.dead && hasAdvantage(group)).length;
      if (informative === 0) return groups;
      const scale = Math.min(groups.length / informative, mostScale);
      metric('scale', scale);
      return scale === 1 ? groups : mapAdvantages(groups, (advantage) => scale * advantage);
    },
  }),
});
