/** Runs with a value head: what it costs where nothing names it, kills, micro-batches, threads, and the next stage. */
import { describe, expect, it } from 'vitest';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { methodStates } from '../../../../src/methods/part_states.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { rewards, YAML } from '../../../../test/grpo/tiny_stage.ts';
import { parseConfig, remarksOn } from '../../../../test/support/everything.ts';
import { finishRun, finishSmallRun, openSmallRun, plainWasm } from '../../../../test/support/small_runs.ts';

const PPO = `${YAML}\nadvantage_estimator: gae\nloss_terms: [value-loss]`;
const finish = async (yaml: string, backend?: Backend) =>
  finishSmallRun(backend ?? (await plainWasm()), { yaml, rewards });
const openRun = async (yaml: string): Promise<TrainingRun> => openSmallRun(await plainWasm(), { yaml, rewards });
const headOfRun = ({ methods }: TrainingRun, stage = 0): unknown => {
  const states = methods[stage] && methodStates(methods[stage]);
  return states?.['shared/value-head'];
};

describe('a run with a value head', () => {
  it('learns values, and measures how well they explain the returns', async () => {
    const longer = PPO.replace('max_steps: 3', 'max_steps: 30').replace(
      '[value-loss]',
      '[{name: value-loss, vf_coef: 1}]',
    );
    const { metrics } = await finish(longer.replace('learning_rate: 5.0e-3', 'learning_rate: 1.0e-4'));
    const of = (name: string): number[] => metrics.map((line) => Number(line[name]));
    expect(of('gae/value')[0]).toBe(0);
    expect(of('gae/value')[29]).toBeGreaterThan(0.5);
    const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean(of('value_loss').slice(-5))).toBeLessThan(0.8 * of('value_loss')[0]);
    expect(of('gae/explained_variance').every(Number.isFinite)).toBe(true);
  });

  it('has the same bits in one micro-batch and in three, with two threads, and after a kill within a batch', async () => {
    const yaml = `${PPO.replace('max_steps: 3', 'max_steps: 4').replace('[value-loss]', '[{name: value-loss, value_trunk_coef: 0.5}]')}\nnum_iterations: 2`;
    const whole = await finish(yaml);
    expect((await finish(`${yaml}\nper_device_train_batch_size: 4\ngradient_accumulation_steps: 3`)).sha256).toBe(
      whole.sha256,
    );
    expect((await finish(yaml, await wasmBackend({ threads: 2, fma: false }))).sha256).toBe(whole.sha256);
    for (const steps of [1, 2]) {
      const killed = await openRun(yaml);
      let saved: Awaited<ReturnType<typeof captureCheckpoint>> | undefined;
      let taken = 0;
      for await (const event of train(killed)) {
        if (event.type !== 'step' || ++taken < steps) continue;
        saved = await captureCheckpoint(killed, { metrics: 0, completions: 0 }, 0);
        break;
      }
      await closeEngine(killed.engine);
      const resumed = await openRun(yaml);
      restoreCheckpoint(resumed, saved as NonNullable<typeof saved>);
      expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
    }
  });

  it('lets the error into the policy only where it is asked to', async () => {
    const alone = PPO.replace('max_steps: 3', 'max_steps: 3\nobjective: terms-only');
    const run = await openRun(alone);
    const before = await weightsSha256(run.engine.policy);
    const { sha256 } = await finishRun(run);
    expect(sha256).toBe(before);
    const shared = await finish(alone.replace('[value-loss]', '[{name: value-loss, value_trunk_coef: 1}]'));
    expect(shared.sha256).not.toBe(before);
  });

  it('passes its head on to the next stage, whose policy has waited', async () => {
    const stages = 'stages: [{stage: grpo, objective: terms-only, max_steps: 3}, {stage: grpo, max_steps: 1}]';
    const yaml = `${PPO.replace('max_steps: 3\n', '')}\n${stages}`;
    const run = await openRun(yaml);
    const values: number[] = [];
    let taught: unknown;
    for await (const event of train(run)) {
      if (event.type !== 'step') continue;
      values.push(Number(event.metrics['gae/value']));
      if (values.length === 3) taught = headOfRun(run);
    }
    expect(values[0]).toBe(0);
    expect(Math.abs(values[3])).toBeGreaterThan(0);
    expect(headOfRun(run, 1)).not.toEqual(taught);
    expect((headOfRun(run, 1) as { steps: number }).steps).toBe(4);
    await closeEngine(run.engine);
  });

  it('trains groups of one, and says what it misses without the other half', async () => {
    const single = PPO.replace('num_generations: 4', 'num_generations: 1');
    expect((await finish(single)).metrics).toHaveLength(3);
    const said = (yaml: string): string[] => {
      const [stage] = parseConfig(yaml, { file: 'my.yaml' }).config.stages;
      return stage.stage === 'grpo' ? remarksOn(stage).map(({ value, text }) => `${value} ${text}`) : [];
    };
    expect(said(`${YAML}\nadvantage_estimator: gae`)).toContain(
      'gae is meant to have value-loss beside it, which teaches the values; set loss_terms: [value-loss]',
    );
    expect(said(`${YAML}\nloss_terms: [value-loss]`)).toContain(
      'value-loss is meant to have gae beside it, whose returns it learns; set advantage_estimator: gae',
    );
    expect(() => said(YAML.replace('num_generations: 4', 'num_generations: 1'))).toThrow(
      /num_generations: 1 — a group of one has no advantage; use 2 or more/,
    );
  });
});
