/**
 * Trainings over a real NATS server, by the built command: whatever is killed, the run is that of one machine. Needs nats-server
 * on the PATH, which `.ci/run` installs.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../../../commands/test/e2e/command_line.ts';
import { FleetProcesses, killed } from '../support/fleet_processes.ts';
import { untilUp } from '../support/nats_server.ts';

const JOB = [
  ...['--config', 'sort-digits', '--max-steps', '8', '--threads', '1', '--plain'],
  ...['--set', 'grpo.eval_samples=64', '--set', 'save_seconds=0.01'],
];
/** Episodes of several turns, by a policy that plays some of them to their end. */
const EPISODES = `
task: {name: guess_number, max: 9, numbers: 5, turns: 3}
model: {hidden_size: 32, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 64}
seed: 0
stages:
  - {stage: sft, max_steps: 60, per_device_train_batch_size: 32, learning_rate: 1.0e-2, eval_strategy: "no"}
  - {stage: grpo, max_steps: 6, num_generations: 8, generation_batch_size: 128, learning_rate: 1.0e-3, eval_strategy: "no",
     reward_funcs: [accuracy, ./hold.mjs]}
`;
const AHEAD = ['--set', 'grpo.staleness=2'];
let fleet: FleetProcesses;

beforeAll(async () => {
  expect(execFileSync('nats-server', ['--version']).toString()).toMatch(/nats-server/);
  fleet = await FleetProcesses.make(JOB);
  expect((await fleet.alone('alone')).code).toBe(0);
}, 120_000);
afterEach(() => fleet.end());
afterAll(() => fleet.remove());

const asUrl = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const isStep = (line: object): boolean => 'loss' in line;

describe('a training over a server has the bits of one machine', () => {
  it('with three worker processes', async () => {
    await fleet.serve();
    fleet.workers(3);
    const beginning = fleet.hold(1);
    const running = fleet.train('three');
    await fleet.untilWaiting(3);
    beginning.release();
    const { code, stdout } = await running;
    expect(code).toBe(0);
    expect(stdout.match(/^fleet: worker .* has joined$/gm)).toHaveLength(3);
    expect(fleet.leftBy('three')).toEqual(fleet.leftBy('alone'));
    expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
    const lines = fleet.fleetLines('three');
    expect(lines).toHaveLength(fleet.leftBy('three').metrics.filter(isStep).length);
    const last = lines[lines.length - 1];
    expect(last).toMatchObject({ stage: 'grpo', answers_refused: 0 });
    for (const figure of ['groups_by_workers', 'groups_under_way', 'broadcast_bytes', 'waited_seconds'])
      expect(last[figure]).toBeGreaterThan(0);
  }, 60_000);

  it('when a worker is killed, the server too, with its files, and comes back', async () => {
    const first = await fleet.serve();
    const [victim] = fleet.workers(2);
    const [beginning, middle, later] = [1, 3, 5].map((step) => fleet.hold(step));
    const running = fleet.train('killed');
    await fleet.untilWaiting(2);
    beginning.release();
    await middle.reached();
    middle.release();
    victim.kill('SIGKILL');
    await later.reached();
    await killed(first);
    later.release();
    // As long as it likes: the learner looks for the server meanwhile, and samples by itself.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await fleet.serve();
    expect((await running).code).toBe(0);
    expect(fleet.leftBy('killed')).toEqual(fleet.leftBy('alone'));
  }, 90_000);

  it('that samples ahead, when the learner is killed and resumed, and the server has lost its files', async () => {
    expect((await fleet.alone('ahead', AHEAD)).code).toBe(0);
    const first = await fleet.serve();
    fleet.workers(1);
    const middle = fleet.hold(5);
    const learner = fleet.train('resumed', AHEAD, { signal: 'SIGKILL', whenThere: middle.held });
    expect((await learner).signal).toBe('SIGKILL');
    middle.release();
    await killed(first);
    rmSync(fleet.place('fleet', 'files'), { recursive: true, force: true });
    await fleet.serve();
    const { code } = await fleet.train('resumed', [...AHEAD, '--resume']);
    expect(code).toBe(0);
    expect(fleet.leftBy('resumed')).toEqual(fleet.leftBy('ahead'));
    expect(fleet.leftBy('resumed').weightsSha256).not.toBe(fleet.leftBy('alone').weightsSha256);
  }, 90_000);

  it('of episodes, whose turns go to the worker that has the ones before, of which one is killed', async () => {
    const file = fleet.place('episodes.yaml');
    writeFileSync(file, EPISODES);
    const played = (name: string, ...more: readonly string[]) =>
      commandLine(['--config', file, '--threads', '1', '--plain', '--output', fleet.place(name), ...more]);
    expect((await played('episodes-alone')).code).toBe(0);
    await fleet.serve();
    const [victim] = fleet.workers(3);
    const [beginning, middle] = [fleet.hold(1), fleet.hold(3)];
    const running = played('episodes', '--fleet', fleet.urls.learner);
    await fleet.untilWaiting(3);
    beginning.release();
    await middle.reached();
    middle.release();
    victim.kill('SIGKILL');
    expect((await running).code).toBe(0);
    expect(fleet.leftBy('episodes')).toEqual(fleet.leftBy('episodes-alone'));
    expect(fleet.fleetLines('episodes').at(-1)?.groups_continued).toBeGreaterThan(0);
  }, 90_000);

  it('--workers alone starts a server of its own, and leaves none', async () => {
    const { code, stdout, stderr } = await fleet.alone('own', ['--workers', '1']);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^runs code from .*\n$/)]);
    expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
    expect(fleet.leftBy('own')).toEqual(fleet.leftBy('alone'));
  }, 60_000);
});

describe('a mistake is one message', () => {
  const mistake = (url: string) => commandLine([...JOB, '--output', fleet.place('mistake'), '--fleet', url]);

  it.each([
    ['no server', false, () => fleet.urls.learner, 'no NATS server answers at nats://127.0.0.1'],
    ['a wrong password', true, () => fleet.urls.learner.replace(/:\w+@/, ':wrong@'), 'refuses this user or password'],
    ['a user without the right', true, () => fleet.urls.worker, 'has no JetStream, or this user may not use it'],
  ])(
    '%s',
    async (_, isUp, url, message) => {
      if (isUp) await fleet.serve();
      const { code, stderr } = await mistake(url());
      expect([code, stderr.trim().split('\n').length]).toEqual([1, 1]);
      expect(stderr).toContain(message);
      expect(stderr).not.toMatch(/:\w{32}@/);
    },
    30_000,
  );

  it('no client packages', async () => {
    const hook = fleet.place('without.mjs');
    const resolve = `export const resolve = (name, context, next) => {
      if (name.startsWith('@nats-io/')) throw Object.assign(new Error(name), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    };`;
    writeFileSync(hook, `import { register } from 'node:module';\nregister(${JSON.stringify(asUrl(resolve))});`);
    const { code, stderr } = await commandLine(['worker', '--fleet', fleet.urls.worker], undefined, {
      env: { NODE_OPTIONS: `--import ${hook}` },
    });
    const remedy = 'npm install @nats-io/transport-node@3.4.0 @nats-io/jetstream@3.4.0';
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`a fleet needs packages that are not there; ${remedy}`),
    ]);
  }, 30_000);

  it('no JetStream', async () => {
    fleet.start('nats-server', ['-a', '127.0.0.1', '-p', String(fleet.port)]);
    await untilUp(fleet.port);
    const { code, stderr } = await mistake(`nats://127.0.0.1:${fleet.port}`);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no JetStream')]);
  }, 30_000);
});

it('a worker that waits for its server joins once it is up', async () => {
  const [worker] = fleet.workers(1);
  const [said] = await once(worker.stdout as Readable, 'data');
  expect(String(said)).toMatch(/^no server at .* yet; waiting for it/);
  await fleet.serve();
  const beginning = fleet.hold(1);
  const running = fleet.train('late');
  await fleet.untilWaiting(1);
  beginning.release();
  const { code, stdout } = await running;
  expect([code, stdout]).toEqual([0, expect.stringMatching(/fleet: [1-9]\d* groups were sampled by workers/)]);
}, 60_000);
