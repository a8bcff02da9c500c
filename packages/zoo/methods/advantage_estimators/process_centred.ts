/**
 * The steps of a completion share out what they are worth, so neither a longer solution nor a generous verifier earns
 * more. Tokens outside of steps (separators, the end) get the outcome alone. Our form of process rewards.
 */
import {
  areEqual,
  counts,
  hasEqualRewards,
  rewardsOf,
  spreadOut,
} from '../../../../src/methods/support/credit/baseline.ts';
import { solutionSteps } from '../../../../src/methods/uses/solution_steps.ts';
import { type AdvantageEstimator, keys, meanOf, method, number, type Rollout, type RolloutGroup } from '../kit.ts';
import { standardScores } from '../support/credit/group_by_group.ts';

export const processCentred = method({
  id: 'process-centred',
  about: {
    does: 'Adds to the outcome how good each step of a solution is, against the mean of its steps.',
    formula: 'A_t = (R − μ)/(σ + 1e-4) + process_weight·(p_step(t) − mean_s p_s)',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    processWeight: number({ min: 0, example: 0.5 }).default(0.5).describe('Weight of the steps beside the outcome.'),
  }),
  uses: () => [solutionSteps],
  create: ({ processWeight }): AdvantageEstimator => ({
    estimate(groups, { metric }) {
      const all = groups.flatMap(({ rollouts }) => rollouts.filter(counts));
      metric('steps_apart', all.filter(hasUnequalSteps).length / Math.max(1, all.length));
      return groups.map((group) => {
        const { rollouts } = group;
        const advantages = spreadOut(rollouts, standardScores(rewardsOf(group)));
        const tokenAdvantages = rollouts.map((rollout, i) => {
          const own = new Float32Array(rollout.tokens.length).fill(advantages[i]);
          if (counts(rollout)) addSteps(rollout, processWeight, own);
          return own;
        });
        return { advantages, tokenAdvantages };
      });
    },
    isDead: (group) => hasEqualRewards(group) && !tellsStepsApart(group),
  }),
});

function addSteps(rollout: Rollout, weight: number, out: Float32Array): void {
  if (!hasUnequalSteps(rollout)) return;
  const { steps = [] } = rollout;
  const center = meanOf(steps.map(({ score }) => score));
  for (const { from, to, score } of steps) {
    for (let t = from; t < to; t++) out[t] += weight * (score - center);
  }
}

function tellsStepsApart({ rollouts }: RolloutGroup): boolean {
  return rollouts.filter(counts).some(hasUnequalSteps);
}

function hasUnequalSteps({ steps = [] }: Rollout): boolean {
  return !areEqual(steps.map(({ score }) => score));
}
