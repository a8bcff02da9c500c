/** TRL's advantages through the estimator `group`, missing scores among them. */
import { describe, expect, it } from 'vitest';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import { hasEqualRewards } from '../../src/methods/support/credit/baseline.ts';
import { loadGolden, type TrlAdvantageCase } from '../golden/load.ts';
import { groupOf, rolloutOf } from '../support/rollouts.ts';
import { stageOf } from '../support/stages.ts';
import { stepOf } from '../support/steps.ts';

const golden = loadGolden('trl_advantages');

function groupsOf(test: TrlAdvantageCase): CreditedGroup[] {
  const { num_generations: size, rewards_per_func: scores, reward_weights: weights } = test;
  return Array.from({ length: scores.length / size }, (_, g) =>
    groupOf(
      scores.slice(g * size, (g + 1) * size).map((parts): Rollout => {
        const known = parts.flatMap((part, k) => (part === null ? [] : [part * weights[k]]));
        const reward = known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0);
        return { ...rolloutOf(1, reward), rewardParts: parts };
      }),
    ),
  );
}

function advantagesOf(test: TrlAdvantageCase): number[] {
  const functions = test.reward_weights.map(
    (weight, k) => `{name: ${['accuracy', 'positions'][k]}, weight: ${weight}}`,
  );
  const stage = stageOf(
    `reward_funcs: [${functions.join(', ')}]`,
    `scale_rewards: ${test.scale_rewards}`,
    `multi_objective_aggregation: ${test.multi_objective_aggregation}`,
  );
  const { methods, context } = stepOf(stage);
  const { part, id } = methods.advantageEstimator;
  const groups = groupsOf(test).map((group) => ({ ...group, dead: (part.isDead ?? hasEqualRewards)(group) }));
  return part.estimate(groups, context(id)).flatMap(({ advantages }) => [...advantages]);
}

describe.each(golden.cases)(
  "TRL's $name, $multi_objective_aggregation, scaled by $scale_rewards",
  (test: TrlAdvantageCase) => {
    it('has its advantages; its rounding noise in dead groups is exactly 0 here', () => {
      const found = advantagesOf(test);
      expect(found).toHaveLength(test.advantages.data.length);
      found.forEach((advantage, i) => {
        // Rewards are float32 here: those that differ by 1e-9 agree, where TRL in float64 sees more of them.
        if (test.name === 'nearly dead' && i < test.num_generations) return;
        expect(advantage).toBeCloseTo(test.advantages.data[i], 5);
        const isNoise = test.name !== 'nearly dead' && Math.abs(test.advantages.data[i]) < 1e-9;
        if (isNoise) expect(Math.abs(advantage)).toBe(0);
      });
    });
  },
);
