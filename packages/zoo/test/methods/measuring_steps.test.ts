/** m-grad and m-interference: what they say of a step, against the step itself, and that they change nothing. */
import { beforeAll, describe, expect, it } from 'vitest';
import { layerNorms } from '../../../../src/grpo/layer_norms.ts';
import type { StepMetrics } from '../../../../src/methods/records.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../test/support/killed_runs.ts';

const norm = (values: ArrayLike<number>): number => Math.hypot(...Array.from(values));
const numberOf = (metrics: StepMetrics, name: string): number => Number(metrics[name]);

describe('m-grad', () => {
  const line = 'weight_decay: 0.1\ncontrollers: [m-grad]';
  let seen: readonly StepMetrics[];
  beforeAll(async () => {
    seen = await withTossedRun(line, async (run) => (await goOn(run)).metrics);
  });

  const layersOf = (metrics: StepMetrics): string[] =>
    Object.keys(metrics).flatMap((name) => /^m-grad\/gradient\/(.*)$/.exec(name)?.[1] ?? []);

  it('the squares of the layers add up to that of grad_norm', () => {
    for (const metrics of seen) {
      const layers = layersOf(metrics);
      expect(layers).toContain('0');
      expect(layers).toContain('other');
      const whole = norm(layers.map((layer) => numberOf(metrics, `m-grad/gradient/${layer}`)));
      expect(whole / numberOf(metrics, 'grad_norm')).toBeCloseTo(1, 5);
    }
  });

  it('the share of positive credit lies between 0 and 1', () => {
    for (const metrics of seen) {
      const share = numberOf(metrics, 'm-grad/positive');
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(1);
    }
  });

  it('updates are what the weights have moved by, without a copy of what they were', async () => {
    await withTossedRun('weight_decay: 0.1', async (run) => {
      const [stage] = run.config.stages;
      for (let step = 1; step <= 3; step++) {
        const before = await run.engine.policy.readVector('weights');
        const { metrics } = await goOn(run, 1);
        const after = await run.engine.policy.readVector('weights');
        const learningRate = numberOf(metrics[0], 'learning_rate');
        const norms = await layerNorms(run.engine.policy, stage.optimizer, { learningRate, adamStep: step });
        const moved = norm(after.map((weight, i) => weight - before[i]));
        expect(norm(norms.map(({ update = Number.NaN }) => update)) / moved).toBeCloseTo(1, 3);
        expect(norm(norms.map(({ weights }) => weights)) / norm(after)).toBeCloseTo(1, 6);
      }
    });
  });

  it('has gradients and no updates where Muon steps, whose moments do not tell them', async () => {
    const [metrics] = await withTossedRun(`${line}\noptim: muon`, async (run) => (await goOn(run, 1)).metrics);
    expect(layersOf(metrics)).toContain('0');
    expect(Object.keys(metrics).filter((name) => name.startsWith('m-grad/update'))).toEqual([]);
  });

  it('changes nothing, and goes on where the run was killed', async () => {
    const { whole, killed } = await wholeAndKilled(line);
    expect(killed).toEqual(whole);
    expect(whole.sha256).toBe((await wholeAndKilled('weight_decay: 0.1')).whole.sha256);
  });
});

describe('m-interference', () => {
  const line = 'loss_terms: [{name: m-interference, solutions: 3}]';

  it('keeps the first right completions, and says how each step has moved them', async () => {
    const metrics = await withTossedRun(line, async (run) => (await goOn(run)).metrics);
    expect(metrics.map((step) => step['m-interference/solutions'])).toEqual([3, 3, 3, 3]);
    expect(metrics[0]['m-interference/moved']).toBeUndefined();
    expect(metrics[0]['m-interference/since']).toBe(0);
    const loglik = metrics.map((step) => numberOf(step, 'm-interference/loglik'));
    for (let step = 1; step < loglik.length; step++) {
      expect(numberOf(metrics[step], 'm-interference/moved')).toBeCloseTo(loglik[step] - loglik[step - 1], 10);
      expect(numberOf(metrics[step], 'm-interference/since')).toBeCloseTo(loglik[step] - loglik[0], 10);
      expect(loglik[step]).toBeLessThan(0);
    }
  });

  it('changes nothing, and goes on where the run was killed', async () => {
    const { whole, killed } = await wholeAndKilled(line);
    expect(killed).toEqual(whole);
    expect(whole.sha256).toBe((await wholeAndKilled('')).whole.sha256);
  });
});
