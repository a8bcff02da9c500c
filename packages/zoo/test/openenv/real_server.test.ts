/**
 * Training against the server of the PyPI package openenv: its template, an echo, and the two environments beside this file.
 * `bash .ci/run openenv` installs it and says where its Python is.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RECORDED } from '../../../../test/support/loopback_openenv.ts';

const PYTHON = process.env.RLVR_TEST_OPENENV ?? 'python3';
const HERE = new URL('../../../../test/openenv', import.meta.url).pathname;
const COMMAND = new URL('../../../../dist/cli/main.js', import.meta.url).pathname;
const FOLDER = mkdtempSync(join(tmpdir(), 'openenv-'));
const stops: (() => void)[] = [];
const ports: Record<string, number> = {};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Serves an environment until the tests are over. @param port  default: a free one */
async function serve(name: string, port?: number): Promise<() => Promise<void>> {
  ports[name] = port ?? (await freePort());
  const server = spawn(PYTHON, ['serve.py', name, String(ports[name]), '16'], { cwd: HERE, stdio: 'inherit' });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  stops.push(() => server.kill());
  for (;;) {
    const isUp = await fetch(`http://127.0.0.1:${ports[name]}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (server.exitCode !== null) throw new Error(`the server of ${name} has ended`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return async () => {
    server.kill('SIGKILL');
    await ended;
  };
}

/** The servers that a config may send to. */
const TRUSTED = (): string[] => Object.values(ports).flatMap((port) => ['--trust', `127.0.0.1:${port}`]);

/** What the command printed, and how it ended. */
async function command(args: readonly string[], killWhen?: () => boolean): Promise<{ text: string; code: unknown }> {
  const process = spawn('node', [COMMAND, ...args, ...(args.includes('--config') ? TRUSTED() : [])], {
    cwd: FOLDER,
    env: { ...globalThis.process.env, NO_COLOR: '1' },
  });
  let text = '';
  for (const stream of [process.stdout, process.stderr]) stream.on('data', (data) => (text += data));
  const watch = setInterval(() => killWhen?.() && process.kill('SIGKILL'), 5);
  const code = await new Promise((resolve) => process.once('exit', resolve));
  clearInterval(watch);
  return { text, code };
}

const TASKS: Readonly<Record<string, string>> = {
  echo: 'action: message, observation: echoed_message, environment: echo_env, max_turns: 2, action_tokens: 6, observation_tokens: 6, won: 0.4, characters: "abc Echoenvirmtdy!"',
  guess:
    'action: guess, action_type: integer, observation: said, environment: guess_env, max_turns: 3, action_tokens: 3, observation_tokens: 1, characters: "0123456<>=? "',
  inventory:
    'action_type: tool, observation: asked, environment: inventory_env, max_turns: 4, action_tokens: 20, observation_tokens: 4, characters: "-0123456789:?"',
};

/** Calls of a teacher who knows no more than the notation: from random weights, nobody finds a call by chance. */
function demonstrations(): string {
  const calls = ['put 1', 'put 2', 'put 3', 'ship', 'ship', 'ship'];
  const rows = [1, 2, 3].flatMap((asked) => [
    ...calls.map((call) => ({ prompt: `${asked}:`, completion: `<call>${call}</call>` })),
    ...[1, 2, 3].map((put) => ({
      prompt: `${asked}:<call>put ${put}</call>${put}`,
      completion: '<call>ship</call>',
    })),
  ]);
  writeFileSync(join(FOLDER, 'calls.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
  return '{stage: sft, data_files: calls.jsonl, max_steps: 150, per_device_train_batch_size: 27, learning_rate: 3.0e-3}';
}

function config(name: string, steps: number): string {
  const file = join(FOLDER, `${name}.yaml`);
  const task = `name: openenv, url: "ws://127.0.0.1:${ports[name]}", held_out: 14, train: 42, ${TASKS[name]}`;
  writeFileSync(
    file,
    `task: {${task}}
model: {hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 64}
threads: 1
seed: 1
eval_steps: 50
stages:
${name === 'inventory' ? `  - ${demonstrations()}\n` : ''}  - {stage: grpo, max_steps: ${steps}, num_generations: 16, generation_batch_size: 256, num_generations_eval: 4, learning_rate: 3.0e-3}
`,
  );
  return file;
}

interface Line {
  readonly step: number;
  readonly reward?: number;
}

/** Mean reward of the first and of the last steps. */
function rewards(run: string): readonly [number, number] {
  const lines = readFileSync(join(FOLDER, run, 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const given = lines.map((line) => JSON.parse(line) as Line).flatMap(({ reward }) => reward ?? []);
  const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;
  return [mean(given.slice(0, 5)), mean(given.slice(-5))];
}

const weights = (run: string): string =>
  readFileSync(join(FOLDER, run, 'model', 'model.safetensors')).toString('base64');

beforeAll(async () => {
  for (const name of Object.keys(TASKS)) await serve(name);
}, 300_000);

afterAll(() => {
  for (const stop of stops) stop();
});

it('says what was recorded', async () => {
  const recorder = spawn(PYTHON, ['record.py', String(ports.guess), String(ports.inventory)], { cwd: HERE });
  let text = '';
  recorder.stdout.on('data', (data) => (text += data));
  await new Promise((resolve) => recorder.once('exit', resolve));
  // The version of another package is in the text of an error.
  const plain = (messages: object): string => JSON.stringify(messages).replaceAll(/errors\.pydantic\.dev\/[\d.]+/g, '');
  expect(plain(JSON.parse(text))).toBe(plain(RECORDED));
}, 60_000);

it.each([
  ['echo', 60, 0.2],
  ['guess', 150, 0.3],
  ['inventory', 250, 0.1],
] as const)(
  'trains on %s',
  async (name, steps, least) => {
    const { text, code } = await command(['--config', config(name, steps), '--output', name]);
    expect(code, text).toBe(0);
    const [before, after] = rewards(name);
    console.log(`${name}: mean reward ${before.toFixed(3)} → ${after.toFixed(3)} in ${steps} steps`);
    expect(after - before).toBeGreaterThanOrEqual(least);
  },
  400_000,
);

it('is killed in mid-run, and ends with the same weights', async () => {
  const file = config('guess', 12);
  expect((await command(['--config', file, '--output', 'whole'])).code).toBe(0);
  const answers = join(FOLDER, 'killed', 'answers', '0');
  const lines = (): number => {
    if (!existsSync(answers)) return 0;
    const newest = readdirSync(answers)
      .filter((entry) => entry.endsWith('.jsonl'))
      .at(-1);
    return newest === '000005.jsonl' ? readFileSync(join(answers, newest), 'utf8').split('\n').length : 0;
  };
  await command(['--config', file, '--output', 'killed'], () => lines() > 20);
  expect(existsSync(join(FOLDER, 'killed', 'summary.json'))).toBe(false);
  expect((await command(['--resume', '--output', 'killed'])).code).toBe(0);
  expect(weights('killed')).toBe(weights('whole'));
}, 200_000);

it('stops where its server is gone, and goes on once it is there again', async () => {
  const stop = await serve('guess');
  const file = config('guess', 12);
  expect((await command(['--config', file, '--output', 'undisturbed'])).code).toBe(0);
  const answers = join(FOLDER, 'gone', 'answers', '0', '000006.jsonl');
  let stopped: Promise<void> | undefined;
  const gone = await command(['--config', file, '--output', 'gone'], () => {
    if (existsSync(answers)) stopped ??= stop();
    return false;
  });
  await stopped;
  expect(gone.code).not.toBe(0);
  expect(gone.text).toMatch(/is gone .*start it again, then resume: nothing sampled is lost/);
  await serve('guess', ports.guess);
  expect((await command(['--resume', '--output', 'gone'])).code).toBe(0);
  expect(weights('gone')).toBe(weights('undisturbed'));
}, 300_000);
