/**
 * How soon does the page show learning, does its own thread stay free, and does its memory stay what it was?
 *
 *   npm run build:web && npm run bench -- page [--minutes 3] [--backend wasm|webgpu] [--threads N] [--throttle N] [--json FILE]
 *
 * Opens web/dist in headless Chromium (/usr/bin/chromium) twice. First click: the preset of the first visit, from the
 * click on Train to the first held-out accuracy and to the end. Soak: the same task at a learning rate of nothing, so
 * that it does not end, for `--soak` minutes; at each tenth of it, the page's heap and elements after a collection, and the
 * resident set of its process, workers and the engine's memory included (Linux). What the page's thread did is reported by
 * wall-clock and by processor time (page_thread.mjs): everything runs on this machine's cores, the adapter too where it
 * is software, and a task that waits for a core is long by wall-clock only. --throttle: the page's thread N times slower.
 */
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { startChromium } from './chromium.mjs';
import { describeMachine, fail, machineLine, readFlags, table, writeJson } from './command.mjs';
import { countFrames, watchFrames } from './page_frames.mjs';
import { clockWaiting, pageProcess } from './page_process.mjs';
import { LONG_MS, summarizeTasks, traceThread } from './page_thread.mjs';
import { slope } from './statistics.mjs';

const MARKS = 10;
const ENDLESS = 'steps=1000000&rate=1e-12&evalEvery=200';

const flags = readFlags({
  further: {
    minutes: { type: 'string', default: '3' },
    backend: { type: 'string', default: 'wasm' },
    threads: { type: 'string' },
    throttle: { type: 'string', default: '1' },
  },
});
const minutes = Number(flags.minutes);
if (!(minutes > 0)) fail(`--minutes: ${flags.minutes} — not a number above 0; use 3.`);
const throttle = Number(flags.throttle);
if (!(throttle >= 1)) fail(`--throttle: ${flags.throttle} — not a number of 1 or more; use 4.`);
const machine = describeMachine();
const browser = await startChromium({ webgpu: flags.backend === 'webgpu' });
const site = await preview({ configFile: fileURLToPath(new URL('../web/vite.config.ts', import.meta.url)) });
try {
  const first = await firstClick();
  const soak = await train();
  process.stdout.write(`${report(first, soak)}\n`);
  if (flags.json !== undefined) writeJson(flags.json, 'page', { machine, throttle, first, soak });
} finally {
  await browser.close();
  await site.close();
}

/** Opens an experiment in a fresh profile and waits until it can be trained. */
async function open(experiment) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: throttle });
  await countFrames(page);
  const query = new URLSearchParams({ backend: flags.backend, ...(flags.threads && { threads: flags.threads }) });
  if (flags.backend === 'webgpu') query.set('software', '');
  const stop = await traceThread(browser, page);
  await page.goto(`${site.resolvedUrls.local[0]}?${query}#${experiment}`);
  await waitFor(page, () => document.body.dataset.status === 'waiting');
  await page.click('#open');
  await waitFor(page, () => document.body.dataset.status === 'resting');
  return { page, devtools, opening: summarizeTasks(await stop()), close: () => context.close() };
}

/** Watches the frames of a page, and what kept its thread from a core, from now on. */
async function watch(page) {
  const [waiting, frames] = [clockWaiting((await pageProcess(browser)).id), await watchFrames(page)];
  return async () => ({ ...waiting(), frames: await frames() });
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
  const { page, opening, close } = await open('preset=sort-digits');
  const backend = await page.textContent('#backend');
  const watched = await watch(page);
  const traced = await traceThread(browser, page);
  const begin = await now(page);
  await page.click('#train');
  await waitFor(page, () => document.querySelector('[data-curve=accuracy] .now').textContent !== '');
  const accuracy = (await now(page)) - begin;
  await waitFor(page, () => document.body.dataset.status === 'finished');
  const end = (await now(page)) - begin;
  const thread = { ...summarizeTasks(await traced()), ...(await watched()) };
  const reached = await page.textContent('[data-curve=accuracy] .now');
  const steps = await stepOf(page);
  await close();
  return { backend, opening, secondsToAccuracy: accuracy / 1000, seconds: end / 1000, reached, steps, thread };
}

async function train() {
  const { page, devtools, close } = await open(`preset=sort-digits&${ENDLESS}`);
  const begin = await now(page);
  const watched = await watch(page);
  const memory = [];
  const tasks = [];
  for (let mark = 1; mark <= MARKS; mark++) {
    const traced = await traceThread(browser, page); // in parts: a trace of half an hour would not fit
    if (mark === 1) await page.click('#train');
    await page.waitForTimeout(Math.max(0, (mark / MARKS) * minutes * 60_000 - ((await now(page)) - begin)));
    tasks.push(...(await traced()));
    await devtools.send('HeapProfiler.collectGarbage');
    memory.push({ step: await stepOf(page), seconds: ((await now(page)) - begin) / 1000, ...(await held(devtools)) });
  }
  const thread = { ...summarizeTasks(tasks), ...(await watched()) };
  await close();
  const growth = { heap: growthOf(memory, 'heap'), resident: growthOf(memory, 'resident') };
  return { minutes, steps: memory.at(-1).step, memory, growth, thread };
}

/** Memory that a page holds: bytes of its heap and of its process; its elements, with those in no document, and listeners. */
async function held(devtools) {
  const { usedSize: heap } = await devtools.send('Runtime.getHeapUsage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const count = (wanted) => metrics.find(({ name }) => name === wanted).value;
  const { resident } = await pageProcess(browser);
  return { heap, resident, nodes: count('Nodes'), listeners: count('JSEventListeners') };
}

/** Bytes per minute, without the first mark, where code is still being compiled. */
function growthOf(memory, of) {
  return slope(memory.slice(1).map((mark) => [mark.seconds / 60, mark[of]]));
}

function report(first, soak) {
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  const rows = [
    ['opening', ''],
    ...taskRows(first.opening),
    [`sort-digits, ${first.steps} steps`, `${first.seconds.toFixed(1)} s, to ${first.reached} held-out accuracy`],
    ['  first held-out accuracy', `${first.secondsToAccuracy.toFixed(1)} s after the click`],
    ...threadRows(first.thread),
    [`soak, ${soak.minutes} min`, `${soak.steps} steps`],
    ...threadRows(soak.thread),
    ...soak.memory.map(({ step, heap, resident, nodes, listeners }) => [
      `  at step ${step}`,
      `heap ${megabytes(heap)}, resident ${megabytes(resident)}, ${nodes} nodes, ${listeners} listeners`,
    ]),
    ['  growth a minute', `heap ${megabytes(soak.growth.heap)}, resident ${megabytes(soak.growth.resident)}`],
  ];
  return [machineLine(machine), first.backend, '', table(['', ''], rows)].join('\n');
}

function threadRows(thread) {
  const { frames, withheld, waited } = thread;
  const percent = (share) => `${(100 * share).toFixed(0)} %`;
  return [
    ...taskRows(thread),
    ['  between two frames', `median ${frames.medianMs.toFixed(1)} ms, 95 % within ${frames.p95Ms.toFixed(1)} ms`],
    ['  cores withheld from the machine', percent(withheld)],
    ['  time that the thread waited for a core', percent(waited)],
  ];
}

function taskRows({ wall, cpu, longest }) {
  const long = ({ long: count, longestMs }) => `${count}, the longest task ${longestMs.toFixed(0)} ms`;
  return [
    [`  tasks of ${LONG_MS} ms and more, wall-clock`, long(wall)],
    ['  the same, processor time', long(cpu)],
    ...longest.map(({ wallMs, cpuMs, doing }) => [`    ${doing}`, `${cpuMs.toFixed(0)} ms in ${wallMs.toFixed(0)} ms`]),
  ];
}
