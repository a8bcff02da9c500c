/** A solver and a verifier in turn: what each phase pays, and what it trains. */
import { describe, expect, it } from 'vitest';
import type { GroupRequest } from '../../../../../src/methods/points.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { goOn, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { groupOf, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, rolloutTools } from '../../../../../test/support/steps.ts';

/** One group of a right and a wrong answer, at a step of the stage, where every verdict is `said`. */
async function rolled(said: string, { step = 0, progress = 0 } = {}) {
  const stage = stageOf('rollout_strategies: [verifier-cotrain]');
  const [{ part }] = createMethods(stage).rolloutStrategies;
  const logged: Record<string, number> = {};
  const tools = rolloutTools(stage, { step, progress, metric: metricsInto(logged) });
  const next = async (own: readonly GroupRequest[]) =>
    own.map(({ samples, judge, kind }) => {
      if (judge === undefined) return groupOf([rolloutOf(3, 1), rolloutOf(3, 0)]);
      const one = { ...rolloutOf(1, 0), text: said, verdict: judge(said), reward: judge(said).score };
      return { ...groupOf(Array.from({ length: samples }, () => one)), ...(kind && { kind }) };
    });
  const groups = await part.rollOut([{ item: groupOf([]).item, samples: 2 }], next, tools);
  return { groups, logged };
}

describe('verifier-cotrain', () => {
  it('pays the solver the verdicts beside its reward, less as the stage advances, and trains on no verdict', async () => {
    for (const [progress, weight] of [
      [0, 0.5],
      [0.5, 0.25],
      [1, 0],
    ] as const) {
      const { groups } = await rolled('<yes>', { progress });
      expect(groups.map(({ kind, rollouts }) => [kind, rollouts.map(({ reward }) => reward)])).toEqual([
        [undefined, [1 + weight, weight]],
      ]);
    }
    const { groups, logged } = await rolled('<no>');
    expect(groups[0].rollouts.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(logged).toEqual({ verifies: 0, yes_of_right: 0, yes_of_wrong: 0 });
  });

  it('pays the verifier the verdict of the rule at every fourth step, and trains on no answer', async () => {
    const { groups, logged } = await rolled('<yes>', { step: 3 });
    expect(groups.map(({ kind }) => kind)).toEqual([undefined, 'verify']);
    expect(groups[0].rollouts.map(({ inLoss }) => inLoss)).toEqual([false, false]);
    expect(logged).toEqual({ verifies: 1, accuracy: 1 });
  });

  const line = (options: string) => `rollout_strategies: [{name: verifier-cotrain, ${options}}]`;

  it('without verdicts and steps that verify is plain sampling, to the bit', async () => {
    const words = 'rollout_strategies: [{name: self-verify, first_verify_step: 99}]';
    expect(await weightsAfter(line('verdict_weight: 0, verifier_steps: 0'))).toBe(await weightsAfter(words));
    expect(await weightsAfter(line('verdict_weight: 0.5, verifier_steps: 0'))).not.toBe(await weightsAfter(words));
  });

  it('samples and scores the same bits in both phases, and a kill changes none', async () => {
    const every = line('solver_steps: 1, verifier_steps: 1');
    await withTossedRun(every, async (run) => {
      const { metrics } = await goOn(run);
      expect(metrics.map((step) => step['verifier-cotrain/verifies'])).toEqual([0, 1, 0, 1]);
      for (const step of metrics) expect(step['sampling/sampling_logp_difference/max']).toBe(0);
    });
    const { whole, killed } = await wholeAndKilled(every);
    expect(killed).toEqual(whole);
  });
});
