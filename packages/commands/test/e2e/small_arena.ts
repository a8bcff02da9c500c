/** A small arena: three methods, ten steps each, and a start of ten steps; sat through whole, or killed as it goes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Rng } from '../../../../src/kernels/philox.ts';

const BENCH = fileURLToPath(new URL('../../../../bench/run.mjs', import.meta.url));

const TASK = `task: {name: sort_digits, digits: 2}
model: {hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 64}
stages:
`;
export const FILES: Readonly<Record<string, string>> = {
  'start.yaml': `${TASK}  - {stage: sft, max_steps: 10, per_device_train_batch_size: 8, learning_rate: 2.0e-3}\n`,
  'task.yaml': `${TASK.replace(/model.*\n/, '')}  - {stage: grpo, max_steps: 10, num_generations: 4, generation_batch_size: 256, learning_rate: 1.0e-3, reward_funcs: [positions], num_generations_eval: 16}\n`,
  'rows.yaml': `tasks: {digits: {config: task.yaml, start: start.yaml}}
blocks:
  tried:
    does: three methods
    baseline: grpo
    rows:
      - {id: grpo, of: [group]}
      - {id: rloo, of: [rloo], set: {advantage_estimator: rloo}}
      - {id: maxrl, of: [maxrl], set: {advantage_estimator: maxrl}}
`,
};

/** Makes a folder with an arena of its own. */
export function makeArena(place: string): string {
  mkdirSync(place);
  for (const [file, text] of Object.entries(FILES)) writeFileSync(join(place, file), text);
  return place;
}

/** One sitting to its end. @returns its exit code */
export function sit(place: string, words: readonly string[] = []): Promise<number | null> {
  return ended(start(place, words));
}

/**
 * One sitting that is killed: at a moment of its start, or up to 30 ms after it has written one or two steps more. Either it
 * alone, so that the run that it trains is left without a reader, and may end before it notices; or that run too.
 *
 * @returns null where SIGKILL ended it; its exit code where it ended before
 */
export async function killedSitting(place: string, rng: Rng, isWhole: boolean): Promise<number | null> {
  const before = stepsWritten(place);
  const child = start(place, []);
  const end = ended(child);
  const wanted = rng.int(0, 2);
  const wait = wanted === 0 ? 600 * rng.float() : 30 * rng.float();
  while (wanted > 0 && child.exitCode === null && stepsWritten(place) < before + wanted) await sleep(4);
  await sleep(wait);
  if (child.exitCode !== null) return child.exitCode;
  process.kill(isWhole ? -Number(child.pid) : Number(child.pid), 'SIGKILL');
  const code = await end;
  while (isAlive(-Number(child.pid))) await sleep(20); // a run without a reader saves, and ends
  return code;
}

/** Lines of all metrics, which a run that lost some begins again. */
function stepsWritten(place: string): number {
  const runs = join(place, 'runs');
  if (!existsSync(runs)) return 0;
  return readdirSync(runs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('metrics.jsonl'))
    .reduce((sum, name) => sum + readFileSync(join(runs, name), 'utf8').split('\n').length - 1, 0);
}

/** All that it has made, without what the clock says. */
export function madeBy(place: string): readonly string[] {
  const table = readFileSync(join(place, 'RESULTS.md'), 'utf8').replaceAll(/× \d+\.\d+|\d+\.\d h/g, 'TIME');
  const records = readFileSync(join(place, 'records/digits-tried.jsonl'), 'utf8').trimEnd().split('\n');
  return [table, ...records.map(timeless)];
}

function timeless(line: string): string {
  return JSON.stringify(JSON.parse(line), (name, value) => {
    if (/seconds/i.test(name)) return 'TIME';
    return name === 'curve' ? value.map((point: readonly number[]) => point.slice(0, 2)) : value;
  });
}

/** In a process group of its own. */
function start(place: string, words: readonly string[]): ChildProcess {
  const where = ['--rows', join(place, 'rows.yaml'), '--runs', join(place, 'runs'), '--seeds', '1'];
  return spawn(process.execPath, [BENCH, 'arena', ...where, ...words], { stdio: 'ignore', detached: true });
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => child.on('close', done));
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
