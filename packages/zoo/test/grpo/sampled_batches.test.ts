/** Every batch that was sampled is in the metrics, as TRL logs it: those too that taught nothing, and what was thrown away. */
import { describe, expect, it } from 'vitest';
import { batchMetrics, meanOverBatches } from '../../../../src/grpo/metrics.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Collected, Rollout, RolloutGroup, StepMetrics } from '../../../../src/methods/records.ts';
import { deviationOf, meanOf } from '../../../../src/methods/statistics.ts';
import { hasEqualRewards } from '../../../../src/methods/support/credit/baseline.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { loadGolden } from '../../../../test/golden/load.ts';
import { tossed, withTossedRun } from '../../../../test/support/killed_runs.ts';
import { smallConfig } from '../../../../test/support/small_runs.ts';
import { stageOf } from '../../../../test/support/stages.ts';

type Parts = readonly (number | null)[];

/** A completion of which these rewards and this length are known. */
function completion(rewardParts: Parts, reward: number | null, length = 2, isCut = false): Rollout {
  return {
    ...{ tokens: new Int32Array(length), logprobs: new Float32Array(length), entropies: new Float32Array(length) },
    ...{ keptLogMass: new Float32Array(length), text: '', finishReason: isCut ? 'length' : 'eos', rewardParts, reward },
    verdict: { score: 0, status: 'incorrect', reason: '' },
  };
}

const item = { key: '', prompt: '', answer: '' } as RolloutGroup['item'];
const group = (rollouts: readonly Rollout[]): RolloutGroup => ({
  ...{ item, prompt: new Int32Array(1), rollouts },
  dead: hasEqualRewards({ rollouts }),
});

/** The line of a batch, with each reward under the name that TRL's has in the fixture. */
function lineOf(groups: readonly RolloutGroup[], rewards = 1): StepMetrics {
  const stage = stageOf('');
  const named = Array.from({ length: rewards }, (_, i) => ({ ...stage.rewards[0], name: `r${i}` }));
  const at = { step: 1, tokens: 0, fate: 'dead' } as const;
  return batchMetrics({ ...stage, rewards: named }, { collected: { groups, rounds: 1 }, groups }, {}, at);
}

function expectFigures(
  line: StepMetrics,
  expected: Readonly<Record<string, number | null>>,
  but: readonly string[] = [],
): void {
  for (const [name, value] of Object.entries(expected)) {
    if (but.includes(name)) expect([name, line[name]]).not.toEqual([name, value]);
    else expect(line[name], name).toBeCloseTo(Number(value), 6); // TRL's shares and lengths are float32
  }
}

describe("TRL's figures of the same rewards", () => {
  it('are those of each batch of a run of which 84 % of the groups are dead, and of all of it', () => {
    const { batches, metrics } = loadGolden('trl_metrics');
    const lines = batches.map((groups) =>
      lineOf(
        groups.map((rows) => group(rows.map(([reward, ...more]) => completion([reward], reward, more[0], !!more[1])))),
      ),
    );
    // TRL counts the prompt's tokens, too.
    for (const [i, { num_tokens: _, ...trl }] of metrics.entries()) expectFigures(lines[i], trl);
    const means = (name: string): number => meanOf(lines.map((line) => Number(line[name])));
    expect([means('reward'), means('frac_reward_zero_std')].map((mean) => mean.toFixed(4))).toEqual([
      '0.0411',
      '0.8429',
    ]);
  });

  const { cases } = loadGolden('trl_advantages');
  it.each(
    cases
      .filter(({ scale_rewards: scale }) => scale === 'group')
      .filter((one) => !one.multi_objective_aggregation.startsWith('normalize')),
  )(
    'are those of a batch by hand: $name',
    ({ name, num_generations: size, reward_weights: weights, rewards_per_func: rows, metrics }) => {
      const rollouts = rows.map((parts) => {
        const known = parts.flatMap((part, i) => (part === null ? [] : part * weights[i]));
        return completion(parts, known.length === 0 ? null : known.reduce((sum, part) => sum + part, 0));
      });
      const groups = Array.from({ length: rows.length / size }, (_, i) => rollouts.slice(i * size, (i + 1) * size));
      // Here a group is dead whose rewards are equal to the bit, and one that has a single reward.
      const otherDead = ['nearly dead', 'one scorable'].includes(name) ? ['frac_reward_zero_std'] : [];
      expectFigures(lineOf(groups.map(group), weights.length), metrics, otherDead);
    },
  );
});

/** What a run has sampled, and its lines that say so. */
async function sampledBy(
  lines: string,
  reward: RewardFunction['score'],
  steps = 4,
): Promise<{ batches: Collected[]; lines: StepMetrics[]; steps: StepMetrics[]; code: unknown }> {
  const own: RewardFunction = { name: 'own', score: reward };
  const seen = { batches: [] as Collected[], lines: [] as StepMetrics[], steps: [] as StepMetrics[], code: undefined };
  const yaml = smallConfig(lines, steps).replace('[lcs]', '[own]');
  return withTossedRun(
    '',
    async (run) => {
      try {
        for await (const event of train(run)) {
          if (event.type === 'rollouts') seen.batches.push(event.collected);
          if (event.type === 'step' || event.type === 'batch') seen.lines.push(event.metrics);
          if (event.type === 'step') seen.steps.push(event.metrics);
        }
      } catch (error) {
        return { ...seen, code: (error as { readonly code?: unknown }).code };
      }
      return seen;
    },
    { yaml, rewards: { own }, verify: tossed(3) },
  );
}

const varied: RewardFunction['score'] = ({ completions }) => completions.map((text) => text.length % 3);
const equal: RewardFunction['score'] = ({ completions }) => completions.map(() => 1);
/** Every third batch, and as many groups of it, have something to teach. */
const oneInThree = (): RewardFunction['score'] => {
  let calls = 0;
  return (batch) => (++calls % 3 === 0 ? varied(batch) : equal(batch));
};

/** By TRL's formulas, of all that the policy sampled by itself. */
function figuresOf({ unaided = [] }: Collected): Record<string, number> {
  const rewards = unaided.flatMap(({ rollouts }) => rollouts.flatMap(({ reward }) => reward ?? []));
  return {
    reward: meanOf(rewards),
    reward_std: deviationOf(rewards),
    frac_reward_zero_std: meanOf(
      unaided.map(({ rollouts }) => Number(deviationOf(rollouts.map((one) => one.reward ?? 0)) < 1e-8)),
    ),
    'completions/mean_length': meanOf(unaided.flatMap(({ rollouts }) => rollouts.map(({ tokens }) => tokens.length))),
    'groups/drawn': unaided.length,
  };
}

describe('each batch that was sampled', () => {
  it.each([
    ['where some have no live group', '', 12, 4],
    ['where batches wait for their step', 'staleness: 2', 12, 4],
    ['where a step takes several batches, and a batch several steps', 'num_iterations: 2', 6, 4],
  ])('has a line of its own %s', async (_, keys, batches, steps) => {
    const seen = await sampledBy(keys, oneInThree());
    const sampled = seen.lines.filter(({ reward }) => reward !== undefined);
    expect([seen.batches.length, sampled.length, seen.steps.length]).toEqual([batches, batches, steps]);
    for (const [i, batch] of seen.batches.entries()) expectFigures(sampled[i], figuresOf(batch));
    for (const line of seen.lines) expect('loss' in line).toBe(line.batch === undefined);
    const fates = sampled.map(({ batch, 'groups/live': live }) => [batch === 'dead', live === 0]);
    for (const [isDead, isWithout] of fates) expect(isDead).toBe(isWithout);
    expect(seen.steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
    expect(seen.lines.every(({ step }, i) => Number(step) >= Number(seen.lines[i - 1]?.step ?? 1))).toBe(true);
  });

  it('has one where the run ends for want of a live group', async () => {
    const { code, lines, batches } = await sampledBy('', equal);
    expect([code, batches.length, lines.length]).toEqual(['nothing-to-learn', 10, 10]);
    expect(lines.every(({ batch, frac_reward_zero_std: dead }) => batch === 'dead' && dead === 1)).toBe(true);
  });
});

describe('what a strategy throws away, or puts in', () => {
  it.each([
    ['dynamic_sampling: refill', oneInThree()],
    ['rollout_strategies: [{name: oversample-select, oversampling: 2}]', varied],
    ['rollout_strategies: [{name: hint-resample, hint_levels: 2}]', varied],
  ])('%s: what was sampled is beside what is trained on', async (keys, score) => {
    const { batches, steps } = await sampledBy(keys, score);
    for (const [i, batch] of batches.entries()) expectFigures(steps[i], figuresOf(batch));
    const others = steps.filter((line) => line['trained/groups'] !== undefined);
    expect(others.length).toBeGreaterThan(0);
    for (const line of others) expect(line).toHaveProperty(['trained/reward']);
  });

  it('leaves nothing to say where all is trained on', async () => {
    const { lines } = await sampledBy('', varied);
    expect(lines.flatMap((line) => Object.keys(line).filter((name) => name.startsWith('trained/')))).toEqual([]);
  });
});

describe('the mean over the batches of a step', () => {
  it('has the numbers that several lines have, and the newest of the others', () => {
    const batch = { step: 3, batch: 'dead', reward: 0, num_tokens: 10 };
    expect(meanOverBatches([batch, batch, { step: 3, reward: 0.6, loss: 2, num_tokens: 30 }])).toEqual({
      ...{ step: 3, reward: 0.6 / 3, loss: 2, num_tokens: 30 },
    });
  });
});
