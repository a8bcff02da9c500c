/** The list of runs, and which of them a resume takes that names none. */
import { appendFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import picocolors from 'picocolors';
import { describe, expect, it } from 'vitest';
import { loadRun } from '../../../src/cli/runs/load_run.ts';
import { ago } from '../../../src/format.ts';
import { encodeManifest } from '../../../src/run/checkpoint/manifest.ts';
import { describeRun } from '../../../src/run/describe_run.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { differences, tableOf } from '../actions/runs.ts';
import { findNewest, newestUnfinished } from '../runs/newest_run.ts';
import { type RunRow, runRows } from '../runs/run_rows.ts';
import { KeptRows } from '../ui/kept_rows.ts';

const CONFIG = `task: {name: sort_digits, digits: 3}
seed: 4
stages:
  - {stage: sft, max_steps: 10, learning_rate: 1.0e-3}
  - {stage: grpo, max_steps: 40, learning_rate: 2.0e-3}
`;
const FINGERPRINT = {
  ...{ packageVersion: '1', backend: 'wasm', backendFeatures: {}, engine: 'v8', runtime: 'node', platform: 'linux' },
  ...{ arch: 'x64', cpuModel: 'any', threads: 1, seed: 4, gitCommit: null, configHash: 'x' },
};
const STEP = (stage: string, step: number) => ({ step, stage, loss: 1, learning_rate: 1e-3 });
const EVALUATION = { step: 20, stage: 'grpo', evaluation: 'periodic', eval_accuracy: 0.5, 'eval_mean@4': 0.25 };
const SUMMARY = { 'summary.json': '{}', 'model/model.safetensors': 'weights' };

eachInOwnFolder();

/** A run directory as a training leaves it; `files` replace or add. @param minutes  how long ago it wrote last */
function makeRun(name: string, minutes: number, files: Readonly<Record<string, string>> = {}): string {
  const directory = join('runs', name);
  const log = [STEP('sft', 10), STEP('grpo', 20), EVALUATION, STEP('grpo', 23)];
  const all = {
    'config.yaml': CONFIG,
    'fingerprint.json': JSON.stringify(FINGERPRINT),
    'metrics.jsonl': `${log.map((line) => JSON.stringify(line)).join('\n')}\n{"step": 24, "st`,
    ...files,
  };
  const time = new Date(Date.now() - 60_000 * minutes);
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(join(directory, file, '..'), { recursive: true });
    writeFileSync(join(directory, file), text);
    utimesSync(join(directory, file), time, time);
  }
  utimesSync(directory, time, time);
  return directory;
}

async function rowsByName(): Promise<Record<string, RunRow>> {
  return Object.fromEntries((await runRows('runs')).map((row) => [row.directory.replace(/^runs./, ''), row]));
}

describe('a run whose config somebody edited', () => {
  it.each([
    ['an anchor that is missing', 'task: *nowhere\n'],
    ['an alias', 'task: &t countdown\nseed: *t\n'],
    ['NUL bytes', 'task: count\0down\n'],
    ['text that is no YAML', 'task: [\n'],
    ['more than any config has', `seed: ${'1'.repeat(1_000_001)}\n`],
    ['nothing', ''],
  ])('is described without it where it has %s', async (_, text) => {
    const run = makeRun('edited', 5, { ...SUMMARY, 'config.yaml': text });
    expect(await describeRun(fileStore(run))).toBe('a finished run');
  });
});

describe('a list of runs', () => {
  it('keeps a row for as long as nothing of its run is written', async () => {
    const directory = makeRun('kept', 5);
    const rows = new KeptRows();
    const first = await rows.rowOf(directory);
    expect(first).toMatchObject({ condition: 'stopped', steps: { done: 33 } });
    expect(await rows.rowOf(directory)).toBe(first);
    appendFileSync(join(directory, 'metrics.jsonl'), `ep": 1}\n${JSON.stringify(STEP('grpo', 25))}\n`);
    expect(await rows.rowOf(directory)).toMatchObject({ steps: { done: 35 } });
    writeFileSync(join(directory, 'summary.json'), '{}');
    expect(await rows.rowOf(directory)).toMatchObject({ condition: 'damaged' });
    mkdirSync(join(directory, 'model'));
    writeFileSync(join(directory, 'model/model.safetensors'), 'weights');
    const finished = await rows.rowOf(directory);
    expect(finished.condition).toBe('finished');
    rows.keep([]);
    expect(await rows.rowOf(directory)).not.toBe(finished);
  });

  it('tells task, steps of all stages, the last evaluation and the size, newest first', async () => {
    makeRun('old', 90);
    makeRun('new', 2, SUMMARY);
    makeRun('series/seed-1', 30);
    const rows = await runRows('runs');
    expect(rows.map(({ directory }) => directory)).toEqual(
      ['new', 'series/seed-1', 'old'].map((name) => `runs/${name}`),
    );
    expect(rows[2]).toMatchObject({ condition: 'stopped', task: 'sort_digits', seed: 4, greedy: 0.5, sampled: 0.25 });
    expect(rows[2]?.steps).toEqual({ done: 33, planned: 50 });
    expect(rows[0]).toMatchObject({ condition: 'finished', steps: { done: 50, planned: 50 } });
    expect(rows[2]?.bytes).toBeGreaterThan(CONFIG.length);
  });

  it('survives whatever is broken, and says what it is', async () => {
    makeRun('yaml', 1, { 'config.yaml': 'task: [' });
    makeRun('no-fingerprint', 1, { 'fingerprint.json': '' });
    makeRun('summary', 1, { ...SUMMARY, 'summary.json': '{' });
    makeRun('no-model', 1, { 'summary.json': '{}' });
    makeRun('log', 1, { 'metrics.jsonl': '\0\0\n{{{\n[]\n' });
    makeRun('checkpoint', 1, { 'checkpoints/grpo-20/weights.safetensors': 'x' });
    makeRun('failed', 1, { 'failure.json': '{"message": "loss is NaN"}' });
    mkdirSync('runs/empty');
    mkdirSync('runs/only-model/checkpoints', { recursive: true });
    writeFileSync('runs/file', '');
    symlinkSync('nowhere', 'runs/link');
    mkdirSync('runs/folders/config.yaml', { recursive: true });
    const rows = await rowsByName();
    const said = Object.fromEntries(
      Object.entries(rows).map(([name, { condition, problem }]) => [
        name,
        [condition, problem].filter(Boolean).join(': '),
      ]),
    );
    expect(said).toEqual({
      yaml: 'damaged: config.yaml:1  not valid YAML — "[" is not closed; add "]".',
      'no-fingerprint': expect.stringContaining('damaged: fingerprint.json'),
      summary: 'damaged: summary.json is not JSON',
      'no-model': 'damaged: has finished, but model/model.safetensors is missing',
      log: 'stopped',
      checkpoint: 'damaged: none of its checkpoints has a readable manifest.json',
      failed: 'failed: loss is NaN',
      'only-model': 'damaged: has no config.yaml',
      folders: expect.stringContaining('damaged: '),
    });
  });

  it('has the figures of the model of a finished run, which may be the best and not the last', async () => {
    const figures = (greedy: number) => ({ eval_accuracy: greedy, 'eval_mean@4': greedy / 2 });
    const summary = { model: 'best', final: figures(0.75), best: { metrics: figures(0.875) } };
    makeRun('best', 1, { ...SUMMARY, 'summary.json': JSON.stringify(summary) });
    makeRun('last', 2, { ...SUMMARY, 'summary.json': JSON.stringify({ ...summary, model: 'last' }) });
    const [best, last] = await runRows('runs');
    expect([best?.greedy, best?.sampled, last?.greedy, last?.sampled]).toEqual([0.875, 0.4375, 0.75, 0.375]);
  });

  it('tells two stages of one kind apart by the newest checkpoint', async () => {
    const second = { format: 1, sequence: 3, stage: 'grpo', stageIndex: 1, step: 20, metricsBytes: 1 };
    const file = { bytes: 1, sha256: 'x' };
    const files = { 'weights.safetensors': file, 'optimizer.safetensors': file, 'state.json': file };
    const manifest = new TextDecoder().decode(await encodeManifest({ ...second, format: 1, files }));
    const config = CONFIG.replace('stage: sft, max_steps: 10', 'stage: grpo, max_steps: 100');
    makeRun('twice', 1, { 'config.yaml': config, 'checkpoints/grpo-20/manifest.json': manifest });
    expect((await runRows('runs'))[0]?.steps).toEqual({ done: 123, planned: 140 });
  });

  it('finds the last evaluation however far before the end of the log it is', async () => {
    const steps = Array.from({ length: 4000 }, (_, i) => JSON.stringify(STEP('grpo', i))).join('\n');
    makeRun('long', 1, { 'metrics.jsonl': `${JSON.stringify(EVALUATION)}\n${steps}\n` });
    expect((await runRows('runs'))[0]).toMatchObject({ greedy: 0.5, steps: { done: 10 + 3999 } });
  });

  it('says that a process works on a run while it lives', async () => {
    const lock = (pid: number): string =>
      JSON.stringify({
        pid,
        host: hostname(),
        boot: null,
        namespace: null,
        processStart: null,
        since: new Date().toISOString(),
      });
    makeRun('mine', 1, { '.lock': lock(process.pid) });
    makeRun('killed', 1, { '.lock': lock(2 ** 22 + 1) });
    makeRun('garbage', 1, { '.lock': 'x' });
    const rows = await rowsByName();
    expect([rows.mine, rows.killed, rows.garbage].map((row) => row?.condition)).toEqual([
      'running',
      'stopped',
      'stopped',
    ]);
  });

  it('calls a task that is a file by the name that it declares, or by that of the file in an older run', async () => {
    const config = CONFIG.replace('sort_digits, digits: 3', '../../tasks/mine.ts, digits: 3');
    const taskNames = { '../../tasks/mine.ts': 'roman' };
    makeRun('new', 5, {
      'config.yaml': config,
      'fingerprint.json': JSON.stringify({ ...FINGERPRINT, taskNames }),
    });
    makeRun('old', 9, { 'config.yaml': config });
    const { new: declared, old } = await rowsByName();
    expect([declared.task, old.task]).toEqual(['roman', 'mine']);
    expect(await describeRun(fileStore('runs/new'))).toBe('a run of roman, seed 4, not saved yet');
  });

  it('names rewards that differ as a person calls them, in one entry', async () => {
    const withRewards = (list: string): string => CONFIG.replace('2.0e-3}', `2.0e-3, reward_funcs: ${list}}`);
    makeRun('a', 1, { 'config.yaml': withRewards('[accuracy, {name: ../../rewards/near.ts, weight: 0.5, width: 3}]') });
    makeRun('b', 2, { 'config.yaml': withRewards('[accuracy]') });
    const [a, b] = differences(await runRows('runs')).map((keys) => Object.fromEntries(keys));
    expect(a).toEqual({ 'grpo.reward_funcs': '[accuracy, near (weight 0.5, width 3)]' });
    expect(b).toEqual({ 'grpo.reward_funcs': '[accuracy]' });
  });

  it('names the keys in which runs of the same task differ, as --set names them', async () => {
    makeRun('a', 1);
    makeRun('b', 2, { 'config.yaml': CONFIG.replace('2.0e-3', '3.0e-3').replace('seed: 4', 'seed: 5\nthreads: 1') });
    makeRun('other', 3, { 'config.yaml': 'task: countdown\nmax_steps: 5\n' });
    const differing = differences(await runRows('runs')).map((keys) => Object.fromEntries(keys));
    expect(differing).toEqual([{ 'grpo.learning_rate': '0.002' }, { 'grpo.learning_rate': '0.003' }, {}]);
  });

  it('is a table, its figures in columns', async () => {
    makeRun('a', 5);
    makeRun('b', 60 * 50, { ...SUMMARY, 'config.yaml': CONFIG.replace('2.0e-3', '3.0e-3') });
    const rows = (await runRows('runs')).map((row) => ({ ...row, bytes: 1.25e6 }));
    const plain = picocolors.createColors(false);
    expect(`\n${tableOf(rows, differences(rows), Date.now(), plain).join('\n')}\n`).toMatchInlineSnapshot(`
      "
      run     task         seed  state      step  greedy  sampled     changed    size
      runs/a  sort_digits     4  stopped   33/50  50.0 %   25.0 %      5m ago  1.3 MB
        grpo.learning_rate 0.002
      runs/b  sort_digits     4  finished  50/50  50.0 %   25.0 %  2 days ago  1.3 MB
        grpo.learning_rate 0.003
      "
    `);
    expect([ago(0), ago(59 * 60_000), ago(47 * 3.6e6), ago(48 * 3.6e6)]).toEqual([
      'just now',
      '59m ago',
      '47h ago',
      '2 days ago',
    ]);
  });

  it('of a directory that is a run itself is that run', async () => {
    const directory = makeRun('a', 1);
    expect((await runRows(directory)).map((row) => row.directory)).toEqual([directory]);
    await expect(runRows('nowhere')).rejects.toThrow('nowhere: no such directory; give one that holds runs');
  });
});

describe('a resume that names no run', () => {
  it('takes the newest that can go on', async () => {
    makeRun('finished', 1, SUMMARY);
    makeRun('damaged', 1, { 'config.yaml': 'task: [' });
    makeRun('newer', 5);
    makeRun('older', 9);
    expect((await newestUnfinished(true)).directory).toBe(join('runs', 'newer'));
    rmSync('runs/older', { recursive: true });
    expect((await newestUnfinished(false)).directory).toBe(join('runs', 'newer'));
    const loaded = await loadRun({ resume: true }, findNewest);
    expect(loaded).toMatchObject({ directory: join('runs', 'newer'), isMainJob: false });
    expect(loaded.found?.about).toBe('runs/newer, seed 4, step 33 of 50, 5m ago');
    expect(loaded.config.stages.map(({ optimizer }) => optimizer.maxSteps)).toEqual([10, 40]);
  });

  it('asks a script which of several it means', async () => {
    makeRun('a', 5);
    makeRun('b', 9);
    await expect(newestUnfinished(false)).rejects.toThrow(
      /^--resume: 2 runs under runs\/ can be resumed; say which:\n {2}npx --no-install rlvr-train --resume --output runs\/a {3}seed 4, step 33 of 50, 5m ago\n/,
    );
  });

  it('says what there is where none can go on', async () => {
    await expect(newestUnfinished()).rejects.toThrow(
      /^--resume: no run under runs\/ can be resumed; give the --output of one/,
    );
    makeRun('done', 5, SUMMARY);
    await expect(newestUnfinished()).rejects.toThrow(
      /There are:\n {2}runs\/done {3}finished, seed 4, step 50 of 50, 5m ago$/,
    );
  });
});
