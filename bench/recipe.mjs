/**
 * Which tasks of tier 1 does one recipe teach, each in two minutes?
 *
 *   npm run bench -- recipe [--only gcd,dyck] [--seeds 0] [--threads 2] [--force] [--quick]
 *
 * Trains configs/any-task.yaml once per task and seed, and configs/six-tasks.yaml once per seed, as the command does. Each
 * row is written to bench/results/recipe.json when it is done, and a row that is there, of the same config, is kept: a
 * measurement may be interrupted, and is continued by the same command. `--quick` takes two steps of each and writes
 * nothing: whether every row can run.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine; seconds are those of the machine at
 * that time, with whatever else it did.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSeeds } from '../dist/cli/seed_series.js';
import { registeredTasks } from '../dist/data/index.js';
import { createTasks, openRun, train, wasmBackend } from '../dist/index.js';
import { configHash, loadConfigFile } from '../dist/node.js';
import { weightsSha256 } from '../dist/run/model_files.js';
import { describeMachine, fail, readFlags, table } from './command.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = `${ROOT}bench/results/recipe.json`;

const flags = readFlags({
  further: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '0' },
    threads: { type: 'string', default: '2' },
    force: { type: 'boolean', default: false },
  },
});
const seeds = readSeeds();
const tier1 = Object.entries(registeredTasks).filter(([, { card }]) => card.tier === 1);
const rows = [
  ...tier1.map(([name]) => ({ name, config: 'configs/any-task.yaml', set: [`task.name=${name}`] })),
  { name: 'six-tasks', config: 'configs/six-tasks.yaml', set: [] },
].filter(({ name }) => flags.only === undefined || flags.only.split(',').includes(name));
if (rows.length === 0) fail(`--only ${flags.only} — no task of tier 1 has this name, and it is not six-tasks.`);
const results = existsSync(RESULTS) && !flags.quick ? JSON.parse(readFileSync(RESULTS, 'utf8')) : { rows: {} };
for (const row of rows) for (const seed of seeds) await measure(row, seed);
report();

function readSeeds() {
  try {
    return parseSeeds(flags.seeds);
  } catch (error) {
    return fail(`--seeds ${flags.seeds} — ${error.message}.`);
  }
}

/** Trains a row, unless its figures are there. */
async function measure({ name, config: file, set }, seed) {
  const short = ['sft.max_steps=2', 'sft.warmup_steps=0', 'grpo.max_steps=2', 'grpo.warmup_steps=0'];
  const overrides = [`seed=${seed}`, ...set, ...(flags.quick ? short : [])].map((assignment) => ({
    flag: '--set',
    assignment,
  }));
  const loaded = await loadConfigFile(`${ROOT}${file}`, overrides);
  const hash = await configHash(loaded.config);
  const key = `${name}, seed ${seed}`;
  if (!flags.force && results.rows[key]?.configHash === hash) return;
  process.stdout.write(`${key} … `);
  const start = performance.now();
  const figures = await trained(loaded);
  const seconds = Number(((performance.now() - start) / 1000).toFixed(1));
  results.rows[key] = { task: name, seed, configHash: hash, ...figures, seconds };
  if (!flags.quick) write();
  process.stdout.write(
    `${figures.failed ?? `sampled ${arrow(figures.before.sampled, figures.after.sampled)}`}, ${seconds} s\n`,
  );
}

/** @returns what it reached, and how: a run that fails is a figure, too */
async function trained({ config, lineOf }) {
  const tasks = await createTasks(config, flags.quick ? { heldOutSample: 16 } : {});
  const run = await openRun(config, tasks, await wasmBackend({ threads: Number(flags.threads) }), { lineOf });
  try {
    for await (const _ of train(run));
    const { baseline, final } = run.state;
    const sha = await weightsSha256(run.policy);
    return { heldOut: tasks.heldOutItems().length, before: accuracies(baseline), after: accuracies(final), sha };
  } catch (error) {
    return { failed: error.message.split('\n')[0] };
  } finally {
    await run.policy.close();
  }
}

/** Of an evaluation, and of each of its tasks where it has several. */
function accuracies({ accuracy, meanAtK, byTask = {} }) {
  const parts = Object.entries(byTask).map(([label, part]) => [label, figure(part.meanAtK)]);
  return {
    greedy: figure(accuracy),
    sampled: figure(meanAtK),
    ...(parts.length > 0 && { sampledOfTasks: Object.fromEntries(parts) }),
  };
}

function figure({ mean, low, high }) {
  const round = (value) => Number(value.toFixed(4));
  return { mean: round(mean), low: round(low), high: round(high) };
}

function write() {
  const measured = {
    benchmark: 'recipe',
    command: 'npm run bench -- recipe',
    date: new Date().toISOString(),
    machine: describeMachine(),
    rows: results.rows,
  };
  writeFileSync(RESULTS, `${JSON.stringify(measured, null, 2)}\n`);
}

function share({ mean, low, high }) {
  return `${(100 * mean).toFixed(1)} % (${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)})`;
}

function arrow(before, after) {
  return `${(100 * before.mean).toFixed(1)} → ${(100 * after.mean).toFixed(1)} %`;
}

function report() {
  const measured = Object.values(results.rows).filter(({ failed }) => failed === undefined);
  const lines = measured.flatMap(({ task, seed, heldOut, before, after, seconds }) => [
    [
      task,
      String(seed),
      String(heldOut),
      share(before.sampled),
      share(after.sampled),
      arrow(before.greedy, after.greedy),
      String(seconds),
    ],
    ...Object.entries(after.sampledOfTasks ?? {}).map(([label, figures]) => [
      `  ${label}`,
      '',
      '',
      share(before.sampledOfTasks[label]),
      share(figures),
      '',
      '',
    ]),
  ]);
  const heads = ['task', 'seed', 'held out', 'sampled before', 'sampled after', 'greedy', 'seconds'];
  process.stdout.write(`${table(heads, lines)}\n`);
  const first = measured.filter(({ task, seed }) => task !== 'six-tasks' && seed === seeds[0]);
  const rising = first.filter(({ before, after }) => after.sampled.mean - before.sampled.mean >= 0.2);
  process.stdout.write(`${rising.length} of ${first.length} tasks rise by 20 points or more.\n`);
}
