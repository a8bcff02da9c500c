/**
 * Rows of a benchmark that trains for hours. Each is written to bench/results when it is done, and a row that is there, of
 * the same config, is kept: a measurement may be interrupted, and is continued by the same command. With `--quick` nothing
 * is read or written: whether every row can run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { giveOutRuns } from '../build/packages/commands/training/given_series.js';
import { parseSeeds } from '../build/packages/commands/training/seed_list.js';
import { createTasks, openRun, train, wasmBackend } from '../build/packages/rlvr-train/index.js';
import { configHash, loadConfigFile } from '../build/packages/rlvr-train/node.js';
import { weightsSha256 } from '../build/src/run/model/model_files.js';
import { describeMachine, fail, recordText } from './command.mjs';
import { giveOut, replayed } from './given_rows.mjs';

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
 * @returns `rows`, by key, `measure`, which fills in one of them, and `giveOutAll`, which has a fleet train those that lack first
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
    writeFileSync(file, `${recordText(measured)}\n`);
  };

  /** The directories of rows that a fleet has trained. */
  const given = new Map();
  const open = async ({ config, set }) => {
    const overrides = set.map((assignment) => ({ flag: '--set', assignment }));
    const loaded = await loadConfigFile(`${ROOT}${config}`, overrides);
    return { loaded, hash: await configHash(loaded.config) };
  };

  /** @param all  rows as `measure` takes them @param fleet  address of the server; undefined: this process trains them */
  const giveOutAll = async (all, fleet) => {
    if (fleet === undefined) return;
    const runs = [];
    for (const row of all) {
      const { loaded, hash } = await open(row);
      if (!force && rows[row.key]?.configHash === hash) continue;
      const directory = `${ROOT}runs/bench/${benchmark}/${row.key.replace(/[^\w.-]+/g, '-')}-${hash.slice(0, 8)}`;
      runs.push({ name: row.key, directory, config: loaded.config, hash });
      given.set(row.key, directory);
    }
    await giveOut(runs, fleet, { giveOutRuns, fail });
  };

  /**
   * Trains a row, unless its figures are there.
   *
   * @param row  `key`, the `config` file of the repository with what is `set` in it, and `facts` to keep of it
   * @param figuresOf  what a loaded config reaches
   * @param inWords  the same for the terminal; of a run that failed, why is said instead
   */
  const measure = async ({ key, config, set, facts }, figuresOf, inWords) => {
    const { loaded, hash } = await open({ config, set });
    if (!force && rows[key]?.configHash === hash) return;
    process.stdout.write(`${key} … `);
    const start = performance.now();
    const directory = given.get(key);
    const figures = await figuresOf({ ...loaded, ...(directory !== undefined && { directory }) });
    const seconds = Number(
      (directory === undefined ? (performance.now() - start) / 1000 : secondsOf(directory)).toFixed(1),
    );
    rows[key] = { ...facts, configHash: hash, ...figures, seconds };
    if (!quick) write();
    process.stdout.write(`${figures.failed ?? inWords(figures)}, ${seconds} s\n`);
  };
  return { rows, measure, giveOutAll };
}

/**
 * Trains a config, or reads the directory of its run, where a fleet has trained it.
 *
 * @param see  each event of the run; one for which it is true is the last
 * @param figuresOf  of the run's `end`, and where this process trains it of the run and its tasks, before it is closed; `failed` is
 *   why it broke off: that is a figure, too
 */
export async function trained({ config, lineOf, directory }, { quick, threads, see = () => undefined, figuresOf }) {
  const tasks = await createTasks(config, quick ? { heldOutSample: 16 } : {});
  if (directory !== undefined) return replayed(directory, { heldOut: tasks.heldOutItems().length, see, figuresOf });
  const run = await openRun(config, tasks, await wasmBackend({ threads }), { lineOf });
  try {
    let failed;
    try {
      for await (const event of train(run)) if (see(event, run) === true) break;
    } catch (error) {
      failed = error.message.split('\n')[0];
    }
    const { step, baseline, final } = run.journal.state;
    const sha = await weightsSha256(run.engine.policy);
    const end = { step, baseline, final, heldOut: tasks.heldOutItems().length, sha };
    return await figuresOf({ run, tasks, end, failed });
  } finally {
    await run.engine.policy.close();
  }
}

/** Seconds that a finished run took where it was trained. */
function secondsOf(directory) {
  return JSON.parse(readFileSync(`${directory}/summary.json`, 'utf8')).wallSeconds;
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
