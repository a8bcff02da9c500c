/**
 * What does it cost a run that somebody watches its page, and does the page's thread stay free?
 *
 *   npm run build && npm run bench -- watched [--repeats 6] [--steps 2000] [--long 10000] [--json FILE]
 *
 * The same run of 2,000 steps on one thread from start to end, by turns: by itself, with `rlvr-train ui` and a client
 * that reads the stream of its events and draws nothing, and with the page in headless Chromium, which draws in
 * software. Compared is the time of its steps in each round; beside it, the processor time of server and browser,
 * by the second of the run. Then a log of 10,000 steps that keeps growing is opened and watched for 20 seconds, and
 * the page traced: its longest task by processor time (page_thread.mjs). Linux.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChromium } from './chromium.mjs';
import { describeMachine, machineLine, readFlags, writeJson } from './command.mjs';
import { summarizeTasks, traceThread } from './page_thread.mjs';
import { summarize } from './statistics.mjs';

const flags = readFlags({
  repeats: 6,
  quickRepeats: 1,
  further: { steps: { type: 'string', default: '2000' }, long: { type: 'string', default: '10000' } },
});
const steps = Number(flags.steps);
const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'rlvr-watched-'));
const config = `task: {name: sort_digits, digits: 4}
model: {hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 4, intermediate_size: 176}
seed: 0
threads: 1
stages:
  - {stage: grpo, max_steps: ${steps}, num_generations: 16, generation_batch_size: 64, learning_rate: 1.0e-12, reward_funcs: [positions], num_generations_eval: 1, eval_steps: ${Math.ceil(steps / 10)}}
`;
writeFileSync(join(folder, 'job.yaml'), config);
const WATCHED_MS = 20_000;
/** Lines per second by which the long log grows. */
const LINES_A_SECOND = 100;

const start = (...words) => spawn(process.execPath, [command, ...words], { cwd: folder });
const logOf = (name) => join(folder, 'runs', name, 'metrics.jsonl');
const browsers = [];

const CONDITIONS = { alone: async () => undefined, read: readEvents, watched: openPage };
try {
  const rounds = [];
  for (let i = 0; i < flags.repeats; i++) {
    const round = {};
    const names = Object.keys(CONDITIONS);
    // Each has every place in a round, for the machine may grow slower or faster while it lasts.
    for (let at = 0; at < names.length; at++) {
      const name = names[(at + i) % names.length];
      round[name] = await train(`${name}${i}`, CONDITIONS[name]);
    }
    rounds.push(round);
  }
  const over = (name) => summarize(rounds.map((round) => round[name].seconds / round.alone.seconds));
  const busy = (name, of) => summarize(rounds.map((round) => round[name][of] / round[name].wallSeconds));
  const tasks = await watchLong();
  const result = {
    overhead: { read: over('read'), watched: over('watched') },
    secondsAlone: summarize(rounds.map(({ alone }) => alone.seconds)),
    processor: {
      server: busy('watched', 'server'),
      browser: busy('watched', 'browser'),
      serverRead: busy('read', 'server'),
    },
    long: { steps: Number(flags.long), longestTaskMs: tasks.cpu.longestMs, tasks: tasks.count, longest: tasks.longest },
  };
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  const range = ({ median, low, high }, from = 0) =>
    `${percent(median - from)} (${percent(low - from)} to ${percent(high - from)})`;
  process.stdout.write(
    `${machineLine(describeMachine())}\n` +
      `${steps} steps, ${flags.repeats} rounds; medians and quartiles\n` +
      `slower while a client reads the events: ${range(result.overhead.read, 1)}\n` +
      `slower while the page is watched: ${range(result.overhead.watched, 1)}\n` +
      `processor time, of one core: server ${range(result.processor.server)}, browser ${range(result.processor.browser)}\n` +
      `longest task of the page's thread over ${flags.long} steps: ${tasks.cpu.longestMs.toFixed(1)} ms of processor time (${tasks.count} tasks; ${tasks.longest[0]?.doing})\n`,
  );
  if (flags.json !== undefined) writeJson(flags.json, 'watched', { machine: describeMachine(), steps, ...result });
} finally {
  for (const browser of browsers) await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Seconds of each step that a log has. */
function logged(name) {
  try {
    const lines = readFileSync(logOf(name), 'utf8').split('\n').slice(0, -1);
    return lines.flatMap((line) => JSON.parse(line).step_time ?? []);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** One run. @returns seconds of all its steps, and those of processor time that server and browser used while it ran */
async function train(name, condition) {
  const run = start('--config', 'job.yaml', '--backend', 'wasm', '--output', `runs/${name}`, '--quiet');
  const ended = new Promise((resolve) => run.once('exit', resolve));
  run.stdout.resume();
  run.stderr.resume();
  while (logged(name).length === 0) await sleep(100);
  const watcher = await condition(name);
  const begin = performance.now();
  const before = await watcher?.processor();
  await ended;
  const after = await watcher?.processor();
  const wallSeconds = (performance.now() - begin) / 1000;
  await watcher?.close();
  const seconds = logged(name).reduce((sum, each) => sum + each, 0);
  const used = Object.entries(after ?? {}).map(([who, value]) => [who, value - before[who]]);
  return { seconds, wallSeconds, ...Object.fromEntries(used) };
}

async function serve() {
  const server = start('ui', 'runs');
  const address = await new Promise((resolve) =>
    server.stdout.on('data', (text) => {
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    }),
  );
  return { server, address };
}

async function readEvents(name) {
  const { server, address } = await serve();
  get(`${address}events?run=${name}`, (response) => response.resume()).on('error', () => {});
  return {
    processor: async () => ({ server: processorSeconds(server.pid) }),
    close: async () => server.kill(),
  };
}

/** The page has been drawn once: opening is no watching. */
async function openPage(name) {
  const { server, address } = await serve();
  const browser = await startChromium({ webgpu: false });
  browsers.push(browser);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${address}run?run=${name}`);
  await page.waitForSelector('canvas');
  return {
    processor: async () => ({ server: processorSeconds(server.pid), browser: await browserSeconds(browser) }),
    close: async () => {
      await browser.close();
      server.kill();
    },
  };
}

/** Processor time that a process has used so far, from Linux's /proc, whose clock ticks a hundred times per second. */
function processorSeconds(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may hold spaces and brackets; state, parent, … user and system time follow it.
  const [, , , , , , , , , , , user, system] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(user) + Number(system)) / 100;
}

/** The same of all processes of a browser. */
async function browserSeconds(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

/** The last run's log over and over as one of many steps, opened by a page while it grows. */
async function watchLong() {
  const last = `watched${flags.repeats - 1}`;
  const lines = readFileSync(logOf(last), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const lineAt = (i) => {
    const line = lines[i % lines.length];
    return `${JSON.stringify({ ...line, step: line.step + Math.floor(i / lines.length) * steps })}\n`;
  };
  const text = (begin, count) => Array.from({ length: count }, (_, i) => lineAt(begin + i)).join('');
  const most = Math.round((Number(flags.long) * lines.length) / steps);
  mkdirSync(join(folder, 'runs/long'));
  for (const file of ['config.yaml', 'fingerprint.json', 'completions.jsonl']) {
    cpSync(join(folder, 'runs', last, file), join(folder, 'runs/long', file));
  }
  writeFileSync(logOf('long'), text(0, most));
  const { server, address } = await serve();
  const browser = await startChromium({ webgpu: false });
  browsers.push(browser);
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const stop = await traceThread(browser, page);
  await page.goto(`${address}run?run=long`);
  for (let at = most, begin = performance.now(); performance.now() - begin < WATCHED_MS; at += LINES_A_SECOND / 4) {
    await sleep(250);
    appendFileSync(logOf('long'), text(at, LINES_A_SECOND / 4));
  }
  const tasks = summarizeTasks(await stop());
  server.kill();
  return tasks;
}
