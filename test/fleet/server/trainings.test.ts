/**
 * Trainings over a real NATS server, by the built command: whatever is killed, the run is that of one machine. Needs nats-server
 * on the PATH, which `.ci/run` installs.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commandLine, PROGRAM, readMetrics, readSummary, temporaryFolder } from '../../e2e/command_line.ts';
import { freePort, untilUp } from '../../support/nats_server.ts';

const STEPS = 12;
const folder = temporaryFolder();
const directory = (name: string): string => join(folder.path, name);
const job = (name: string): string[] => [
  ...['--config', 'sort-digits', '--max-steps', String(STEPS), '--threads', '1', '--plain'],
  ...['--set', 'grpo.eval_samples=64', '--set', 'save_seconds=0.01', '--output', directory(name)],
];

/** Processes of the test under way. */
let started: ChildProcess[] = [];
let port: number;
const config = join(folder.path, 'fleet', 'nats.conf');
const urls: Record<string, string> = {};

beforeAll(async () => {
  expect(execFileSync('nats-server', ['--version']).toString()).toMatch(/nats-server/);
  port = await freePort();
  const at = ['--output', join(folder.path, 'fleet'), '--host', '127.0.0.1', '--port', String(port)];
  const { stdout, code } = await commandLine(['fleet', 'init', ...at]);
  expect(code).toBe(0);
  for (const [url, user] of stdout.matchAll(/nats:\/\/(\w+):\S+/g)) urls[user] = url;
  expect((await commandLine(job('alone'))).code).toBe(0);
}, 120_000);

afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await Promise.all(
    started.map((child) => child.exitCode ?? child.signalCode ?? new Promise((end) => child.once('exit', end))),
  );
  started = [];
});
afterAll(() => folder.remove());

/** Starts a process that the test ends. */
function start(program: string, words: readonly string[], stdio: 'ignore' | 'inherit' = 'ignore'): ChildProcess {
  const child = spawn(program, words, { stdio });
  started.push(child);
  return child;
}
const server = (): ChildProcess => start('nats-server', ['-c', config]);
const worker = (node = process.execPath): ChildProcess =>
  start(node, [PROGRAM, 'worker', '--threads', '1', '--fleet', urls.worker]);
const train = (name: string, ...more: string[]) => commandLine([...job(name), '--fleet', urls.learner, ...more]);

/** What a run leaves behind, to the bit. */
function leftBy(name: string) {
  const { weightsSha256 } = readSummary(directory(name));
  const completions = readFileSync(join(directory(name), 'completions.jsonl'), 'utf8');
  return { weightsSha256, completions, metrics: readMetrics(directory(name)) };
}

/** Waits until a run has come this far. */
async function untilLines(name: string, lines: number): Promise<void> {
  const file = join(directory(name), 'metrics.jsonl');
  while (!existsSync(file) || readFileSync(file, 'utf8').split('\n').length <= lines)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

const isStep = (line: object): boolean => 'loss' in line;

describe('a training over a server has the bits of one machine', () => {
  it('with three worker processes', async () => {
    server();
    for (let i = 0; i < 3; i++) worker();
    const { code, stdout } = await train('three');
    expect(code).toBe(0);
    expect(leftBy('three')).toEqual(leftBy('alone'));
    expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
    const lines = readFileSync(join(directory('three'), 'fleet.jsonl'), 'utf8')
      .trim()
      .split('\n');
    expect(lines).toHaveLength(readMetrics(directory('three')).filter(isStep).length);
    const last = JSON.parse(lines[lines.length - 1]);
    expect(last).toMatchObject({ stage: 'grpo', workers: 3, answers_refused: 0 });
    for (const figure of ['groups_by_workers', 'groups_under_way', 'broadcast_bytes', 'waited_seconds'])
      expect(last[figure]).toBeGreaterThan(0);
  }, 60_000);

  it('when a worker is killed, the server too, with its files, and comes back', async () => {
    const first = server();
    const victim = worker();
    worker();
    const running = train('killed');
    await untilLines('killed', 3);
    victim.kill('SIGKILL');
    await untilLines('killed', 5);
    first.kill('SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 300));
    server();
    expect((await running).code).toBe(0);
    expect(leftBy('killed')).toEqual(leftBy('alone'));
  }, 90_000);

  it('that samples ahead, when the learner is killed and resumed, and the server has lost its files', async () => {
    const ahead = ['--set', 'grpo.staleness=2'];
    expect((await commandLine([...job('ahead'), ...ahead])).code).toBe(0);
    const first = server();
    worker();
    const killed = commandLine([...job('resumed'), ...ahead, '--fleet', urls.learner], {
      signal: 'SIGKILL',
      whenThere: join(directory('resumed'), 'checkpoints', 'grpo-4'),
    });
    expect((await killed).signal).toBe('SIGKILL');
    first.kill('SIGKILL');
    rmSync(join(folder.path, 'fleet', 'files'), { recursive: true, force: true });
    server();
    const { code } = await train('resumed', ...ahead, '--resume');
    expect(code).toBe(0);
    expect(leftBy('resumed')).toEqual(leftBy('ahead'));
    expect(leftBy('resumed').weightsSha256).not.toBe(leftBy('alone').weightsSha256);
  }, 90_000);

  it('--workers alone starts a server of its own, and leaves none', async () => {
    const { code, stdout, stderr } = await commandLine([...job('own'), '--workers', '1']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
    expect(leftBy('own')).toEqual(leftBy('alone'));
  }, 60_000);
});

describe('a mistake is one message', () => {
  it.each([
    ['no server', () => undefined, () => urls.learner, 'no NATS server answers at nats://127.0.0.1'],
    ['a wrong password', server, () => urls.learner.replace(/:\w+@/, ':wrong@'), 'refuses this user or password'],
    ['a user without the right', server, () => urls.worker, 'has no JetStream, or this user may not use it'],
  ])(
    '%s',
    async (_, prepare, url, message) => {
      prepare();
      if (started.length > 0) await untilUp(port);
      const { code, stderr } = await commandLine([...job('mistake'), '--fleet', url()]);
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/:\w{32}@/);
    },
    30_000,
  );

  it('no JetStream', async () => {
    start('nats-server', ['-a', '127.0.0.1', '-p', String(port)]);
    await untilUp(port);
    const { code, stderr } = await commandLine([...job('mistake'), '--fleet', `nats://127.0.0.1:${port}`]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no JetStream')]);
  }, 30_000);
});

it('a worker that waits for its server joins once it is up', async () => {
  worker();
  const running = new Promise((resolve) => setTimeout(resolve, 1500)).then(server);
  await running;
  await untilUp(port);
  const { code, stdout } = await train('late');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/fleet: [1-9]\d* groups were sampled by workers/)]);
}, 60_000);
