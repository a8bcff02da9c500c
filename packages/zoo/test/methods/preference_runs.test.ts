/** Stages of preferences in whole runs: the same bits after a kill, with two threads, and the same loss in micro-batches. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { tossed } from '../../../../test/support/killed_runs.ts';
import { finishRun, openSmallRun, plainWasm, smallConfig } from '../../../../test/support/small_runs.ts';
import { openDataset } from '../../data/datasets/dataset.ts';
import { memoryFiles } from '../data/datasets/memory_files.ts';

const WORDS = ['ab', 'cab', 'ba', 'abc', 'ca', 'bca', 'cb', 'aab', 'bb', 'acc', 'cac', 'bab'];
const PAIRS = WORDS.map((word) => ({
  prompt: `${word}:`,
  chosen: [...word].reverse().join(''),
  rejected: `${word}${word}`,
}));
const LABELS = PAIRS.flatMap(({ prompt, chosen, rejected }) => [
  { prompt, completion: [{ role: 'assistant', content: chosen }], label: true },
  { prompt, completion: rejected, label: false },
]);
const files = memoryFiles({
  'pairs.jsonl': PAIRS.map((row) => JSON.stringify(row)).join('\n'),
  'labels.jsonl': LABELS.map((row) => JSON.stringify(row)).join('\n'),
});

const stage = (keys: string): string => `{max_steps: 3, learning_rate: 1.0e-2, ${keys}}`;
const base = (task: string, stages: string): string => `
${task}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
eval_strategy: "no"
stages: [${stages}]
`;

const ROWS = 'per_device_train_batch_size: 4';
const CASES: readonly (readonly [keys: string, file: string])[] = [
  [`stage: dpo, ${ROWS}`, 'pairs'],
  [`stage: dpo, loss_type: [aot, sft], ${ROWS}`, 'pairs'],
  [`stage: dpo, use_weighting: true, ${ROWS}`, 'pairs'],
  [`stage: kto, ${ROWS}`, 'labels'],
  [`stage: orpo, ${ROWS}`, 'pairs'],
  [`stage: cpo, loss_type: simpo, ${ROWS}`, 'pairs'],
];

async function open(keys: string, file: string, backend: Backend): Promise<TrainingRun> {
  const { config } = parseConfig(base(`data_files: ${file}.jsonl`, stage(keys)), { file: 'inline' });
  const { name: _, ...knobs } = config.tasks[0].task;
  return openRun(config, await openDataset({ ...knobs, held_out: 0.3 }, { files }), backend, {});
}

describe.each(CASES)('{%s} over rows', (keys, file) => {
  it('ends with the same bits after a kill, and with two threads; micro-batches give the same loss', async () => {
    const whole = await finishRun(await open(keys, file, await plainWasm()));
    expect(whole.metrics).toHaveLength(3);
    const killed = await open(keys, file, await plainWasm());
    for await (const event of train(killed)) if (event.type === 'step' && event.step === 2) break;
    const resumed = await open(keys, file, await plainWasm());
    restoreCheckpoint(resumed, await captureCheckpoint(killed, { metrics: 0, completions: 0 }, 0));
    await killed.engine.policy.close();
    expect((await finishRun(resumed)).sha256).toBe(whole.sha256);
    const threads = await wasmBackend({ threads: 2, fma: false });
    expect((await finishRun(await open(keys, file, threads))).sha256).toBe(whole.sha256);
    const cut = keys.replace(ROWS, `per_device_train_batch_size: 1, gradient_accumulation_steps: 4`);
    const inParts = await finishRun(await open(cut, file, await plainWasm()));
    expect(Number(inParts.metrics[0].loss)).toBeCloseTo(Number(whole.metrics[0].loss), 5);
  });
});

describe('pairs of samples', () => {
  const yaml = smallConfig('stages: [{stage: dpo, pairs_from: samples, max_steps: 3}]').replace('max_steps: 3\n', '');

  it('begin at ln 2 where there is a pair, and move the weights', async () => {
    const run = await openSmallRun(await plainWasm(), { yaml, verify: tossed(2) });
    const { metrics } = await finishRun(run);
    const [first, , last] = metrics;
    expect(Number(first['rewards/margins'])).toBeCloseTo(0, 6);
    expect(Number(first.loss)).toBeGreaterThan(0);
    expect(Number(first.loss)).toBeLessThanOrEqual(Math.LN2 + 1e-6);
    expect(Math.abs(Number(last['rewards/margins']))).toBeGreaterThan(1e-4);
  });
});

describe('rows of preferences', () => {
  const complaint = async (yaml: string, rows: object[]): Promise<string> => {
    const { config } = parseConfig(yaml, { file: 'inline' });
    const lines = rows.map((row) => JSON.stringify(row)).join('\n');
    const task = await openDataset({ train: 'q.jsonl', held_out: 0.3 }, { files: memoryFiles({ 'q.jsonl': lines }) });
    return openRun(config, task, await plainWasm(), {}).then(
      () => 'opened',
      (error: Error) => error.message,
    );
  };
  const rows = 'data_files: q.jsonl';

  it('come from rows or samples', () => {
    expect(() => parseConfig(base(rows, stage('stage: dpo, pairs_from: sample')), { file: 'inline' })).toThrow(
      'stages.0.pairs_from: sample — must be rows, pairs of a file, or samples, right and wrong ones of a group.',
    );
  });

  it('are refused where rewards would be needed, and where they are missing', async () => {
    expect(await complaint(base(rows, stage('stage: grpo')), PAIRS)).toBe(
      'dataset: its rows are preferences without a right answer; learn from them in a stage dpo, kto, orpo or cpo, or name a column by answer.',
    );
    const questions = PAIRS.map(({ prompt, chosen }) => ({ prompt, answer: chosen }));
    expect(await complaint(base(rows, stage('stage: dpo')), questions)).toBe(
      'preference-rows: learns from pairs, and dataset has none; give rows with the columns prompt, chosen and rejected (or prompt, completion and label), or set pairs_from: samples, which pairs right and wrong samples of a task.',
    );
  });
});
