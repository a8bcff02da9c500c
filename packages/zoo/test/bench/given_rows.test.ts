/** Rows that a fleet trains: what a benchmark reads in a run's directory is what it sees of a run of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evaluationOf, isFinished, type RowEnd, replayed } from '../../../../bench/given_rows.mjs';
import { evaluationMetrics } from '../../../../src/grpo/metrics.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import type { Evaluation } from '../../../../src/methods/records.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { session } from '../../../../src/run/session.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { configHash, createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { folderOfFile } from '../../../../test/support/folders.ts';
import { plainWasm } from '../../../../test/support/small_runs.ts';

const YAML = `
tasks:
  - {name: reverse_text, min_length: 2, max_length: 3}
  - {name: copy, level: 0}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
seed: 3
max_steps: 3
num_generations: 4
generation_batch_size: 16
reward_funcs: [lcs]
eval_steps: 2
eval_samples: 6
num_generations_eval: 2
`;
const directory = folderOfFile();
const seen: { type: string; step?: unknown; metrics?: unknown }[] = [];
let run: TrainingRun;

beforeAll(async () => {
  const { config } = parseConfig(YAML, { file: 'inline' });
  run = await openRun(config, await createTasks(config), await plainWasm());
  const fingerprint = await fingerprintOf(run, undefined);
  for await (const event of session({
    run,
    store: fileStore(directory),
    fingerprint,
    directory,
    resume: false,
    force: false,
  }))
    if (['step', 'batch', 'evaluation'].includes(event.type)) seen.push(event);
});
afterAll(() => run.engine.policy.close());

it('has the same steps, evaluations and end', async () => {
  const replay: typeof seen = [];
  const end = await replayed<RowEnd>(directory, {
    heldOut: 7,
    see: (event) => replay.push(event),
    figuresOf: (found) => found.end,
  });
  const { baseline, final, step } = run.journal.state;
  expect(replay.filter(({ type }) => type !== 'diagnosis').map(({ type, step: at }) => [type, at])).toEqual(
    seen.map(({ type, step: at }) => [type, at]),
  );
  expect([end.baseline, end.final]).toEqual(
    [baseline, final].map((own) => own && evaluationOf(evaluationMetrics(own))),
  );
  expect([end.step, end.heldOut]).toEqual([step, 7]);
  expect(end.sha).toBe(await weightsSha256(run.engine.policy));
});

it('reads an evaluation from its numbers', () => {
  const { final } = run.journal.state;
  const { accuracy, meanAtK, byTask } = evaluationOf(evaluationMetrics(final as Evaluation));
  expect(final).toMatchObject({ accuracy, meanAtK });
  expect(Object.keys(byTask ?? {})).toEqual(Object.keys(final?.byTask ?? {}));
  expect(final?.byTask?.copy).toMatchObject(byTask?.copy ?? { meanAtK: 'none' });
});

it('is not taken for a run of another config, or one that has not ended', async () => {
  expect(isFinished(directory, await configHash(run.config))).toBe(true);
  expect(isFinished(directory, 'ab'.repeat(32))).toBe(false);
  expect(isFinished(`${directory}/none`, 'ab'.repeat(32))).toBe(false);
});
