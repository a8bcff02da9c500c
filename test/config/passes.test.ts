/** The length of a stage in passes over rows, and its warm-up under transformers' other name. */
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { withSteps } from '../../src/config/passes.ts';
import type { TaskSet } from '../../src/data/task_set.ts';
import { parseConfig } from '../support/everything.ts';

const parsed = (...lines: readonly string[]) => parseConfig(lines.join('\n'), { file: 'c.yaml' });
const ROWS = 'data_files: rows.jsonl';
const BATCH = ['num_generations: 4', 'generation_batch_size: 32']; // 8 problems

/** As if the file had so many rows. */
function optimizers(rows: number, ...lines: readonly string[]) {
  const tasks = { trainProblems: () => rows, supervised: () => tasks } as unknown as TaskSet;
  return withSteps(parsed(...lines).config, tasks).stages.map(({ optimizer }) => optimizer);
}

describe('num_train_epochs', () => {
  it.each([
    ['num_train_epochs: 3', 38], // 300 problems in batches of 8
    ['num_train_epochs: 0.5', 7],
    ['num_train_epochs: 3\nnum_iterations: 2', 76],
    ['num_train_epochs: 3\nper_device_train_batch_size: 8\ngradient_accumulation_steps: 2', 76],
    ['num_train_epochs: 3\nmax_steps: 5', 5],
    ['num_train_epochs: null\nmax_steps: 5', 5],
  ])('%s is as many steps as the rows ask for', (lines, steps) => {
    const [optimizer] = optimizers(100, ROWS, ...BATCH, lines);
    expect(optimizer.maxSteps).toBe(steps);
    expect(optimizer).not.toHaveProperty('epochs');
  });

  it('counts the rows that a supervised stage shows', () => {
    const stage = '{stage: sft, num_train_epochs: 2, per_device_train_batch_size: 8, data_files: shown.jsonl}';
    const [sft, grpo] = optimizers(101, 'task: countdown', `stages: [${stage}, {stage: grpo, max_steps: 7}]`);
    expect([sft.maxSteps, grpo.maxSteps]).toEqual([26, 7]);
  });

  it('is written out as it is until the rows are read, and as steps afterwards', () => {
    const { config } = parsed(ROWS, 'num_train_epochs: 3', 'warmup_steps: 0.1', ...BATCH);
    const text = resolvedYaml(config);
    expect(text).toContain('num_train_epochs: 3');
    expect(text).not.toContain('max_steps');
    expect(resolvedYaml(parsed(text).config)).toBe(text);
    const [optimizer] = optimizers(100, text);
    expect(optimizer).toMatchObject({ maxSteps: 38, warmupSteps: 4 });
  });

  it('is what the number of steps is from, and warmup_ratio what the warm-up is from', () => {
    const { origins } = parsed(ROWS, 'num_train_epochs: 3', 'warmup_ratio: 0.1');
    const of = ['num_train_epochs', 'max_steps', 'warmup_steps'].map((name) => origins.get(`stages.0.${name}`));
    expect(of).toEqual(['c.yaml:2', 'from num_train_epochs', 'from warmup_ratio']);
    expect(parsed(ROWS, 'max_steps: 3').origins.get('stages.0.warmup_steps')).toBe('default');
  });

  it('is refused where problems are drawn without end', () => {
    const said = () => parsed('task: countdown', 'num_train_epochs: 3');
    expect(said).toThrow(
      'c.yaml:2  num_train_epochs: 3 — problems that are drawn have no end, and so no passes; use max_steps.',
    );
  });

  it('is refused where the warm-up is longer', () => {
    expect(() => optimizers(100, ROWS, ...BATCH, 'num_train_epochs: 1', 'warmup_steps: 50')).toThrow(
      'warmup_steps: 50 — longer than the stage (num_train_epochs 1, 13 steps); use a fraction such as 0.05.',
    );
  });

  it('says that max_steps decides, where both are given', () => {
    const { notes } = parsed(ROWS, 'max_steps: 9', 'num_train_epochs: 3');
    expect(notes).toEqual([
      { place: 'c.yaml:3', path: 'num_train_epochs', value: 3, text: 'max_steps is given, and decides' },
    ]);
  });
});

describe('warmup_ratio', () => {
  it.each([
    ['warmup_ratio: 0.03', 6],
    ['warmup_ratio: 0.03\nwarmup_steps: 0', 6],
    ['warmup_ratio: 0.03\nwarmup_steps: 20', 20],
    ['warmup_ratio: 0', 0],
  ])('%s of 200 steps', (lines, steps) => {
    const { config } = parsed('task: countdown', 'max_steps: 200', lines);
    expect(config.stages[0].optimizer.warmupSteps).toBe(steps);
  });

  it('has no meaning for a constant rate', () => {
    expect(() => parsed('task: countdown', 'max_steps: 9', 'lr_scheduler_type: constant', 'warmup_ratio: 0.1')).toThrow(
      'warmup_ratio: 0.1 — a constant schedule has no warm-up',
    );
  });
});

it('system_prompt is what the task of the rows says before each', () => {
  const { config } = parsed(ROWS, 'max_steps: 3', 'system_prompt: Think.');
  expect(config.tasks).toEqual([{ task: { name: 'dataset', train: ['rows.jsonl'], system: 'Think.' }, weight: 1 }]);
  expect(config).not.toHaveProperty('systemPrompt');
  expect(() => parsed('task: countdown', 'max_steps: 3', 'system_prompt: Think.')).toThrow(
    'c.yaml:3  system_prompt: Think. — the system message belongs to the task; write task: {name: …, system: …}.',
  );
});
