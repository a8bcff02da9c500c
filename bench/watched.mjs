/**
 * What does it cost a run that somebody watches its page, and does the page's thread stay free?
 *
 *   npm run build && npm run bench -- watched [--steps 2000] [--seconds 4] [--json FILE]
 *
 * One run of 2,000 steps on one thread, at a learning rate of nothing so that it goes on; `rlvr-train ui` beside it, and
 * in headless Chromium its page, open and closed by turns of so many seconds. Steps of open and of closed turns are
 * compared, turn by turn with its neighbours. For the last tenth of the run the page is opened anew and traced to the
 * end: its longest task by processor time (page_thread.mjs).
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChromium } from './chromium.mjs';
import { describeMachine, machineLine, readFlags, writeJson } from './command.mjs';
import { summarizeTasks, traceThread } from './page_thread.mjs';
import { quantile, summarize } from './statistics.mjs';

const flags = readFlags({
  further: { steps: { type: 'string', default: '2000' }, seconds: { type: 'string', default: '4' } },
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
const start = (...words) => spawn(process.execPath, [command, ...words], { cwd: folder });

const browser = await startChromium({ webgpu: false });
const run = start('--config', 'job.yaml', '--backend', 'wasm', '--output', 'runs/watched', '--quiet');
const ended = new Promise((resolve) => run.once('exit', resolve));
run.stdout.resume();
run.stderr.resume();
while (logged().length === 0) await sleep(100);
const server = start('ui', 'runs');
try {
  const address = await new Promise((resolve) =>
    server.stdout.on('data', (text) => {
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url !== undefined) resolve(`${url}run?run=watched`);
    }),
  );
  const turns = await alternate(address);
  const tasks = await traced(address);
  await ended;
  const overhead = pairs(turns);
  const result = {
    overhead: summarize(overhead),
    longestTaskMs: tasks.cpu.longestMs,
    tasks: tasks.count,
    longest: tasks.longest,
  };
  const { median, low, high, repeats } = result.overhead;
  const share = (value) => `${(100 * (value - 1)).toFixed(1)} %`;
  process.stdout.write(
    `${machineLine(describeMachine())}\n` +
      `a step of a watched turn takes ${share(median)} more than of those around it (quartiles ${share(low)} to ${share(high)}, ${repeats} turns, ${steps} steps)\n` +
      `longest task of the page's thread, at the last tenth of the run: ${result.longestTaskMs.toFixed(1)} ms of processor time (${result.tasks} tasks; ${result.longest[0]?.doing})\n`,
  );
  if (flags.json !== undefined) writeJson(flags.json, 'watched', { machine: describeMachine(), steps, ...result });
} finally {
  run.kill();
  server.kill();
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Seconds of each step that the log has. */
function logged() {
  try {
    const lines = readFileSync(join(folder, 'runs/watched/metrics.jsonl'), 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line)).flatMap(({ step_time }) => step_time ?? []);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Turns up to nine tenths of the run, beginning with one that nobody watches: median seconds of a step in each. */
async function alternate(address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const turns = [];
  for (let isWatched = false; logged().length < 0.9 * steps; isWatched = !isWatched) {
    await page.goto(isWatched ? address : 'about:blank');
    await sleep(500); // opening is no watching
    const begin = logged().length;
    await sleep(1000 * Number(flags.seconds));
    const own = logged().slice(begin);
    if (own.length > 0) turns.push({ isWatched, seconds: quantile(own, 0.5) });
  }
  await page.close();
  return turns;
}

/** Watched turns by the mean of the turns before and behind. */
function pairs(turns) {
  return turns.flatMap(({ isWatched, seconds }, i) => {
    const [before, after] = [turns[i - 1], turns[i + 1]];
    return isWatched && before && after ? [(2 * seconds) / (before.seconds + after.seconds)] : [];
  });
}

async function traced(address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const stop = await traceThread(browser, page);
  await page.goto(address);
  await ended;
  await sleep(3000); // the last steps are drawn
  return summarizeTasks(await stop());
}
