/**
 * Steps that are paid with the outcome in mind: a step of quality p in a completion of outcome r gets p + r − 1, both in
 * [0, 1], so that a good step of a failed attempt earns nothing and a poor step of a good one costs little; a token gets
 * what its step and the later ones earn. Not centred: a shift by a constant is the point of it, and any mean of the group
 * would undo it. A completion in which the verifier finds no step is one step of quality 0, and one of a task that judges
 * none is one of quality ½; what is between two steps belongs to the second, what follows the last to the last. After
 * the reward normalization of Principle Process Reward.
 */
import { type CountedRollout, counts } from '../../../../src/methods/support/credit/baseline.ts';
import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import { type AdvantageEstimator, keys, method, number, type RolloutGroup } from '../kit.ts';

export const renorm = method({
  id: 'renorm',
  about: {
    does: 'Pays each step by its quality and the outcome together, and what follows it.',
    formula: 'r_s = p_s + R − 1, R kept within [0, 1]; A_t = Σ_{s ≥ step(t)} step_discount^(s − step(t))·r_s',
    source: 'own',
    certainty: 'after the paper',
  },
  options: keys({
    stepDiscount: number({ min: 0, max: 1, example: 0.9 })
      .default(1)
      .describe('Factor on what a step earns, for each step before it.'),
  }),
  uses: () => [solutionSteps],
  create: ({ stepDiscount }): AdvantageEstimator => {
    const estimateOne = ({ rollouts }: RolloutGroup) => {
      const tokenAdvantages = rollouts.map((rollout) =>
        counts(rollout) ? stepReturns(rollout, stepDiscount) : new Float32Array(rollout.tokens.length),
      );
      return { advantages: Float32Array.from(tokenAdvantages, (own) => own[0] ?? 0), tokenAdvantages };
    };
    return {
      estimate: (groups) => groups.map(estimateOne),
      isDead: (group) => estimateOne(group).tokenAdvantages.every((own) => own.every((value) => value === 0)),
    };
  },
});

/** [tokens] */
function stepReturns({ reward, steps, tokens }: CountedRollout, discount: number): Float32Array {
  const outcome = Math.min(Math.max(reward, 0), 1);
  const judged = steps?.length ? steps : [{ to: tokens.length, score: steps === undefined ? 0.5 : 0 }];
  const returns = new Float64Array(judged.length + 1);
  for (let s = judged.length - 1; s >= 0; s--) returns[s] = judged[s].score + outcome - 1 + discount * returns[s + 1];
  return Float32Array.from(tokens, (_, t) => {
    const own = judged.findIndex(({ to }) => t < to);
    return returns[own < 0 ? judged.length - 1 : own];
  });
}
