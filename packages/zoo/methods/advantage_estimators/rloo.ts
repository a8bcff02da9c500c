import { type AdvantageEstimator, groupAdvantages, method } from '../kit.ts';

/** Unbiased, as no reward is in its own baseline. */
export const rloo = method({
  id: 'rloo',
  about: {
    does: 'Compares each completion with the mean of the others of its group; undivided.',
    names: ['leave-one-out'],
    formula: 'A_i = R_i − mean_{j≠i} R_j',
    source: '2402.14740',
    certainty: 'paper',
  },
  sameAs: { id: 'group', options: { baseline: 'loo', scale_rewards: 'none' } },
  create: (): AdvantageEstimator => groupAdvantages({ baseline: 'loo', divisor: 'none' }),
});
