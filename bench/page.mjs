/**
 * How soon does the page show learning, does its own thread stay free, and does its memory stay what it was?
 *
 *   npm run build:web && npm run bench -- page [--minutes 3] [--backend wasm|webgpu] [--threads N] [--json FILE]
 *
 * Opens web/dist in headless Chromium (/usr/bin/chromium) twice. First click: the preset of the first visit, from the
 * click on Train to the first held-out accuracy and to the end. Soak: the same task at a learning rate of nothing, so
 * that it goes on, for so many minutes; at each tenth of it, the page's heap after a collection, and the resident set of
 * its process, workers and the engine's memory included (Linux). Tasks of 50 ms and more on the page's thread are what
 * the browser's own `longtask` entries say. Everything runs on this machine's cores, the adapter too where it is
 * software: a task that waits for a core counts as long.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { startChromium } from './chromium.mjs';
import { describeMachine, fail, machineLine, readFlags, table, writeJson } from './command.mjs';
import { slope } from './statistics.mjs';

const MARKS = 10;
const ENDLESS = 'steps=1000000&rate=1e-12&evalEvery=100000';

const flags = readFlags({
  further: {
    minutes: { type: 'string', default: '3' },
    backend: { type: 'string', default: 'wasm' },
    threads: { type: 'string' },
  },
});
const minutes = Number(flags.minutes);
if (!(minutes > 0)) fail(`--minutes: ${flags.minutes} — not a number above 0; use 3.`);
const machine = describeMachine();
const browser = await startChromium({ webgpu: flags.backend === 'webgpu' });
const site = await preview({ configFile: fileURLToPath(new URL('../web/vite.config.ts', import.meta.url)) });
try {
  const first = await firstClick();
  const soak = await train();
  process.stdout.write(`${report(first, soak)}\n`);
  if (flags.json !== undefined) writeJson(flags.json, 'page', { machine, first, soak });
} finally {
  await browser.close();
  await site.close();
}

/** Opens an experiment in a fresh profile and waits until it can be trained. */
async function open(experiment) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    globalThis.longTasks = [];
    new PerformanceObserver((list) => {
      globalThis.longTasks.push(...list.getEntries().map(({ startTime, duration }) => ({ startTime, duration })));
    }).observe({ type: 'longtask', buffered: true });
  });
  const query = new URLSearchParams({ backend: flags.backend, ...(flags.threads && { threads: flags.threads }) });
  if (flags.backend === 'webgpu') query.set('software', '');
  await page.goto(`${site.resolvedUrls.local[0]}?${query}#${experiment}`);
  await waitFor(page, () => document.body.dataset.status === 'resting');
  return { page, devtools: await context.newCDPSession(page), close: () => context.close() };
}

function waitFor(page, condition) {
  return page.waitForFunction(condition, undefined, { timeout: 1_200_000, polling: 20 });
}

function now(page) {
  return page.evaluate(() => performance.now());
}

function stepOf(page) {
  return page.evaluate(() => Number(/step (\d+)/.exec(document.getElementById('progress').textContent)[1]));
}

async function firstClick() {
  const { page, close } = await open('preset=sort-digits');
  const backend = await page.textContent('#backend');
  const begin = await now(page);
  await page.click('#train');
  await waitFor(page, () => document.querySelector('[data-curve=accuracy] .now').textContent !== '');
  const accuracy = (await now(page)) - begin;
  await waitFor(page, () => document.body.dataset.status === 'finished');
  const end = (await now(page)) - begin;
  const reached = await page.textContent('[data-curve=accuracy] .now');
  const [steps, tasks] = [await stepOf(page), await longTasks(page, begin)];
  await close();
  return { backend, secondsToAccuracy: accuracy / 1000, seconds: end / 1000, reached, steps, ...tasks };
}

async function train() {
  const { page, devtools, close } = await open(`preset=sort-digits&${ENDLESS}`);
  await page.click('#train');
  const begin = await now(page);
  const memory = [];
  const collections = [];
  for (let mark = 1; mark <= MARKS; mark++) {
    await page.waitForTimeout(Math.max(0, (mark / MARKS) * minutes * 60_000 - ((await now(page)) - begin)));
    const collecting = await now(page);
    await devtools.send('HeapProfiler.collectGarbage');
    collections.push({ from: collecting, to: await now(page) });
    const { usedSize: heap } = await devtools.send('Runtime.getHeapUsage');
    const seconds = ((await now(page)) - begin) / 1000;
    memory.push({ step: await stepOf(page), seconds, heap, resident: await residentBytes() });
  }
  const tasks = await longTasks(page, begin, collections);
  await close();
  return {
    minutes,
    steps: memory.at(-1).step,
    memory,
    growth: { heap: growthOf(memory, 'heap'), resident: growthOf(memory, 'resident') },
    ...tasks,
  };
}

/** Resident set of the browser's largest renderer: the page with its workers. */
async function residentBytes() {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const kilobytes = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0));
  return Math.max(...kilobytes) * 1024;
}

/** Tasks of 50 ms and more that began after `since`, but not while this program had garbage collected. */
async function longTasks(page, since, collections = []) {
  const all = await page.evaluate(() => globalThis.longTasks);
  const isOurs = (time) => collections.some(({ from, to }) => time >= from && time <= to);
  const durations = all
    .filter(({ startTime }) => startTime >= since && !isOurs(startTime))
    .map(({ duration }) => duration);
  return {
    longTasks: durations.length,
    longestMs: Math.max(0, ...durations),
    totalMs: durations.reduce((a, b) => a + b, 0),
  };
}

/** Bytes a minute, without the first mark, where code is still being compiled. */
function growthOf(memory, of) {
  return slope(memory.slice(1).map((mark) => [mark.seconds / 60, mark[of]]));
}

function report(first, soak) {
  const long = ({ longTasks: count, longestMs, totalMs }) =>
    count === 0 ? 'none' : `${count}, the longest ${longestMs.toFixed(0)} ms, ${totalMs.toFixed(0)} ms in all`;
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  const rows = [
    ['first held-out accuracy', `${first.secondsToAccuracy.toFixed(1)} s after the click`],
    [`sort-digits, ${first.steps} steps`, `${first.seconds.toFixed(1)} s, to ${first.reached} held-out accuracy`],
    ['tasks of 50 ms and more', long(first)],
    [`soak, ${soak.minutes} min`, `${soak.steps} steps`],
    ['tasks of 50 ms and more', long(soak)],
    ...soak.memory.map(({ step, heap, resident }) => [
      `  at step ${step}`,
      `heap ${megabytes(heap)}, resident ${megabytes(resident)}`,
    ]),
    ['growth a minute', `heap ${megabytes(soak.growth.heap)}, resident ${megabytes(soak.growth.resident)}`],
  ];
  return [machineLine(machine), first.backend, '', table(['', ''], rows)].join('\n');
}
