/**
 * What do methods reach, where one of them is changed at a time?
 *
 *   npm run bench -- methods [--only WORDS] [--seeds 0] [--force] [--list] [--quick]
 *
 * Trains the recipe of configs/sort-digits.yaml from random weights, once per row and seed: with each preset below, and
 * with four optimizer steps a batch for every objective and every ratio that there is. Each row is written to
 * bench/results/methods.json when it is done, and a row that is there, of the same config, is kept: a measurement may be
 * interrupted, and is continued by the same command. One thread; a row takes one to two minutes of a core. `--quick` takes
 * two steps of each and writes nothing: whether every row can run.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine; seconds are those of the machine at
 * that time, with whatever else it did.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSeeds } from '../dist/cli/seed_series.js';
import { createTasks, openRun, train, wasmBackend } from '../dist/index.js';
import { METHODS } from '../dist/methods/registry.js';
import { configHash, loadConfigFile } from '../dist/node.js';
import { weightsSha256 } from '../dist/run/model_files.js';
import { describeMachine, fail, readFlags, table } from './command.mjs';
import { methodRows } from './method_rows.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = `${ROOT}bench/results/methods.json`;
const RECIPE = 'configs/sort-digits.yaml';

const flags = readFlags({
  further: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '0' },
    force: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const known = new Set(Object.values(METHODS).flatMap((methods) => methods.map(({ id }) => id)));
const words = flags.only?.split(',') ?? [];
const rows = methodRows(METHODS).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word.trim())),
);
if (rows.length === 0) fail(`--only ${flags.only} — no row has these words; --list shows them.`);
const results = existsSync(RESULTS) && !flags.quick ? JSON.parse(readFileSync(RESULTS, 'utf8')) : { rows: {} };
if (flags.list) {
  process.stdout.write(
    `${table(
      ['row', 'what it sets'],
      rows.map(({ name, set }) => [name, set.join('  ')]),
    )}\n`,
  );
} else {
  for (const row of rows) for (const seed of readSeeds()) await measure(row, seed);
  report();
}

function readSeeds() {
  try {
    return parseSeeds(flags.seeds);
  } catch (error) {
    return fail(`--seeds ${flags.seeds} — ${error.message}.`);
  }
}

/** Trains a row, unless its figures are there. */
async function measure({ name, set, uses }, seed) {
  const missing = uses.filter((id) => !known.has(id));
  if (missing.length > 0) {
    process.stdout.write(`${name}: left out, as there is no ${missing.join(', ')}\n`);
    return;
  }
  const overrides = [`seed=${seed}`, ...set, ...(flags.quick ? ['grpo.max_steps=2', 'grpo.warmup_steps=0'] : [])].map(
    (assignment) => ({ flag: '--set', assignment }),
  );
  const loaded = await loadConfigFile(`${ROOT}${RECIPE}`, overrides);
  const hash = await configHash(loaded.config);
  const key = `${name}, seed ${seed}`;
  if (!flags.force && results.rows[key]?.configHash === hash) return;
  process.stdout.write(`${key} … `);
  const start = performance.now();
  const figures = await trained(loaded);
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
  results.rows[key] = { row: name, seed, set, configHash: hash, ...figures, seconds };
  if (!flags.quick) write();
  process.stdout.write(`${figures.failed ?? share(figures.greedy)}, ${seconds} s\n`);
}

/** @returns what it reached, and how: a run that fails is a figure, too */
async function trained({ config, lineOf }) {
  const tasks = await createTasks(config, flags.quick ? { heldOutSample: 16 } : {});
  const run = await openRun(config, tasks, await wasmBackend({ threads: 1 }), { lineOf });
  const rewards = [];
  const said = new Set();
  try {
    for await (const event of train(run)) {
      if (event.type === 'step' && typeof event.metrics.reward === 'number') rewards.push(event.metrics.reward);
      if (event.type === 'diagnosis') said.add(event.diagnosis.code);
    }
    const { accuracy, meanAtK } = run.state.final;
    const steps = run.state.step;
    const sha = await weightsSha256(run.policy);
    return { steps, greedy: figure(accuracy), sampled: figure(meanAtK), ...course(rewards), said: [...said], sha };
  } catch (error) {
    return { steps: run.state.step, failed: error.message.split('\n')[0], ...course(rewards), said: [...said] };
  } finally {
    await run.policy.close();
  }
}

function figure({ mean, low, high }) {
  return { mean: round(mean), low: round(low), high: round(high) };
}

/** Mean reward of training at its best and at its end, over a twentieth of the batches: what is lost says how stable it is. */
function course(rewards) {
  const width = Math.max(1, Math.round(rewards.length / 20));
  const means = rewards.slice(width - 1).map((_, i) => mean(rewards.slice(i, i + width)));
  if (means.length === 0) return {};
  const [best, last] = [Math.max(...means), means.at(-1)];
  return { reward: { best: round(best), last: round(last) }, isStable: last >= 0.9 * best };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function round(value) {
  return Number(value.toFixed(4));
}

function write() {
  const measured = {
    benchmark: 'methods',
    command: 'npm run bench -- methods',
    recipe: RECIPE,
    date: new Date().toISOString(),
    machine: describeMachine(),
    rows: results.rows,
  };
  writeFileSync(RESULTS, `${JSON.stringify(measured, null, 2)}\n`);
}

function share({ mean: value, low, high }) {
  return `${(100 * value).toFixed(1)} % (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

function report() {
  const lines = Object.entries(results.rows).map(([key, row]) => [
    key,
    row.failed ?? share(row.greedy),
    row.sampled === undefined ? '' : share(row.sampled),
    row.isStable === undefined ? '' : row.isStable ? 'yes' : `no: ${row.reward.best} → ${row.reward.last}`,
    row.seconds,
  ]);
  process.stdout.write(`${table(['row', 'greedy, 95 %', 'sampled', 'stable', 'seconds'], lines)}\n`);
}
