import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GrpoStageConfig, StageConfig } from '../../src/methods/stage.ts';
import { loadConfigFile, parseConfig } from '../support/everything.ts';
import { folderOfFile } from '../support/folders.ts';

const COUNTDOWN = `task: {name: countdown, answer: steps, numbers: 3, max_number: 10}
model: {hidden_size: 128, num_hidden_layers: 3, num_attention_heads: 4, initializer_range: 0.05}
seed: 0
stages:
  - {stage: sft, max_steps: 2500, per_device_train_batch_size: 64, learning_rate: 2.0e-3, lr_scheduler_type: cosine}
  - {stage: grpo, max_steps: 300, num_generations: 16, generation_batch_size: 512, learning_rate: 3.0e-4,
     loss_type: dr_grpo, scale_rewards: group, entropy_coef: 0.03, dynamic_sampling: {name: refill, max_rounds: 2}}
eval_steps: 25
`;

function grpo(...lines: string[]): GrpoStageConfig {
  const { config } = parseConfig(['task: countdown', 'max_steps: 100', ...lines].join('\n'), { file: 'run.yaml' });
  return grpoOf(config.stages[0]);
}

function grpoOf(stage: StageConfig): GrpoStageConfig {
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  return stage;
}

describe('parseConfig', () => {
  it('resolves the countdown run', () => {
    const { config } = parseConfig(COUNTDOWN, { file: 'countdown.yaml' });
    expect(config.tasks).toEqual([
      { task: { name: 'countdown', answer: 'steps', numbers: 3, max_number: 10 }, weight: 1 },
    ]);
    expect(config.model).toMatchObject({ intermediateSize: 336, numKvHeads: 4, headDim: 32, tieWordEmbeddings: true });
    expect(config.stages[0]).toMatchObject({
      stage: 'sft',
      batch: { sequencesPerStep: 64 },
      optimizer: { learningRate: 2e-3 },
      evaluation: { evalSteps: 25 },
    });
    expect(config.stages[1]).toMatchObject({
      stage: 'grpo',
      batch: { completionsPerStep: 512, promptsPerStep: 32, optimizerStepsPerGeneration: 1 },
      rewards: [{ name: 'accuracy', weight: 1 }],
      methods: {
        rolloutStrategies: [{ name: 'refill', max_rounds: 2 }],
        objective: [{ name: 'ppo-clip', epsilon: 0.2, epsilon_high: 0.2, delta: null }],
        aggregation: [{ name: 'const-norm' }],
      },
    });
  });

  it("gives a stage TRL's defaults where the file says nothing", () => {
    expect(grpo()).toEqual({
      stage: 'grpo',
      batch: {
        numGenerations: 8,
        numIterations: 1,
        completionsPerStep: 256,
        promptsPerStep: 32,
        optimizerStepsPerGeneration: 1,
      },
      sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
      optimizer: {
        maxSteps: 100,
        learningRate: 1e-6,
        learningRateSchedule: 'linear',
        minLearningRateRatio: 0,
        warmupSteps: 0,
        weightDecay: 0,
        beta1: 0.9,
        beta2: 0.999,
        adamEps: 1e-8,
        maxGradNorm: 1,
      },
      evaluation: { evalSteps: 25, samples: 4 },
      rewards: [{ name: 'accuracy', weight: 1 }],
      methods: {
        promptSource: [{ name: 'stream' }],
        rolloutStrategies: [],
        tokenControls: [],
        groupSteps: [],
        advantageEstimator: [{ name: 'group', scale_rewards: 'group' }],
        creditSteps: [],
        ratio: [{ name: 'token' }],
        tokenWeights: [],
        objective: [{ name: 'ppo-clip', epsilon: 0.2, epsilon_high: 0.2, delta: null }],
        lossTerms: [],
        aggregation: [{ name: 'token-mean' }],
        controllers: [],
        evaluationFigures: [],
      },
    });
  });

  it('survives JSON', () => {
    const { config } = parseConfig(COUNTDOWN, { file: 'countdown.yaml' });
    expect(JSON.parse(JSON.stringify(config))).toStrictEqual(config);
  });

  it.each([
    ['epsilon: 0.1', { methods: { objective: [{ epsilon: 0.1, epsilon_high: 0.1 }] } }],
    ['epsilon_high: 0.28', { methods: { objective: [{ epsilon: 0.2, epsilon_high: 0.28 }] } }],
    ['epsilon_high: null', { methods: { objective: [{ epsilon_high: 0.2 }] } }],
    ['scale_rewards: true', { methods: { advantageEstimator: [{ scale_rewards: 'group' }] } }],
    ['scale_rewards: false', { methods: { advantageEstimator: [{ scale_rewards: 'none' }] } }],
    ['warmup_steps: 0.055', { optimizer: { warmupSteps: 6 } }],
    ['warmup_steps: 100', { optimizer: { warmupSteps: 100 } }],
    ['eval_strategy: no', { evaluation: { evalSteps: 0 } }],
    ['dynamic_sampling: refill', { methods: { rolloutStrategies: [{ name: 'refill', max_rounds: 2 }] } }],
    ['reward_funcs: format', { rewards: [{ name: 'format', weight: 1 }] }],
    ['lr_scheduler_kwargs: {min_lr_rate: 0.2}', { optimizer: { minLearningRateRatio: 0.2 } }],
  ])('reads %s', (line, expected) => {
    expect(grpo(line)).toMatchObject(expected);
  });

  it.each([
    ['tensorboard', ['tensorboard']],
    ['[mlflow, tensorboard]', ['mlflow', 'tensorboard']],
    ['[]', []],
    ['none', []],
    ['[none]', []],
    ['all', ['all']],
  ])('reports to %s as TRL does', (written, reportTo) => {
    const text = `task: sort_digits\nmax_steps: 1\nreport_to: ${written}`;
    expect(parseConfig(text, { file: 'inline' }).config.reportTo).toEqual(reportTo);
  });

  it('reports nothing to a tracker of TRL that is not here, and says so', () => {
    const text = 'task: sort_digits\nmax_steps: 1\nreport_to: [wandb, tensorboard]';
    const { config, notes } = parseConfig(text, { file: 'inline' });
    expect(config.reportTo).toEqual(['tensorboard']);
    expect(notes.map(({ text: said }) => said)).toEqual([
      'nothing is sent to wandb; there are tensorboard, mlflow and trackio',
    ]);
  });

  it.each(['wandbs', '[tensorboard, none]'])('says what it can report to instead of %s', (written) => {
    const text = `task: sort_digits\nmax_steps: 1\nreport_to: ${written}`;
    expect(() => parseConfig(text, { file: 'inline' })).toThrow(
      'nothing reports there; use none, all, or a list of tensorboard, mlflow and trackio (metrics.jsonl is always written).',
    );
  });

  it('weighs reward functions by reward_weights, and keeps their options', () => {
    const { rewards } = grpo('reward_funcs: [accuracy, {name: length, target: 20}]', 'reward_weights: [1, 0.1]');
    expect(rewards).toEqual([
      { name: 'accuracy', weight: 1 },
      { name: 'length', weight: 0.1, target: 20 },
    ]);
  });

  it.each([
    [['per_device_train_batch_size: 32'], 32, 1],
    [['per_device_train_batch_size: 32', 'steps_per_generation: 4'], 128, 1],
    [['per_device_train_batch_size: 32', 'gradient_accumulation_steps: 4'], 128, 1],
    [['per_device_train_batch_size: 32', 'steps_per_generation: 4', 'gradient_accumulation_steps: 2'], 128, 2],
    [['per_device_train_batch_size: 32', 'generation_batch_size: 256', 'gradient_accumulation_steps: 1'], 256, 8],
    [['generation_batch_size: 64'], 64, 1],
  ])('takes from %j a batch of %i completions and %i optimizer steps on it', (lines, completions, updates) => {
    expect(grpo(...lines)).toMatchObject({
      batch: { completionsPerStep: completions, optimizerStepsPerGeneration: updates },
    });
  });

  it("lets a stage's own key win over the top level's, and leaves grpo keys out of an sft stage", () => {
    const text =
      'task: t\nmax_steps: 5\nnum_generations: 4\nstages:\n  - stage: sft\n  - {stage: grpo, max_steps: 7}\n';
    const { stages } = parseConfig(text, { file: 'run.yaml' }).config;
    expect(stages.map((stage) => stage.optimizer.maxSteps)).toEqual([5, 7]);
    expect(stages[0]).not.toHaveProperty('batch.numGenerations');
    expect(stages[1]).toHaveProperty('batch.numGenerations', 4);
  });
});

describe('--set', () => {
  const stagesOf = (...overrides: string[]) => parseConfig(COUNTDOWN, { file: 'c.yaml' }, overrides).config.stages;

  it('reaches a stage by index and by kind', () => {
    expect(stagesOf('stages.1.learning_rate=1e-3')[1].optimizer.learningRate).toBe(1e-3);
    expect(stagesOf('grpo.learning_rate=1e-3').map((stage) => stage.optimizer.learningRate)).toEqual([2e-3, 1e-3]);
  });

  it('sets a top-level key that stages inherit', () => {
    expect(stagesOf('adam_beta2=0.95').map((stage) => stage.optimizer.beta2)).toEqual([0.95, 0.95]);
  });

  it('reaches into the model, the task and a plug-in given by name', () => {
    const overrides = ['model.hidden_size=64', 'task.numbers=4', 'dynamic_sampling.max_rounds=3'];
    const { config } = parseConfig('task: t\nmax_steps: 1\ndynamic_sampling: refill', { file: 'c.yaml' }, overrides);
    expect(config.model.hiddenSize).toBe(64);
    expect(config.tasks).toEqual([{ task: { name: 't', numbers: 4 }, weight: 1 }]);
    expect(grpoOf(config.stages[0]).methods.rolloutStrategies).toEqual([{ name: 'refill', max_rounds: 3 }]);
  });

  it('lets the last of two win, and lists be given in flow style', () => {
    const [, stage] = stagesOf('grpo.reward_funcs=[a]', 'grpo.reward_funcs=[b, {name: c, weight: 2}]');
    expect(grpoOf(stage).rewards.map((reward) => reward.name)).toEqual(['b', 'c']);
  });

  describe('a stage that is made shorter has no longer warm-up', () => {
    const STAGES = `task: t
warmup_steps: 30
stages:
  - {stage: sft, max_steps: 60, warmup_steps: 20}
  - {stage: grpo, max_steps: 40}
`;
    const warmups = (text: string, ...overrides: readonly string[]) =>
      parseConfig(text, { file: 'c.yaml' }, overrides).config.stages.map(({ optimizer }) => [
        optimizer.maxSteps,
        optimizer.warmupSteps,
      ]);

    it.each([
      [
        STAGES,
        ['sft.max_steps=10'],
        [
          [10, 10],
          [40, 30],
        ],
      ],
      [
        STAGES,
        ['stages.1.max_steps=5'],
        [
          [60, 20],
          [5, 5],
        ],
      ],
      [
        STAGES,
        ['sft.max_steps=10', 'sft.warmup_steps=4'],
        [
          [10, 4],
          [40, 30],
        ],
      ],
      [
        STAGES,
        ['sft.max_steps=50'],
        [
          [50, 20],
          [40, 30],
        ],
      ],
      ['task: t\nmax_steps: 40\nwarmup_steps: 20', ['max_steps=9'], [[9, 9]]],
      ['task: t\nmax_steps: 40\nwarmup_steps: 0.5', ['max_steps=10'], [[10, 5]]],
    ] as const)('%j with %j', (text, overrides, expected) => {
      expect(warmups(text, ...overrides)).toEqual(expected);
    });

    it('but one that is written, or given, too long is an error', () => {
      const flat = 'task: t\nmax_steps: 5\nwarmup_steps: 20';
      const rule = /warmup_steps: \d+ — longer than the stage \(max_steps 5\)/;
      expect(() => warmups(flat)).toThrow(rule);
      expect(() => warmups('task: t\nmax_steps: 40', 'max_steps=5', 'warmup_steps=9')).toThrow(rule);
    });
  });

  it('means the flat keys by grpo where there are no stages', () => {
    const { config } = parseConfig('task: t\nmax_steps: 1', { file: 'c.yaml' }, ['grpo.max_steps=9']);
    expect(config.stages[0].optimizer.maxSteps).toBe(9);
  });
});

describe('origins', () => {
  const { origins } = parseConfig(COUNTDOWN, { file: 'c.yaml' }, [
    'grpo.learning_rate=1e-3',
    'model.rope_theta=500',
    'grpo.eval_steps=10',
    'adam_beta1=0.8',
    { flag: '--seed', assignment: 'seed=7' },
  ]);

  it.each(
    /* biome-ignore format: a list */ [
      ['seed', '--seed'], ['model.num_attention_heads', 'c.yaml:2'], ['task.numbers', 'c.yaml:1'],
      ['model.hidden_size', 'c.yaml:2'], ['model.head_dim', 'from hidden_size'], ['model.rope_theta', '--set'],
      ['backend', 'default'], ['stages.0.learning_rate', 'c.yaml:5'], ['stages.1.learning_rate', '--set'],
      ['stages.1.loss_type', 'c.yaml:7'], ['stages.0.eval_steps', 'c.yaml:8, top level'],
      ['stages.1.eval_steps', '--set, over c.yaml:8'], ['stages.1.adam_beta1', '--set'],
      ['stages.1.epsilon_high', 'from epsilon'], ['stages.1.generation_batch_size', 'c.yaml:6'],
      ['stages.1.beta', 'default'],
    ],
  )('says that %s comes from %s', (path, origin) => {
    expect(origins.get(path)).toBe(origin);
  });
});

describe('loadConfigFile', () => {
  const folder = folderOfFile();

  it('reads a file and names it in origins', async () => {
    const file = join(folder, 'run.yaml');
    await writeFile(file, COUNTDOWN);
    const { config, origins } = await loadConfigFile(file, ['seed=7']);
    expect(config.seed).toBe(7);
    expect(origins.get('stages.1.eval_steps')).toBe(`${file}:8, top level`);
  });

  it('says that a file is missing', async () => {
    const message = 'none.yaml  no such file; check the path, or copy a shipped config: `configs ls` lists them.';
    await expect(loadConfigFile('none.yaml')).rejects.toThrow(
      expect.objectContaining({ code: 'config-file', message }),
    );
  });

  it('says that a path is a directory', async () => {
    const message = `${folder}  a directory, not a file; give a .yaml file in it.`;
    await expect(loadConfigFile(folder)).rejects.toThrow(expect.objectContaining({ code: 'config-file', message }));
  });

  it.each([
    ['binary', Uint8Array.of(8, 0, 0, 0, 255, 254)],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x74, 0, 0x3a, 0)],
    ['Latin-1', Uint8Array.of(0x23, 0x20, 0xe9, 0x0a)],
  ])('refuses a %s file', async (name, bytes) => {
    const file = join(folder, `${name}.yaml`);
    await writeFile(file, bytes);
    const message = `${file}  not a text in UTF-8, which a config is; give the .yaml file, or save it as UTF-8.`;
    await expect(loadConfigFile(file)).rejects.toThrow(expect.objectContaining({ message }));
  });
});
