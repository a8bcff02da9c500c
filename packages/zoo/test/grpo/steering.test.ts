/** What controllers do to a run: it holds to the end of the stage, a resume included, and can be read afterwards. */
import { describe, expect, it } from 'vitest';
import { stageOf, type TrainingRun } from '../../../../src/grpo/run.ts';
import { openStep } from '../../../../src/grpo/step.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { method } from '../../../../src/methods/method.ts';
import type { Controller, Levers, StepLevers } from '../../../../src/methods/points.ts';
import type { StepMetrics } from '../../../../src/methods/records.ts';
import { parameterSet } from '../../../../src/methods/uses/parameter_sets.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { type Checkpoint, loadLatestCheckpoint, saveCheckpoint } from '../../../../src/run/checkpoint/checkpoints.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { nudge } from '../../../../test/grpo/step_parts.ts';
import { rewards, YAML } from '../../../../test/grpo/tiny_stage.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { openSmallRun, type SmallRun } from '../../../../test/support/small_runs.ts';

const LINES = YAML.replace('max_steps: 3', 'max_steps: 6');

async function open(...lines: readonly string[]): Promise<TrainingRun> {
  return openSmallRun(await wasmBackend({ threads: 1 }), { yaml: [LINES, ...lines].join('\n'), rewards });
}

interface Ended {
  readonly metrics: readonly StepMetrics[];
  readonly sha256: string;
  readonly checkpoint: Checkpoint | undefined;
  readonly temperatures: readonly number[];
}

/** Takes the steps of a run, or so many of them; wall-clock apart, metrics are the run's own. */
async function steps(run: TrainingRun, most = Number.POSITIVE_INFINITY): Promise<Ended> {
  const metrics: StepMetrics[] = [];
  const temperatures: number[] = [];
  const load = run.engine.policy.load.bind(run.engine.policy);
  run.engine.policy.load = (batch, temperature) => {
    temperatures.push(temperature);
    load(batch, temperature);
  };
  let checkpoint: Checkpoint | undefined;
  for await (const event of train(run)) {
    if (event.type !== 'step') continue;
    const { step_time: _, ...rest } = event.metrics;
    metrics.push(rest);
    if (metrics.length < most) continue;
    checkpoint = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
    break;
  }
  const sha256 = await weightsSha256(run.engine.policy);
  await run.engine.policy.close();
  return { metrics, sha256, checkpoint, temperatures };
}

async function throughDisk(checkpoint: Checkpoint): Promise<Checkpoint> {
  const store = memoryStore();
  await saveCheckpoint(store, checkpoint, { keep: 1 });
  const loaded = await loadLatestCheckpoint(store);
  if (loaded === undefined) throw new Error('nothing was saved');
  return loaded.checkpoint;
}

const KL = 'beta: 0.05';
const REUSED = 'num_iterations: 2';

describe('a run that is stopped and resumed ends as one that never was, with', () => {
  const levers: readonly (readonly [string, readonly string[]])[] = /* biome-ignore format: a table */ [
      ['a beta that adapts', [KL, 'controllers: [{name: adaptive-beta, kl_horizon: 12, kl_target: 0.001}]']],
      ['a reference that is reset by steps, with its moments',
        [KL, 'controllers: [{name: ref-reset, every: 2, reset_moments: true}]']],
      ['a reference that is reset by KL', [KL, 'controllers: [{name: ref-reset, every: 0, reset_kl: 1.0e-6}]']],
      ['a reference that is the average', [KL, 'controllers: [{name: ref-ema, ema_rate: 0.3}]']],
      ['a reference that follows the average', [KL, 'controllers: [{name: ref-ema, ema_rate: 0.3, ema_every: 2}]']],
      ['a KL to the first policy', [KL, 'controllers: [ref-sync, first-kl]']],
      ['a beta that is raised', [KL, 'controllers: [{name: kl-trust, kl_limit: 1.0e-6}]']],
      ['rollouts that are left out', [REUSED, 'controllers: [{name: kl-trust, kl_limit: 1.0e-9, beyond_limit: skip}]']],
      ['a temperature that moves',
        [REUSED, 'controllers: [{name: temperature-schedule, sampling_temperature: {from: 1.5, to: 0.5}}]']],
      ['whole distributions',
        ['loss_terms: [kl-exact, {name: lp-reg, lp_reg_share: 1}]', 'credit_steps: [kl-reward]', REUSED]],
    ];
  it.each(fewOf(levers, { quick: 5, all: 7 }))('%s', async (_, lines) => {
    const whole = await steps(await open(...lines));
    expect(whole.metrics).toHaveLength(6);
    for (const at of [2, 3]) {
      const { metrics, checkpoint } = await steps(await open(...lines), at);
      const resumed = await open(...lines);
      restoreCheckpoint(resumed, await throughDisk(checkpoint as Checkpoint));
      const rest = await steps(resumed);
      expect([...metrics, ...rest.metrics]).toEqual(whole.metrics);
      expect(rest.sha256).toBe(whole.sha256);
    }
  });
});

describe('the temperature', () => {
  const MOVES = 'controllers: [{name: temperature-schedule, sampling_temperature: {from: 2, to: 0.5}}]';

  it('of the update is that of the sampling, also where its rollouts give a second step', async () => {
    const { temperatures, metrics } = await steps(await open(MOVES, REUSED));
    const at = (step: number): number => 2 - (1.5 * step) / 6;
    expect(temperatures).toEqual([0, 2, 4].flatMap((step) => [at(step), at(step)]));
    for (const { 'sampling/sampling_logp_difference/max': difference } of metrics.filter((__, i) => i % 2 === 0)) {
      expect(difference).toBe(0);
    }
  });

  it('is that of the stage where nothing moves it', async () => {
    const { temperatures } = await steps(await open('temperature: 0.7'));
    expect(new Set(temperatures)).toEqual(new Set([0.7]));
  });
});

/** A run whose controller is the test's own. */
async function controlled(controller: Controller, ...lines: readonly string[]): Promise<TrainingRun> {
  const own = method({
    id: 'own',
    about: { does: 'Acts.', formula: 'none', source: 'own', certainty: 'own' },
    options: {},
    uses: () => (['reference', 'first', 'average'] as const).map(parameterSet),
    create: (): Controller => controller,
  });
  const small: SmallRun = {
    yaml: [LINES, 'controllers: [./own.ts]', ...lines].join('\n'),
    rewards,
    methods: { './own.ts': own },
  };
  return openSmallRun(await wasmBackend({ threads: 1 }), small);
}

/** Levers of a run behind its first step. */
async function leversBehindOneStep(...lines: readonly string[]): Promise<{ run: TrainingRun; levers: StepLevers }> {
  let levers: StepLevers | undefined;
  const run = await controlled(
    {
      async afterStep(_, given) {
        levers = given;
      },
    },
    ...lines,
  );
  for await (const event of train(run)) if (event.type === 'step') break;
  if (levers === undefined) throw new Error('no step was taken');
  return { run, levers };
}

describe('levers', () => {
  it('set options of methods, the learning rate and the temperature for the steps to come', async () => {
    const { run, levers } = await leversBehindOneStep(KL, 'entropy_coef: 0.01');
    expect([levers.get('beta'), levers.get('entropy_coef'), levers.get('temperature')]).toEqual([0.05, 0.01, 1]);
    for (const [key, value] of [
      ['beta', 0.2],
      ['learning_rate', 1e-4],
      ['temperature', 0.6],
    ] as const) {
      levers.set(key, value);
      expect(levers.get(key)).toBe(value);
    }
    const stage = stageOf(run);
    if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
    const { stage: now, methods } = openStep(run, stage);
    expect([now.sampling.temperature, now.optimizer.learningRate]).toEqual([0.6, 1e-4]);
    expect(methods.lossTerms.find(({ id }) => id === 'kl-loss')?.part.device).toBeUndefined();
    expect(stage.sampling.temperature).toBe(1);
    await run.engine.policy.close();
  });

  it('refuse what there is not, and what an option refuses', async () => {
    const { run, levers } = await leversBehindOneStep(KL);
    expect(() => levers.set('bta', 1)).toThrow('own asks for bta, which no method of this stage takes');
    expect(() => levers.set('beta', -1)).toThrow(/^own sets beta to -1: must be/);
    expect(() => levers.set('learning_rate', Number.NaN)).toThrow(/must be a finite number/);
    await run.engine.policy.close();
  });

  it('set the option of one method where several have one of that spelling', async () => {
    const { run, levers } = await leversBehindOneStep(
      'prompt_source: weakness',
      'group_steps: [{name: appeal, reward: varied}]',
    );
    const said = 'own asks for share, which several methods take; say which: weakness.share, appeal.share';
    expect(() => levers.get('share')).toThrow(said);
    expect(() => levers.set('share', 0.5)).toThrow(said);
    levers.set('appeal.share', 0.5);
    expect([levers.get('appeal.share'), levers.get('weakness.share')]).toEqual([0.5, 0.3]);
    expect(run.journal.state.steering.settings).toEqual({ 'appeal.share': 0.5 });
    await run.engine.policy.close();
  });

  it('find what an old checkpoint has set for all methods that take an option of its spelling', async () => {
    const lines = ['prompt_source: weakness', 'group_steps: [{name: appeal, reward: varied}]'];
    const { run } = await leversBehindOneStep(...lines);
    run.journal.state.steering = { ...run.journal.state.steering, settings: { share: 0.4 } };
    const checkpoint = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
    restoreCheckpoint(run, await throughDisk(checkpoint));
    expect(run.journal.state.steering.settings).toEqual({ 'weakness.share': 0.4, 'appeal.share': 0.4 });
    await run.engine.policy.close();
  });

  it('move parameter sets as their formula says', async () => {
    const { run, levers } = await leversBehindOneStep();
    const { policy } = run.engine;
    const read = async (...sets: readonly Parameters<typeof policy.readVector>[0][]) =>
      Promise.all(sets.map((set) => policy.readVector(set)));
    const [weights, reference, first, average] = await read('weights', 'reference', 'first', 'average');
    expect(reference).toEqual(first);
    expect(average).toEqual(first);
    expect(reference).not.toEqual(weights);
    await levers.mix('average', 'policy', 0.25);
    await levers.mix('reference', 'average', 1);
    const [mixed, copied, same] = await read('average', 'reference', 'first');
    mixed.forEach((value, i) => expect(value).toBeCloseTo(0.25 * weights[i] + 0.75 * first[i], 6));
    expect(copied).toEqual(mixed);
    expect(same).toEqual(first);
    await run.engine.policy.close();
  });

  it('reset the moments, and with them the bias correction', async () => {
    const { run, levers } = await leversBehindOneStep();
    await levers.resetMoments();
    for (const moment of ['firstMoment', 'secondMoment'] as const) {
      expect((await run.engine.policy.readVector(moment)).every((value) => value === 0)).toBe(true);
    }
    const before = await run.engine.policy.readVector('weights');
    let learningRate: unknown;
    for await (const event of train(run)) {
      if (event.type !== 'step') continue;
      learningRate = event.metrics.learning_rate;
      break;
    }
    const after = await run.engine.policy.readVector('weights');
    // The first step of AdamW is as long as the learning rate, wherever the gradient is not 0.
    const longest = after.reduce((most, value, i) => Math.max(most, Math.abs(value - before[i])), 0);
    expect(longest).toBeCloseTo(Number(learningRate), 5);
    await run.engine.policy.close();
  });

  it('measure the KL to the policy as it is, which is 0 until it changes', async () => {
    const { run, levers } = await leversBehindOneStep();
    const near = await levers.kl('policy');
    expect(near).toBeGreaterThan(0);
    expect(await levers.kl('reference')).toBe(0); // of the weights that sampled
    await nudge(run, 0.2);
    expect(await levers.kl('policy')).toBeGreaterThan(near);
    await run.engine.policy.close();
  });
});

describe('a stage that a controller ends', () => {
  const end: Controller = {
    async afterStep({ step }, levers: Levers) {
      if (step === 2) levers.endStage('enough is known');
    },
  };

  it('is followed by its last evaluation, and says why', async () => {
    const run = await controlled(end);
    const seen: string[] = [];
    for await (const event of train(run)) {
      if (event.type === 'evaluation') seen.push(event.moment);
      if (event.type === 'step') seen.push(`step ${event.step}`);
      if (event.type === 'diagnosis' && event.diagnosis.code === 'stage-ended') seen.push(event.diagnosis.message);
    }
    expect(seen).toEqual(['baseline', 'step 1', 'The stage ended after step 2: enough is known.', 'step 2', 'final']);
    expect(run.journal.state.final).toBeDefined();
    await run.engine.policy.close();
  });

  it('stays ended over a resume', async () => {
    const run = await controlled(end);
    let checkpoint: Checkpoint | undefined;
    for await (const event of train(run)) {
      if (event.type === 'step' && event.step === 2)
        checkpoint = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
    }
    const resumed = await controlled(end);
    restoreCheckpoint(resumed, await throughDisk(checkpoint as Checkpoint));
    const types: string[] = [];
    for await (const event of train(resumed)) types.push(event.type);
    // The step was saved before the final evaluation, which is made up for.
    expect(types).toEqual(['stage', 'evaluation', 'end']);
    expect(resumed.journal.state.final).toEqual(run.journal.state.final);
    expect(await weightsSha256(resumed.engine.policy)).toBe(await weightsSha256(run.engine.policy));
    for (const {
      engine: { policy },
    } of [run, resumed])
      await policy.close();
  });

  it('keeps what it has where an evaluation ends it', async () => {
    const run = await controlled({
      async afterEvaluation(_, levers) {
        levers.endStage('it is solved');
      },
    });
    const types: string[] = [];
    for await (const event of train(run)) types.push(event.type);
    expect(types).not.toContain('step');
    expect(run.journal.state.final).toBe(run.journal.state.baseline);
    await run.engine.policy.close();
  });
});
