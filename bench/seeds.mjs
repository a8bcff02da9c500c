/**
 * What do the shipped configs reach, whatever the seed?
 *
 *   npm run bench -- seeds [--seeds 0..9] [--output runs/seeds] [--threads N] [--fleet URL]
 *   npm run bench -- seeds --from DIRECTORY [--seeds 0..9]
 *
 * Trains each config of configs/ whose comment states what it reaches, once per seed, into OUTPUT/NAME-seed<N>; runs that are
 * there and finished are kept, so that a measurement may be interrupted. With `--fleet` the workers of a fleet train them, each
 * whole (docs/fleet.md). `--from` trains nothing and reads the runs that a directory has; a config that has none there keeps its
 * figures. Either way they go to bench/results/seeds.json, and from there into the README, the table
 * of docs/measurements.md and the configs' comments.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine; seconds are those of the machine
 * at that time, with whatever else it did, and are stated nowhere else.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSeeds } from '../build/packages/commands/training/seed_list.js';
import { configHash, loadConfigFile } from '../build/packages/rlvr-train/node.js';
import { fail, readFlags, recordText, table } from './command.mjs';
import { FLEET_FLAG } from './given_rows.mjs';
import { spreadOf, statesFigures, updatedConfig, updatedReadme, updatedTable } from './seed_figures.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RESULTS = join(ROOT, 'bench/results/seeds.json');
const PROGRAM = join(ROOT, 'dist/cli/main.js');

const flags = readFlags({
  further: {
    seeds: { type: 'string', default: '0..9' },
    output: { type: 'string', default: 'runs/seeds' },
    from: { type: 'string' },
    threads: { type: 'string' },
    ...FLEET_FLAG,
  },
});
const seeds = readSeeds(flags.seeds);
const names = readdirSync(join(ROOT, 'configs'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .filter((name) => statesFigures(readFileSync(join(ROOT, `configs/${name}.yaml`), 'utf8')));
if (flags.from === undefined) for (const name of names) train(name);
const directory = flags.from ?? flags.output;
const read = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readRuns(name)])));
const measured = Object.entries(read).filter(([, runs]) => runs.length > 0);
if (measured.length === 0) fail(`${directory}  holds no finished run of a shipped config and these seeds.`);
const known = JSON.parse(readFileSync(RESULTS, 'utf8')).configs;
const results = {
  benchmark: 'seeds',
  command: 'npm run bench -- seeds',
  configs: Object.fromEntries(
    names.flatMap((name) => {
      const found = read[name].length > 0 ? figuresOf(read[name]) : known[name];
      return found === undefined ? [] : [[name, found]];
    }),
  ),
};
writeFileSync(RESULTS, `${recordText(results)}\n`);
update('README.md', (text) => updatedReadme(text, results));
update('docs/measurements.md', (text) => updatedTable(text, results));
for (const name of names) update(`configs/${name}.yaml`, (text) => updatedConfig(text, name, results));
report();

function readSeeds(text) {
  try {
    return parseSeeds(text);
  } catch (error) {
    return fail(`--seeds ${text} — ${error.message}.`);
  }
}

/** As a user trains them; ends the benchmark with the exit code of a series that was interrupted. */
function train(name) {
  const words = ['--config', name, '--seeds', flags.seeds, '--output', join(flags.output, name), '--plain'];
  if (flags.threads !== undefined) words.push('--threads', flags.threads);
  if (flags.fleet !== undefined) words.push('--fleet', flags.fleet);
  const { status } = spawnSync(process.execPath, [PROGRAM, ...words], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The finished runs of a config, by seed. Ends the benchmark where one is of another config than the shipped one. */
async function readRuns(name) {
  const file = join(ROOT, 'configs', `${name}.yaml`);
  const runs = [];
  for (const seed of seeds) {
    const run = join(directory, `${name}-seed${seed}`);
    if (!existsSync(join(run, 'summary.json'))) continue;
    const { config } = await loadConfigFile(file, [{ flag: '--seed', assignment: `seed=${seed}` }]);
    const fingerprint = readJson(run, 'fingerprint.json');
    if (fingerprint.configHash !== (await configHash(config))) {
      fail(`${run}  is a run of another config than configs/${name}.yaml with seed ${seed}; remove it.`);
    }
    const summary = readJson(run, 'summary.json');
    const date = statSync(join(run, 'summary.json')).mtime.toISOString();
    runs.push({ seed, date, fingerprint, summary, before: firstEvaluation(run) });
  }
  return runs;
}

function readJson(run, name) {
  return JSON.parse(readFileSync(join(run, name), 'utf8'));
}

/** Before the first step of reinforcement. */
function firstEvaluation(run) {
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line)).find(({ evaluation }) => evaluation === 'baseline');
}

function accuracyOf(evaluation) {
  const [, sampled] = Object.entries(evaluation).find(([name]) => /^eval_mean@\d+$/.test(name));
  return { greedy: evaluation.eval_accuracy, sampled };
}

function figuresOf(runs) {
  const figures = runs.map(({ seed, before, summary: { final, wallSeconds, weightsSha256 } }) => ({
    seed,
    ...accuracyOf(final),
    before: accuracyOf(before),
    wallSeconds: Number(wallSeconds.toFixed(1)),
    weightsSha256,
  }));
  const spread = (name) => spreadOf(figures.map((run) => run[name]));
  return {
    date: runs
      .map(({ date }) => date)
      .sort()
      .at(-1),
    machine: machineOf(runs),
    greedy: spread('greedy'),
    sampled: spread('sampled'),
    runs: figures,
  };
}

/** The machine of all runs: one value where they agree, else each that there is. */
function machineOf(runs) {
  const values = (of) => {
    const found = [...new Set(runs.map(({ fingerprint }) => of(fingerprint)))];
    return found.length === 1 ? found[0] : found;
  };
  return {
    cpu: values(({ cpuModel }) => cpuModel),
    threads: values(({ threads }) => threads),
    platform: values(({ platform, arch }) => `${platform} ${arch}`),
    runtime: values(({ runtime }) => runtime),
    engine: values(({ engine }) => engine),
    backend: values(({ backend, backendFeatures: { fma } }) => `${backend}, fma ${fma}`),
    package: values(({ packageVersion }) => packageVersion),
    commit: values(({ gitCommit }) => gitCommit),
  };
}

function update(file, change) {
  const path = join(ROOT, file);
  const text = readFileSync(path, 'utf8');
  const changed = change(text);
  if (changed !== text) writeFileSync(path, changed);
}

function report() {
  const share = ({ median, least, most }) =>
    `${(100 * median).toFixed(1)} % (${(100 * least).toFixed(1)}–${(100 * most).toFixed(1)})`;
  const rows = Object.entries(results.configs).map(([name, { runs, greedy, sampled }]) => [
    name,
    runs.map(({ seed }) => seed).join(' '),
    share(greedy),
    share(sampled),
  ]);
  process.stdout.write(`${table(['config', 'seeds', 'greedy, median (range)', 'sampled'], rows)}\n`);
  const missing = names.flatMap((name) =>
    seeds.filter((seed) => !read[name].some((run) => run.seed === seed)).map((seed) => `${name}-seed${seed}`),
  );
  if (missing.length > 0) process.stdout.write(`not there yet: ${missing.join(', ')}\n`);
  process.stdout.write('bench/results/seeds.json, README.md, docs/measurements.md and configs/ have these figures.\n');
}
