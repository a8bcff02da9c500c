/**
 * By default it replaces the advantage of the outcome, and no label is needed. Rewards are logged all the same: only
 * they show a policy that has grown sure of one constant answer.
 */

import { hasAdvantage } from '../../../../src/methods/support/credit/map_advantages.ts';
import { type CreditedGroup, type CreditStep, counts, hasEqualRewards, keys, method, number } from '../kit.ts';
import { certaintyOf, scoresAmong } from '../support/credit/certainty.ts';
import { uniformKl } from '../uses/uniform_kl.ts';

export const selfCertainty = method({
  id: 'self-certainty',
  about: {
    does: 'Rewards completions that the policy is sure of, whether they are right or not.',
    names: ['Intuitor', 'RLIF'],
    formula: 'A ← outcome_weight·A + certainty_weight·z(mean_t KL(U‖p_t)), z within the group',
    source: '2505.19590',
    certainty: 'paper',
  },
  options: keys({
    certaintyWeight: number({ min: 0, example: 1 }).default(1).describe('Weight of the certainty.'),
    outcomeWeight: number({ min: 0, example: 1 })
      .default(0)
      .describe('Weight of the advantage that the rewards gave; at 0 no reward is learned from.'),
  }),
  note: ({ outcome_weight: weight }) =>
    weight === 0 ? 'no reward is learned from, since outcome_weight is 0; watch that reward does not fall' : undefined,
  uses: ({ certaintyWeight }) => (certaintyWeight === 0 ? [] : [uniformKl]),
  readsRewards: ({ outcomeWeight }) => (outcomeWeight === 0 ? 'none' : undefined),
  create: ({ certaintyWeight, outcomeWeight }): CreditStep => {
    const shape = (group: CreditedGroup): CreditedGroup => {
      const { rollouts, advantages, tokenAdvantages, dead } = group;
      if (dead && !hasEqualRewards(group)) return group; // by the word of a group step
      const certainties = rollouts.map((rollout) =>
        counts(rollout) && certaintyWeight > 0 ? certaintyOf(rollout, 'mean') : undefined,
      );
      const scores = scoresAmong(certainties);
      const mix = (values: Float32Array, i: (place: number) => number): Float32Array =>
        values.map((value, place) => outcomeWeight * value + certaintyWeight * scores[i(place)]);
      const shaped = {
        ...group,
        advantages: mix(advantages, (place) => place),
        ...(tokenAdvantages && { tokenAdvantages: tokenAdvantages.map((own, i) => mix(own, () => i)) }),
      };
      return { ...shaped, dead: dead && !hasAdvantage(shaped) };
    };
    return { apply: (groups) => groups.map(shape) };
  },
});
