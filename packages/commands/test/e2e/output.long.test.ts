/** What the command prints where it is not watched on a terminal. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  commandLine,
  PROGRAM,
  readMetrics,
  readSummary,
  SMALL_CONFIG,
  temporaryFolder,
  writeConfig,
} from './command_line.ts';

const folder = temporaryFolder();
let config: string;

beforeAll(() => {
  config = writeConfig(folder.path, SMALL_CONFIG);
});
afterAll(() => folder.remove());

describe('a training', () => {
  it('with --json prints an object per event, its steps as in metrics.jsonl', async () => {
    const directory = join(folder.path, 'json');
    const { code, stdout, stderr } = await commandLine(['--config', config, '--output', directory, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({ event: 'start', output_dir: directory, task: 'reverse_text' });
    expect(events.at(-1)).toMatchObject({ event: 'finished', weightsSha256: readSummary(directory).weightsSha256 });
    const steps = events
      .filter(({ event }) => event === 'step')
      .map(({ event: _event, step_time: _time, ...metrics }) => metrics);
    expect(steps).toEqual(readMetrics(directory).filter(({ learning_rate }) => learning_rate !== undefined));
  }, 240_000);

  it('with --quiet prints one line, and without the same run in plain lines', async () => {
    const place = (name: string): string[] => ['--config', config, '--output', join(folder.path, name)];
    const quiet = await commandLine([...place('quiet'), '--quiet']);
    expect(quiet.stdout.trimEnd()).not.toContain('\n');
    const plain = await commandLine(place('plain'));
    expect(plain.stdout).not.toContain('\u001b');
    expect(plain.stdout).toMatch(/^task {5}reverse_text/);
    expect(plain.stdout).toContain(`main.js sample ${join(folder.path, 'plain')}`);
    expect(readSummary(join(folder.path, 'plain')).weightsSha256).toBe(JSON.parse(quiet.stdout).weightsSha256);
  }, 240_000);

  it('is saved when its reader goes away, and goes on by its directory alone', async () => {
    const directory = join(folder.path, 'unread');
    const code = await untilUnread(['--config', config, '--output', directory, '--set', 'grpo.eval_steps=1']);
    expect(code).toBe(141);
    const resumed = await commandLine(['--resume', '--output', directory, '--quiet']);
    expect(resumed.stderr).toMatch(/^resumed from checkpoint /);
    expect(resumed.code).toBe(0);
    expect(readSummary(directory).weightsSha256).toBe(readSummary(join(folder.path, 'plain')).weightsSha256);
  }, 240_000);
});

it('a pipe of prompts is answered line by line, as text and as JSON', () => {
  const ask = (prompts: string, flags: string): string =>
    execFileSync('sh', ['-c', `printf '${prompts}' | '${process.execPath}' '${PROGRAM}' sample --run plain ${flags}`], {
      cwd: folder.path,
      encoding: 'utf8',
    });
  const answers = ask('abc>\\n\\nabcd>\\nabc', '--json')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ prompt }) => prompt)).toEqual(['abc>', 'abcd>', 'abc']);
  for (const { completion, score, verdict, logprob } of answers.slice(0, 2)) {
    expect([typeof completion, typeof verdict, typeof score]).toEqual(['string', 'string', 'number']);
    expect(logprob).toBeLessThan(0);
  }
  expect(answers[2]).toMatchObject({ verdict: null, score: null });
  expect(ask('abc>\\n', '')).toMatch(/^plain\/model\/model\.safetensors\n {2}(?:right|wrong) {2}abc> /);
}, 60_000);

/** Runs with a reader that closes after the first line about reinforcement; gives the exit code. */
function untilUnread(arguments_: readonly string[]): Promise<number | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, ...arguments_]);
    child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('grpo')) child.stdout.destroy();
    });
    child.on('close', resolve);
  });
}

describe('--dry-run', () => {
  const empty = join(folder.path, 'empty');

  it('says what would happen, and writes nothing', async () => {
    mkdirSync(empty);
    const outcome = await commandLine(['--config', config, '--output', join(empty, 'run'), '--dry-run', '--seed', '8']);
    expect(outcome).toMatchObject({ code: 0, stderr: 'measuring a few steps on throw-away weights …\n' });
    expect(outcome.stdout).toMatch(/^seed: 8 +# --seed$/m);
    expect(outcome.stdout).toMatch(/^time +about \d+s: sft 40 × \d+ ms, grpo 30 × /m);
    expect(outcome.stdout).toMatch(/^problems .* 512 held out$/m);
    expect(outcome.stdout).toContain('nothing was written');
    expect(readdirSync(empty)).toEqual([]);
  }, 240_000);

  it('gives the same as JSON', async () => {
    const outcome = await commandLine(['--config', config, '--output', join(empty, 'run'), '--dry-run', '--json']);
    const { estimate, examples, origins, memory_bytes } = JSON.parse(outcome.stdout);
    expect(estimate.stages).toHaveLength(2);
    expect(examples).toHaveLength(3);
    expect(origins['stages.1.beta']).toMatch(/config\.yaml:\d+$/);
    expect(memory_bytes.weights).toBeGreaterThan(1000);
    expect(existsSync(join(empty, 'run'))).toBe(false);
  }, 240_000);
});
