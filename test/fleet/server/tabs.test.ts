/**
 * Tabs of a browser that sample for a training, over the server's WebSocket: consent first, the bits of one machine, and no right
 * that a visitor does not need. Needs nats-server on the PATH and Chromium, which `.ci/run` installs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { arrive, type Site, serveSite, startChromium, status, type Visit } from '../../browser/chromium.ts';
import { commandLine, readMetrics, readSummary, temporaryFolder } from '../../e2e/command_line.ts';
import { freePort, untilUp } from '../../support/nats_server.ts';
import { smallPretrainedFiles } from '../../support/small_pretrained.ts';

const folder = temporaryFolder();
const directory = (name: string): string => join(folder.path, name);
const job = (name: string): string[] => [
  ...['--config', 'sort-digits', '--max-steps', '8', '--threads', '1', '--plain'],
  ...['--set', 'grpo.eval_samples=32', '--output', directory(name)],
];
const urls: Record<string, string> = {};
let site: Site;
let browser: Browser;
let server: ChildProcess;
let link: string;

beforeAll(async () => {
  const port = await freePort();
  site = await serveSite({ isolated: true });
  browser = await startChromium({ webgpu: false });
  const at = ['--output', directory('fleet'), '--host', '127.0.0.1', '--port', String(port), '--page', site.url];
  const { stdout } = await commandLine(['fleet', 'init', ...at]);
  for (const [url, user] of stdout.matchAll(/nats:\/\/(\w+):\S+/g)) urls[user] = url;
  link = /their tabs:\s+(\S+)/.exec(stdout)?.[1] ?? '';
  expect(link).toMatch(/\/lend\.html#ws:\/\/visitor:\w+@127\.0\.0\.1:\d+$/);
  server = spawn('nats-server', ['-c', join(directory('fleet'), 'nats.conf')], { stdio: 'ignore' });
  await untilUp(port + 1);
  expect((await commandLine(job('alone'))).code).toBe(0);
}, 120_000);
afterAll(async () => {
  server?.kill('SIGKILL');
  await browser?.close();
  await site?.close();
  folder.remove();
});

async function lent(threads: number): Promise<Visit> {
  const visit = await arrive(browser, link);
  await status(visit.page, 'waiting');
  await visit.page.selectOption('#threads', String(threads));
  await visit.page.click('#lend');
  await status(visit.page, 'connected');
  return visit;
}

it('two tabs sample all of a training, of which one is closed; it is that of one machine', async () => {
  const [staying, closing] = [await lent(1), await lent(2)];
  const running = commandLine([...job('tabs'), '--fleet', urls.learner]);
  const given = (): Promise<number> =>
    closing.page.textContent('#tokens').then((text) => Number(text?.replaceAll(',', '')));
  await expect.poll(given, { timeout: 30_000 }).toBeGreaterThan(0);
  await closing.close();
  const { code, stdout } = await running;
  expect(code).toBe(0);
  expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
  expect(readSummary(directory('tabs')).weightsSha256).toBe(readSummary(directory('alone')).weightsSha256);
  expect(readMetrics(directory('tabs'))).toEqual(readMetrics(directory('alone')));
  const completions = (name: string): string => readFileSync(join(directory(name), 'completions.jsonl'), 'utf8');
  expect(completions('tabs')).toBe(completions('alone'));
  const kept = await staying.page.evaluate(async () => {
    const files: string[] = [];
    for await (const name of (await navigator.storage.getDirectory()).keys()) files.push(name);
    return [localStorage.length, (await indexedDB.databases()).length, files];
  });
  expect(kept).toEqual([0, 0, []]);
  await staying.page.click('#stop');
  await status(staying.page, 'stopped');
  expect(staying.errors).toEqual([]);
  await staying.close();
}, 90_000);

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
reward_funcs: [./letters.mjs]
threads: 1
`;

it('a tab is sent the base model of an adapter, and samples for it with the bits of one machine', async () => {
  const base = await smallPretrainedFiles();
  mkdirSync(directory('base'));
  for (const name of await base.list('base'))
    writeFileSync(join(directory('base'), name), (await base.read(`base/${name}`)) as Uint8Array);
  const reward =
    "export default { name: 'letters', score: ({ completions }) => completions.map((text) => text.length % 7) };";
  writeFileSync(directory('letters.mjs'), reward);
  writeFileSync(directory('lora.yaml'), ADAPTER);
  const run = (name: string, ...more: string[]) =>
    commandLine(['--config', 'lora.yaml', '--plain', '--output', name, ...more], undefined, { cwd: folder.path });
  expect((await run('lora-alone')).code).toBe(0);
  const tab = await lent(1);
  const { code, stdout } = await run('lora-tab', '--fleet', urls.learner);
  expect([code, stdout]).toEqual([0, expect.stringContaining('the base model is sent to a worker that lacks it')]);
  expect(stdout).toMatch(/fleet: [1-9]\d* groups were sampled by workers/);
  expect(readSummary(directory('lora-tab')).weightsSha256).toBe(readSummary(directory('lora-alone')).weightsSha256);
  expect(tab.errors).toEqual([]);
  await tab.close();
}, 90_000);

it.each([
  ['a wrong password', () => link.replace(/:\w+@/, ':wrong@'), 'refuses this link'],
  ['no address', () => link.replace(/#.*/, ''), 'has no address of a fleet'],
])(
  '%s is told',
  async (_, address, message) => {
    const { page, close } = await arrive(browser, address());
    await page.waitForFunction(() => document.body.dataset.status !== undefined);
    if (await page.isEnabled('#lend')) await page.click('#lend');
    await status(page, 'refused');
    expect(await page.textContent('#status')).toContain(message);
    await close();
  },
  30_000,
);

it('a visitor of the real server is refused whatever a worker need not do', async () => {
  const { hostname, port, username: user, password: pass } = new URL(urls.visitor);
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
