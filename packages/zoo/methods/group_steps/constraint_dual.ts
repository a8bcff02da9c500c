/** The total is what the stage's weights make of the rewards; give the constrained one weight 0 there. */
import { type GroupStep, type Json, keys, method, number } from '../kit.ts';
import { mapRollouts, readerOf, rewardKey, unknownReward } from '../support/rewards/reward_parts.ts';

interface Dual {
  price: number;
  /** Step of the stage that the sums are of. */
  step: number;
  sum: number;
  count: number;
}

export const constraintDual = method({
  id: 'constraint-dual',
  about: {
    does: 'Holds the mean of a reward at a level, at the price that this takes.',
    formula: 'R ← R + μ·constraint; μ ← max(0, μ + rate·(least − mean of the step))',
    source: 'own',
    certainty: 'own',
    when: 'Where a second reward must hold at a level, such as a format or a cost; the price oscillates at a high rate.',
  },
  options: keys({
    constraint: rewardKey('constraint', 'The reward whose mean is held, by its name.', 'positions'),
    least: number({ example: 0.9 }).describe('Least mean of it.'),
    rate: number({ above: 0, example: 0.1 }).default(0.1).describe('How fast the price moves.'),
    start: number({ min: 0, example: 0.5 }).default(0).describe('Price at the first step.'),
  }),
  conflict: ({ constraint }, _, stage) => unknownReward(stage, constraint),
  pays: { does: 'changes' },
  create: ({ constraint, least, rate, start }, stage): GroupStep => {
    const read = readerOf(stage, constraint);
    const dual: Dual = { price: start, step: 0, sum: 0, count: 0 };
    return {
      scope: 'group',
      apply(groups, { step, metric }) {
        if (step !== dual.step) {
          if (dual.count > 0) dual.price = Math.max(0, dual.price + rate * (least - dual.sum / dual.count));
          Object.assign(dual, { step, sum: 0, count: 0 });
        }
        metric('price', dual.price);
        return mapRollouts(groups, (rollout) => {
          const value = read(rollout);
          if (value === null) return rollout;
          dual.sum += value;
          dual.count++;
          return { ...rollout, reward: (rollout.reward ?? 0) + dual.price * value };
        });
      },
      state: () => ({ ...dual }),
      restore(state: Json) {
        Object.assign(dual, state as unknown as Dual); // written by `state`
      },
    };
  },
});
