/** Pairs of a stage that samples, for the next stage, which does not. */
import { describe, expect, it } from 'vitest';
import { takeOver } from '../../../../../src/methods/part_states.ts';
import type { RolloutStrategy } from '../../../../../src/methods/points.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { captureCheckpoint } from '../../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../../src/run/checkpoint/restore.ts';
import { encodeStrictJson } from '../../../../../src/run/json.ts';
import { weightsSha256 } from '../../../../../src/run/model/model_files.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, tossed, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

const SAMPLED = stageOf('rollout_strategies: [step-dpo-stage]');
const STORED = stageOf('objective: dpo-pairs', 'rollout_strategies: [{name: step-dpo-stage, pairs_from: stored}]');

const of = (tokens: readonly number[], reward: number): Rollout => ({
  ...rolloutOf(tokens.length, reward),
  tokens: Int32Array.from(tokens),
});

async function rolled(part: RolloutStrategy, rollouts: readonly Rollout[], step = 0) {
  const logged: Record<string, number> = {};
  const group = groupOf(rollouts);
  let asked = 0;
  const tools = rolloutTools(SAMPLED, { step, metric: metricsInto(logged) });
  const next = async (requests: readonly unknown[]) => {
    asked += requests.length;
    return requests.map(() => group);
  };
  const groups = await part.rollOut([{ item: group.item, samples: 3 }], next, tools);
  return { groups, logged, asked };
}

describe('step-dpo-stage', () => {
  const right = of([1, 2, 3, 4], 1);
  const apart = of([2, 2, 3, 4], 0);
  const near = of([1, 2, 4, 4], 0);

  it('keeps the pair that parts last, and gives it to the stage behind, which samples nothing', async () => {
    const [before, behind] = [createMethods(SAMPLED), createMethods(STORED)];
    const first = await rolled(before.rolloutStrategies[0].part, [apart, right, near], 3);
    expect(first).toMatchObject({ asked: 1, logged: { kept: 1, replayed: 0 } });
    takeOver(before, behind);
    const { groups, asked, logged } = await rolled(behind.rolloutStrategies[0].part, [apart, apart], 1);
    expect(asked).toBe(0);
    expect(logged).toEqual({ kept: 1, replayed: 1, age: 2 });
    expect(groups).toHaveLength(1);
    expect(groups[0].rollouts.map(({ tokens }) => [...tokens])).toEqual([[...right.tokens], [...near.tokens]]);
    for (const one of groups[0].rollouts) expect(one).toMatchObject({ origin: 'replay', isOffPolicy: true });
  });

  it('begins anew where a stage samples, and samples where nothing is stored', async () => {
    const [before, behind] = [createMethods(SAMPLED), createMethods(SAMPLED)];
    await rolled(before.rolloutStrategies[0].part, [right, near]);
    takeOver(before, behind);
    expect((await rolled(behind.rolloutStrategies[0].part, [right, right])).logged).toEqual({ kept: 0, replayed: 0 });
    const empty = createMethods(STORED).rolloutStrategies[0].part;
    expect(await rolled(empty, [right, near])).toMatchObject({ asked: 1, logged: { kept: 1, replayed: 0 } });
  });

  it('refuses what is no state of its own', () => {
    for (const forged of [7, {}, { before: 0, last: 0, pairs: [{ item: {}, prompt: [], rollouts: [] }] }]) {
      expect(() => createMethods(STORED).rolloutStrategies[0].part.restore?.(forged as never)).toThrow(TypeError);
    }
  });

  const STAGES = `
stages:
  - {stage: grpo, max_steps: 2, reward_funcs: [accuracy], rollout_strategies: [step-dpo-stage]}
  - {stage: grpo, max_steps: 2, reward_funcs: [accuracy], objective: dpo-pairs, aggregation: seq-mean, loss_type: null, rollout_strategies: [{name: step-dpo-stage, pairs_from: stored}]}
  - {stage: grpo, max_steps: 1, reward_funcs: [accuracy], rollout_strategies: [step-dpo-stage]}`;
  const small = { verify: tossed(3) };

  it('is DPO: the first loss on stored pairs is ln 2, no token is sampled for it, and a kill changes no bit', async () => {
    const whole = await withTossedRun(
      STAGES,
      async (run) => ({ ...(await goOn(run)), sha256: await weightsSha256(run.engine.policy) }),
      small,
    );
    const [, sampled, first, second, again] = whole.metrics;
    expect(first.loss).toBeCloseTo(Math.LN2, 5);
    expect(second.num_tokens).toBe(sampled.num_tokens);
    expect(again.num_tokens).toBeGreaterThan(sampled.num_tokens as number);
    const checkpoint = await withTossedRun(
      STAGES,
      async (run) => {
        await goOn(run, 2); // all of the first stage
        return captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
      },
      small,
    );
    const sha256 = await withTossedRun(
      STAGES,
      async (run) => {
        restoreCheckpoint(run, { ...checkpoint, state: JSON.parse(encodeStrictJson(checkpoint.state)) });
        await goOn(run);
        return weightsSha256(run.engine.policy);
      },
      small,
    );
    expect(sha256).toBe(whole.sha256);
  });
});
