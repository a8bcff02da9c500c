/** Series over a real NATS server, by the built command: runs are given out whole, and end with the hashes of one machine. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import {
  commandLine,
  PROGRAM,
  readMetrics,
  readSummary,
  temporaryFolder,
  waiting,
} from '../../../commands/test/e2e/command_line.ts';
import { freePort, untilUp } from '../support/nats_server.ts';

const folder = temporaryFolder();
const place = (name: string): string => join(folder.path, name);
const urls: Record<string, string> = {};
let port: number;
let started: ChildProcess[] = [];

const series = (name: string, ...more: string[]): string[] => [
  ...['--config', 'sort-digits', '--max-steps', '6', '--plain', '--output', place(name)],
  ...['--set', 'grpo.eval_samples=32', '--set', 'save_seconds=0.01', ...more],
];

beforeAll(async () => {
  port = await freePort();
  const at = ['--output', place('fleet'), '--host', '127.0.0.1', '--port', String(port)];
  const { stdout } = await commandLine(['fleet', 'init', ...at]);
  for (const [url, user] of stdout.matchAll(/nats:\/\/(\w+):\S+/g)) urls[user] = url;
  expect((await commandLine([...series('alone', '--threads', '1'), '--seeds', '0..2'])).code).toBe(0);
}, 120_000);
afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(
    started.map((child) => child.exitCode ?? child.signalCode ?? new Promise((end) => child.once('exit', end))),
  );
  started = [];
});
afterAll(() => folder.remove());

function start(program: string, words: readonly string[]): ChildProcess {
  const child = spawn(program, words, { stdio: 'ignore' });
  started.push(child);
  return child;
}
async function serve(): Promise<void> {
  start('nats-server', ['-c', place('fleet/nats.conf')]);
  await untilUp(port);
}
const worker = (user = 'worker', ...options: readonly string[]): ChildProcess =>
  start(process.execPath, [...options, PROGRAM, 'worker', '--threads', '1', '--fleet', urls[user]]);

function leftBy(name: string, seed: number) {
  const directory = `${place(name)}-seed${seed}`;
  const { weightsSha256 } = readSummary(directory);
  const completions = readFileSync(join(directory, 'completions.jsonl'), 'utf8');
  const model = execFileSync('sha256sum', ['model.safetensors'], { cwd: join(directory, 'model') }).toString();
  return { weightsSha256, completions, metrics: readMetrics(directory), model };
}

it('a worker that is killed gives its run back; the series ends with the table and the hashes of one machine', async () => {
  await serve();
  // What it trains waits after its second checkpoint, and ends with the worker.
  const victim = worker('worker', '--import', waiting(place('never'), /("event":"checkpoint"[\s\S]*){2}/));
  const running = commandLine([...series('given'), '--seeds', '0..2', '--fleet', urls.learner]);
  const checkpoints = join(`${place('given')}-seed0`, 'checkpoints');
  const isSent = (): boolean =>
    existsSync(checkpoints) && readdirSync(checkpoints).some((name) => !name.startsWith('.'));
  while (!isSent()) await new Promise((done) => setTimeout(done, 10));
  victim.kill('SIGKILL');
  worker();
  const { code, stdout, stderr } = await running;
  expect([code, stderr]).toEqual([0, '']);
  for (const seed of [0, 1, 2]) expect(leftBy('given', seed)).toEqual(leftBy('alone', seed));
  expect(stdout).toMatch(/is silent; seed 0 is given to another worker/);
  expect(stdout).toMatch(/continues seed 0/);
  expect(stdout).toMatch(/\nmedian /);
}, 120_000);

it('a reward of the user’s keeps the runs here, and it says so; a visitor samples for them', async () => {
  writeFileSync(
    place('own.mjs'),
    `export default { name: 'own', score: ({ completions }) => completions.map((text) => text.length) };`,
  );
  await serve();
  worker('visitor');
  const own = ['--set', `grpo.reward_funcs=[${place('own.mjs')}]`, '--trust', place('own.mjs')];
  const { code, stdout } = await commandLine([...series('kept', ...own), '--seeds', '0', '--fleet', urls.learner]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/own\.mjs is a file of yours, which is not sent to other machines/);
  expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
}, 60_000);
