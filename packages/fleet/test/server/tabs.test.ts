/**
 * Tabs of a browser that sample for a training, over the server's WebSocket: consent first, the bits of one machine, and no right
 * that a visitor does not need. Needs nats-server on the PATH and Chromium, which `.ci/run` installs.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from '@nats-io/transport-node';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { commandLine, readSummary } from '../../../commands/test/e2e/command_line.ts';
import { smallPretrainedFiles } from '../../../models/test/support/small_pretrained.ts';
import { arrive, type Site, serveSite, startChromium, status, type Visit } from '../../../web/test/browser/chromium.ts';
import { FleetProcesses, killed } from '../support/fleet_processes.ts';
import { untilUp } from '../support/nats_server.ts';

const JOB = [
  ...['--config', 'sort-digits', '--max-steps', '8', '--threads', '1', '--plain'],
  ...['--set', 'grpo.eval_samples=32'],
];
/** Batches that are sampled ahead. */
const LAGS = fewOf([0, 4, 1], { quick: 2, all: 2 });
/** Tabs, and as many processes, that sample together. */
const TOGETHER = budget({ quick: 2, all: 2, release: 4 });
const PROCESSES = budget({ quick: 3, all: 3, release: 8 });
const HAS_JOINED = /^fleet: worker .* has joined$/gm;
const lag = (staleness: number): string[] => (staleness === 0 ? [] : ['--set', `grpo.staleness=${staleness}`]);
let fleet: FleetProcesses;
let site: Site;
let browser: Browser;
let link: string;

beforeAll(async () => {
  site = await serveSite({ isolated: true });
  browser = await startChromium({ webgpu: false });
  fleet = await FleetProcesses.make(JOB, ['--page', site.url]);
  link = /their tabs:\s+(\S+)/.exec(fleet.said)?.[1] ?? '';
  expect(link).toMatch(/\/lend\.html#ws:\/\/visitor:\w+@127\.0\.0\.1:\d+$/);
  for (const staleness of LAGS) expect((await fleet.alone(`alone-${staleness}`, lag(staleness))).code).toBe(0);
  expect(new Set(LAGS.map((staleness) => fleet.leftBy(`alone-${staleness}`).weightsSha256)).size).toBe(LAGS.length);
}, 120_000);
afterEach(() => fleet.end());
afterAll(async () => {
  await browser?.close();
  await site?.close();
  fleet?.remove();
});

async function serve() {
  const server = await fleet.serve();
  await untilUp(fleet.port + 1);
  return server;
}

async function lent(threads = 1): Promise<Visit> {
  const visit = await arrive(browser, link);
  await status(visit.page, 'waiting');
  await visit.page.selectOption('#threads', String(threads));
  await visit.page.click('#lend');
  await status(visit.page, 'connected');
  return visit;
}

/** Tokens that a tab says it has given. */
const given = ({ page }: Visit): Promise<number> =>
  page.textContent('#tokens').then((text) => Number(text?.replaceAll(',', '')));

it('tabs beside as many processes, without a lag and with one: the bits of one machine', async () => {
  await serve();
  fleet.workers(TOGETHER);
  const tabs = await Promise.all(Array.from({ length: TOGETHER }, () => lent()));
  for (const staleness of LAGS) {
    const name = `mixed-${staleness}`;
    const beginning = fleet.hold(1);
    const running = fleet.train(name, lag(staleness));
    await fleet.untilWaiting(2 * TOGETHER);
    beginning.release();
    const { code, stdout } = await running;
    expect(code).toBe(0);
    expect(stdout.match(HAS_JOINED)).toHaveLength(2 * TOGETHER);
    expect(fleet.leftBy(name)).toEqual(fleet.leftBy(`alone-${staleness}`));
    expect(fleet.fleetLines(name).at(-1)).toMatchObject({ answers_refused: 0 });
  }
  for (const tab of tabs) {
    expect(await given(tab)).toBeGreaterThan(0);
    expect(tab.errors).toEqual([]);
    await tab.close();
  }
}, 180_000);

it('processes and two tabs, of which some are killed and closed, over a server that is killed', async () => {
  const first = await serve();
  const [victim] = fleet.workers(PROCESSES);
  const [staying, closing] = [await lent(), await lent(2)];
  const [beginning, middle, later] = [1, 3, 5].map((step) => fleet.hold(step));
  const running = fleet.train('eight');
  await fleet.untilWaiting(PROCESSES + 2);
  beginning.release();
  await middle.reached();
  middle.release();
  victim.kill('SIGKILL');
  await later.reached();
  await expect.poll(() => given(closing)).toBeGreaterThan(0);
  await closing.close();
  later.release();
  await killed(first);
  await serve();
  const { code, stdout } = await running;
  expect(code).toBe(0);
  expect(stdout.match(HAS_JOINED)).toHaveLength(PROCESSES + 2);
  expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
  expect(fleet.leftBy('eight')).toEqual(fleet.leftBy('alone-0'));
  const kept = await staying.page.evaluate(async () => {
    const files: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return [localStorage.length, (await indexedDB.databases()).length, files];
  });
  expect(kept).toEqual([0, 0, []]);
  await staying.page.click('#stop');
  await status(staying.page, 'stopped');
  await staying.close();
}, 180_000);

/** What an adapter is trained beside, which no tab has. */
const ADAPTER = `model_name_or_path: ./base
use_peft: true
lora_r: 4
task: {name: sort_digits, digits: 2, examples: 1}
max_completion_length: 4
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-2
max_steps: 6
eval_strategy: 'no'
num_generations_eval: 1
reward_funcs: [./letters.mjs, ./hold.mjs]
threads: 1
`;

it('a tab is sent the base model of an adapter, and samples for it with the bits of one machine', async () => {
  const base = await smallPretrainedFiles();
  await serve();
  mkdirSync(fleet.place('base'));
  for (const name of await base.list('base'))
    writeFileSync(fleet.place('base', name), (await base.read(`base/${name}`)) as Uint8Array);
  const reward =
    "export default { name: 'letters', score: ({ completions }) => completions.map((text) => text.length % 7) };";
  writeFileSync(fleet.place('letters.mjs'), reward);
  writeFileSync(fleet.place('lora.yaml'), ADAPTER);
  const run = (name: string, ...more: string[]) =>
    commandLine(['--config', 'lora.yaml', '--plain', '--output', name, ...more], undefined, { cwd: fleet.place() });
  expect((await run('lora-alone')).code).toBe(0);
  const tab = await lent();
  const beginning = fleet.hold(1);
  const running = run('lora-tab', '--fleet', fleet.urls.learner);
  await fleet.untilWaiting(1);
  beginning.release();
  const { code, stdout } = await running;
  expect([code, stdout]).toEqual([0, expect.stringContaining('the base model is sent to a worker that lacks it')]);
  expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
  expect(readSummary(fleet.place('lora-tab')).weightsSha256).toBe(readSummary(fleet.place('lora-alone')).weightsSha256);
  expect(tab.errors).toEqual([]);
  await tab.close();
}, 90_000);

it.each([
  ['a wrong password', () => link.replace(/:\w+@/, ':wrong@'), 'refuses this link'],
  ['no address', () => link.replace(/#.*/, ''), 'has no address of a fleet'],
])(
  '%s is told',
  async (_, address, message) => {
    await serve();
    const { page, close } = await arrive(browser, address());
    await page.waitForFunction(() => document.body.dataset.status !== undefined);
    if (await page.isEnabled('#lend')) await page.click('#lend');
    await status(page, 'refused');
    await expect.poll(() => page.textContent('#status')).toContain(message);
    await close();
  },
  30_000,
);

it('a visitor of the real server is refused whatever a worker need not do', async () => {
  await serve();
  const { hostname, port, username: user, password: pass } = new URL(fleet.urls.visitor);
  const connection = await connect({
    ...{ servers: `${hostname}:${port}`, user, pass },
    inboxPrefix: '_INBOX_visitor',
  });
  const refused: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') refused.push(/"([^"]+)"/.exec(String(status.error))?.[1] ?? String(status.error));
  })();
  const published = [
    ...['$JS.API.STREAM.CREATE.MINE', '$JS.API.STREAM.DELETE.RLVR_TASKS', '$JS.API.STREAM.PURGE.RLVR_WEIGHTS'],
    ...['$JS.API.STREAM.MSG.DELETE.RLVR_TASKS', '$JS.API.STREAM.INFO.RLVR_TASKS', '$JS.API.STREAM.NAMES'],
    ...['$JS.API.CONSUMER.CREATE.RLVR_TASKS.mine', '$JS.API.CONSUMER.DELETE.RLVR_TASKS.run'],
    ...['$JS.API.DIRECT.GET.RLVR_TASKS.rlvr.task.run.0', '$JS.ACK.RLVR_TASKS.run.1.1.1.1.0'],
    ...[
      'rlvr.to.run.result',
      'rlvr.task.run.0',
      'rlvr.weights.run.key.0',
      'rlvr.card.run',
      'rlvr.learner.run',
      'rlvr.to.run.series',
    ],
  ];
  const listened = ['rlvr.to.>', 'rlvr.task.>', '_INBOX_learner.>', '_INBOX_worker.>', '$SYS.>'];
  for (const subject of published) connection.publish(subject, '{}');
  for (const subject of listened) connection.subscribe(subject, { callback: () => undefined });
  await connection.flush();
  await expect.poll(() => refused.toSorted()).toEqual([...published, ...listened].toSorted());
  await connection.close();
});
