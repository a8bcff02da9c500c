/**
 * Rows of a benchmark that trains for hours. Each is written to bench/results when it is done, and a row that is there, of
 * the same config, is kept: a measurement may be interrupted, and is continued by the same command. With `--quick` nothing
 * is read or written: whether every row can run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSeeds } from '../build/cli/training/seed_series.js';
import { createTasks, openRun, train, wasmBackend } from '../build/index.js';
import { configHash, loadConfigFile } from '../build/node.js';
import { describeMachine, fail } from './command.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The seeds of `--seeds 0,1` or `--seeds 0..4`. */
export function readSeeds(text) {
  try {
    return parseSeeds(text);
  } catch (error) {
    return fail(`--seeds ${text} — ${error.message}.`);
  }
}

/**
 * @param further  what the file says of all rows alike
 * @returns `rows`, by key, and `measure`, which fills in one of them
 */
export function keptRows(benchmark, { quick, force }, further = {}) {
  const file = `${ROOT}bench/results/${benchmark}.json`;
  const rows = existsSync(file) && !quick ? JSON.parse(readFileSync(file, 'utf8')).rows : {};
  const write = () => {
    const command = `npm run bench -- ${benchmark}`;
    const measured = {
      benchmark,
      command,
      ...further,
      date: new Date().toISOString(),
      machine: describeMachine(),
      rows,
    };
    writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`);
  };

  /**
   * Trains a row, unless its figures are there.
   *
   * @param row  `key`, the `config` file of the repository with what is `set` in it, and `facts` to keep of it
   * @param figuresOf  what a loaded config reaches
   * @param inWords  the same for the terminal; of a run that failed, why is said instead
   */
  const measure = async ({ key, config, set, facts }, figuresOf, inWords) => {
    const overrides = set.map((assignment) => ({ flag: '--set', assignment }));
    const loaded = await loadConfigFile(`${ROOT}${config}`, overrides);
    const hash = await configHash(loaded.config);
    if (!force && rows[key]?.configHash === hash) return;
    process.stdout.write(`${key} … `);
    const start = performance.now();
    const figures = await figuresOf(loaded);
    const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
    rows[key] = { ...facts, configHash: hash, ...figures, seconds };
    if (!quick) write();
    process.stdout.write(`${figures.failed ?? inWords(figures)}, ${seconds} s\n`);
  };
  return { rows, measure };
}

/**
 * Trains a config.
 *
 * @param see  each event of the run; one for which it is true is the last
 * @param figuresOf  of the run and its tasks, before it is closed; `failed` is why it broke off: that is a figure, too
 */
export async function trained({ config, lineOf }, { quick, threads, see = () => undefined, figuresOf }) {
  const tasks = await createTasks(config, quick ? { heldOutSample: 16 } : {});
  const run = await openRun(config, tasks, await wasmBackend({ threads }), { lineOf });
  try {
    let failed;
    try {
      for await (const event of train(run)) if (see(event, run) === true) break;
    } catch (error) {
      failed = error.message.split('\n')[0];
    }
    return await figuresOf({ run, tasks, failed });
  } finally {
    await run.engine.policy.close();
  }
}

export function round(value) {
  return Number(value.toFixed(4));
}

/** An estimate as it is kept. */
export function figure({ mean, low, high }) {
  return { mean: round(mean), low: round(low), high: round(high) };
}

/** `61.2 % (57.0–65.3)`. */
export function share({ mean, low, high }) {
  return `${(100 * mean).toFixed(1)} % (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}
