import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { commandLine, readMetrics, readSummary, SMALL_CONFIG, temporaryFolder, writeConfig } from './command_line.ts';

/** Kills a run at this many random moments; the release check uses 20. */
const KILLS = Number(process.env.RLVR_KILLS ?? budget({ quick: 1, all: 2, release: 3 }));

const folder = temporaryFolder();
let config: string;
let whole: string;

beforeAll(async () => {
  config = writeConfig(folder.path, SMALL_CONFIG);
  whole = join(folder.path, 'whole');
  const outcome = await commandLine(['--config', config, '--output', whole]);
  expect(outcome.stderr).toBe('');
  expect(outcome.code).toBe(0);
}, 120_000);

afterAll(() => folder.remove());

describe('a run', () => {
  it(`killed at ${KILLS} random moments and resumed has the weights and metrics of one that was not`, async () => {
    const rng = rngFor(`kills|${KILLS}`);
    const directory = join(folder.path, 'killed');
    const metrics = join(directory, 'metrics.jsonl');
    // One during reinforcement, where a rollout is used for two steps; the others anywhere. A kill comes up to 40 ms after
    // its line, which is a few steps: in the middle of one, or while a checkpoint is written.
    const between = (first: number, past: number): number => first + Math.floor(rng.float() * (past - first));
    const steps = readMetrics(whole);
    const supervised = steps.filter(({ stage }) => stage === 'sft').length;
    const drawn = Array.from({ length: KILLS }, (_, k) => between(k === 0 ? supervised : 1, steps.length - 10));
    for (const line of drawn.sort((a, b) => a - b)) {
      const written = existsSync(metrics) ? readFileSync(metrics, 'utf8').split('\n').length : 0;
      const flags = ['--config', config, '--output', directory, ...(written > 0 ? ['--resume'] : [])];
      const lines = Math.max(line, written); // one more than there are
      const outcome = await commandLine(flags, {
        signal: 'SIGKILL',
        whenThere: metrics,
        lines,
        afterMs: rng.float() * 40,
      });
      expect(outcome.stderr).toBe('');
      expect(outcome.signal).toBe('SIGKILL');
    }
    const outcome = await commandLine(['--config', config, '--output', directory, '--resume']);
    expect(outcome.stderr).toBe('');
    expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
    expect(readMetrics(directory)).toEqual(readMetrics(whole));
    const completions = (place: string): string => readFileSync(join(place, 'completions.jsonl'), 'utf8');
    expect(completions(directory)).toBe(completions(whole));
  }, 600_000);

  it('has the same weights with 1, 2 and 3 threads', async () => {
    for (const threads of fewOf([1, 3, 2], { quick: 1, all: 2 })) {
      const directory = join(folder.path, `threads-${threads}`);
      const outcome = await commandLine(['--config', config, '--output', directory, '--threads', String(threads)]);
      expect(outcome.stderr).toBe('');
      expect(readSummary(directory).threads).toBe(threads);
      expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
    }
  }, 240_000);

  it('saves, and says how to go on, when it is interrupted', async () => {
    const directory = join(folder.path, 'interrupted');
    const flags = ['--config', config, '--output', directory];
    const outcome = await commandLine(flags, { signal: 'SIGINT', when: /grpo +30 steps/ });
    expect(outcome.code).toBe(130);
    expect(outcome.stdout).toContain('--resume');
    const resumed = await commandLine([...flags, '--resume']);
    expect(resumed.code).toBe(0);
    expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
  }, 120_000);

  it('with a damaged newest checkpoint goes on from the one before, and says so', async () => {
    const directory = join(folder.path, 'damaged');
    const flags = ['--config', config, '--output', directory];
    await commandLine(flags, { signal: 'SIGINT', when: /grpo +30 steps/ });
    const names = readdirSync(join(directory, 'checkpoints')).filter((name) => !name.startsWith('.'));
    const newest =
      names.sort((a, b) => Number(b.split('-')[1]) - Number(a.split('-')[1])).find((name) => name.startsWith('grpo')) ??
      names[0]!;
    const file = join(directory, 'checkpoints', newest, 'weights.safetensors');
    const bytes = readFileSync(file);
    bytes[bytes.length - 5]! ^= 1;
    writeFileSync(file, bytes);
    const resumed = await commandLine([...flags, '--resume']);
    expect(resumed.stdout).toContain(`checkpoint ${newest} is damaged`);
    expect(readSummary(directory).weightsSha256).toBe(readSummary(whole).weightsSha256);
  }, 120_000);

  it('is refused a directory that holds another run, and a resume where there is none', async () => {
    const again = await commandLine(['--config', config, '--output', whole]);
    expect(again.code).toBe(1);
    expect(again.stderr).toMatch(
      /holds a finished run of reverse_text, seed 3; a second run in it would mix the two\.\n/,
    );
    const nowhere = await commandLine(['--config', config, '--output', join(folder.path, 'nowhere'), '--resume']);
    expect(nowhere.code).toBe(1);
    expect(nowhere.stderr).toMatch(/nowhere {2}holds no run to resume/);
  }, 30_000);

  it('answers and is evaluated from its directory', async () => {
    const sampled = await commandLine(['sample', '--run', whole]);
    expect(sampled.code).toBe(0);
    expect(sampled.stdout).toMatch(/right|wrong/);
    const evaluated = await commandLine(['eval', '--run', whole, '--json', '--samples', '2']);
    expect(evaluated.stderr).toBe('');
    const figures = JSON.parse(evaluated.stdout);
    expect(figures.eval_accuracy).toBe(readSummary(whole).final?.eval_accuracy);
    expect(figures['eval_mean@2']).toBe(readSummary(whole).final?.['eval_mean@2']);
  }, 60_000);
});
