/**
 * No group is compared with itself, so one of equal rewards teaches too: all right, it is raised; all wrong, it is
 * lowered. These are TOPR's advantages (arXiv:2503.14286). Where verifiers miss a share ρ of what is right, 1 − ρ takes
 * back on average what they wrongly punish.
 */
import { type AdvantageEstimator, keys, method, number } from '../kit.ts';
import { rewardsLess } from '../support/credit/rewards_less.ts';

export const constant = method({
  id: 'constant',
  about: {
    does: 'Compares each reward with a constant.',
    formula: 'A = R − constant_baseline',
    source: '2503.14286',
    certainty: 'after the paper',
  },
  options: keys({
    constantBaseline: number({ example: 0.5 }).default(0.5).describe('What a reward is compared with.'),
  }),
  create: ({ constantBaseline }): AdvantageEstimator => rewardsLess(constantBaseline),
});
