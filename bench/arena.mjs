/**
 * Which method helps, on the same task, from the same start, with the same number of sampled tokens?
 *
 *   npm run bench -- arena [--methods a,b] [--blocks on-policy] [--tasks countdown] [--seeds 3] [--jobs 1] [--fleet URL] [--table] [--list]
 *
 * Trains the rows of bench/arena/rows.yaml, each with every seed, in the order of the file. Each run is an ordinary run
 * directory below runs/arena, outside of git: it may be killed at any time, and the same command continues it. What a
 * run came to is kept in bench/arena/records, some 2 KB of it; a run with a record is not trained again, wherever its directory
 * is. RESULTS.md, results.html and results.json follow from the records alone: `--table` writes them and trains nothing.
 *
 * `--methods` takes ids of rows or of methods. `--rates` trains rows that end below their baseline once more at half and
 * at twice the learning rate. A run takes some 20 s of one core; `--jobs` are trained side by side, on a thread each.
 * With `--fleet` as many are given out at once to the workers of a fleet, each whole (docs/fleet.md); rows that begin with a
 * start of their own, which is a folder of this machine, are trained here, and their completions sampled by the workers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { spelledMethods } from '../build/packages/compare/same_methods.js';
import { differenceOf, holm } from '../build/packages/compare/statistics.js';
import { loadConfigFile } from '../build/packages/rlvr-train/node.js';
import { ZOO } from '../build/packages/zoo/registries.js';
import { rngFor } from '../build/src/kernels/philox.js';
import { passAtK } from '../build/src/methods/statistics.js';
import { rowsByChance, spreadsOf } from './arena/chance.mjs';
import { arenaFigures, isControl, JUDGED, meanOf } from './arena/figures.mjs';
import { NotWritten, Records, writeWhole } from './arena/records.mjs';
import { advisedFrom } from './arena/results_json.mjs';
import { resultsPage } from './arena/results_page.mjs';
import { resultsText } from './arena/results_text.mjs';
import { assignments, RowsError, readRows, runOf } from './arena/rows.mjs';
import { RunFailed, Runner } from './arena/runs.mjs';
import { twinsOf, twinWords } from './arena/twins.mjs';
import { fail, readFlags, recordText, table } from './command.mjs';
import { FLEET_FLAG } from './given_rows.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RATES = [0.5, 2];

const flags = readFlags({
  further: {
    methods: { type: 'string' },
    blocks: { type: 'string' },
    tasks: { type: 'string' },
    seeds: { type: 'string', default: '3' },
    jobs: { type: 'string', default: '1' },
    rates: { type: 'boolean', default: false },
    table: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    rows: { type: 'string', default: join(ROOT, 'bench/arena/rows.yaml') },
    runs: { type: 'string', default: join(ROOT, 'runs/arena') },
    ...FLEET_FLAG,
  },
});
const file = resolve(flags.rows);
const folder = dirname(file);
const [count, jobs] = ['seeds', 'jobs'].map((name) => wholeNumber(name, flags[name]));
const { rows, configs, blocks } = open();
const wanted = chosen();
const records = new Records(join(folder, 'records'));
const planned = wanted.flatMap((row) => Array.from({ length: count }, (_, index) => runOf(row, index, configs)));
const twins = twinsOf(rows, await check());
for (const [row, other] of twins) {
  if (wanted.includes(row) || wanted.includes(other)) process.stdout.write(`${row.task}: ${twinWords(row, other)}\n`);
}
if (flags.list) list();
else {
  const failed = flags.table ? [] : await trainAll(planned);
  if (flags.rates && failed.length === 0) failed.push(...(await trainAll(otherRates())));
  try {
    writeResults();
  } catch (error) {
    if (!(error instanceof NotWritten)) throw error;
    fail(error.message);
  }
  if (failed.length > 0) {
    process.stderr.write(
      `${failed.length} of the runs failed; the same command tries them again:\n${failed.join('\n')}\n`,
    );
    process.exitCode = 1;
  }
}

function open() {
  try {
    const parsed = parse(readFileSync(file, 'utf8'));
    const names = readdirSync(folder).filter((name) => name.endsWith('.yaml') && join(folder, name) !== file);
    const configs = Object.fromEntries(names.map((name) => [name, parse(readFileSync(join(folder, name), 'utf8'))]));
    const known = new Set(Object.values(ZOO.methods.at).flatMap((methods) => methods.map(({ id }) => id)));
    return { rows: readRows(parsed, { file: relative('.', file), configs, known }), configs, blocks: parsed.blocks };
  } catch (error) {
    if (error instanceof RowsError) return fail(error.message);
    return fail(`${flags.rows}: ${error.message.split('\n')[0]}`);
  }
}

function chosen() {
  const words = (name) => flags[name]?.split(',').map((word) => word.trim()) ?? [];
  const [methods, inBlocks, tasks] = ['methods', 'blocks', 'tasks'].map(words);
  const known = {
    methods: rows.flatMap(({ id, of }) => [id, ...of]),
    blocks: rows.map(({ block }) => block),
    tasks: rows.map(({ task }) => task),
  };
  for (const [name, given] of Object.entries({ methods, blocks: inBlocks, tasks })) {
    const strange = given.find((word) => !known[name].includes(word));
    if (strange !== undefined) fail(`--${name} ${strange} — no row has it; --list shows them.`);
  }
  return rows.filter(
    ({ id, of, block, task }) =>
      (methods.length === 0 || methods.includes(id) || methods.some((word) => of.includes(word))) &&
      (inBlocks.length === 0 || inBlocks.includes(block)) &&
      (tasks.length === 0 || tasks.includes(task)),
  );
}

/**
 * A mistake in a row shows before the first run.
 * @returns by row, its config with each method under its plainest name; of a row that is not wanted and mistaken, undefined
 */
async function check() {
  const trained = new Map();
  for (const row of rows) {
    const overrides = [...assignments('grpo', row.set), `seed=${row.seedsFrom}`].map((assignment) => ({
      flag: '--set',
      assignment,
    }));
    try {
      const { config } = await loadConfigFile(join(folder, row.config), overrides);
      trained.set(row, { ...config, stages: config.stages.map(withPlainestMethods) });
    } catch (error) {
      if (!wanted.includes(row)) continue;
      fail(`${relative('.', file)}: blocks.${row.block}, row ${row.id}: ${error.message.split('\n')[0]}`);
    }
  }
  return (row) => trained.get(row);
}

function withPlainestMethods(stage) {
  if (stage.stage !== 'grpo') return stage;
  return { ...stage, methods: spelledMethods(stage.methods, ZOO.methods).plainest };
}

function list() {
  for (const row of wanted) {
    const done = planned.filter((run) => run.row === row && records.of(run) !== undefined).length;
    const what = assignments('grpo', row.set).join('  ');
    process.stdout.write(`${row.task}: ${row.block}/${row.id}, ${done} of ${count} done  ${what}\n`);
  }
}

/** @returns what failed, in words */
async function trainAll(all) {
  const left = all.filter((run) => records.of(run) === undefined);
  const done = all.length - left.length;
  if (done > 0) process.stdout.write(`${done} of ${all.length} runs are done.\n`);
  const machine = `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.versions.node}`;
  const runner = new Runner({ configs: folder, runs: resolve(flags.runs), machine, fleet: flags.fleet });
  const failed = [];
  let isStopping = false;
  const stop = () => {
    isStopping = true;
    runner.stop();
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const work = async () => {
    for (let run = left.shift(); run !== undefined && !isStopping; run = left.shift()) {
      const words = `${run.row.task}: ${run.name}, seed ${run.seed}`;
      const start = performance.now();
      try {
        const record = await runner.record(run);
        records.add(run, record);
        process.stdout.write(`${words}, ${((performance.now() - start) / 1000).toFixed(0)} s, ${left.length} to do\n`);
      } catch (error) {
        if (!(error instanceof RunFailed || error instanceof NotWritten)) throw error;
        if (!isStopping) {
          failed.push(`${words}: ${error.message}`);
          process.stdout.write(`${failed.at(-1)}\n`);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return failed;
}

/** Rows that end below their baseline, at other rates; those that are surest to be below come first. */
function otherRates() {
  return figures()
    .filter(({ row, differences }) => wanted.includes(row) && !isControl(row) && differences?.[JUDGED].mean < 0)
    .sort((a, b) => a.differences[JUDGED].high - b.differences[JUDGED].high)
    .flatMap(({ row }) => RATES.map((rate) => runOf(row, 0, configs, rate)));
}

function figures() {
  const recordOf = (row, index, rate) => records.of(runOf(row, index, configs, rate));
  return arenaFigures(rows, { recordOf, headOf: (row) => records.head(row) }, { differenceOf, holm, passAtK }, count);
}

function writeResults() {
  const found = figures();
  const rates = (row) => RATES.map((rate) => ({ rate, record: records.of(runOf(row, 0, configs, rate)) }));
  const written = {
    'RESULTS.md': resultsText(found, {
      blocks,
      count,
      rates,
      chance: (task, tested) => chanceOf(found, task, tested),
      twins,
      differenceOf,
    }),
    'results.html': resultsPage(found, { blocks, count }),
    'results.json': `${recordText(advisedFrom(found, count))}\n`,
  };
  for (const [name, text] of Object.entries(written)) writeWhole(join(folder, name), text);
  const lines = found
    .filter(({ runs }) => runs.length > 0)
    .map(({ row, runs, figures: own, differences }) => [
      `${row.task}: ${row.block}/${row.id}`,
      runs.length,
      (100 * meanOf(own[JUDGED])).toFixed(1),
      differences === undefined ? '' : (100 * differences[JUDGED].mean).toFixed(1),
    ]);
  process.stdout.write(`${table(['row', 'seeds', JUDGED, 'Δ'], lines)}\n`);
}

function chanceOf(found, task, tested) {
  const own = found.filter(({ row }) => row.task === task);
  const { weights, samples } = records.head(own[0].row);
  const spreads = spreadsOf(own, weights, samples);
  return spreads && rowsByChance(tested, spreads, { differenceOf, rngFor });
}

function wholeNumber(name, text) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    fail(`--${name} ${text} — not a whole number of 1 or more; use ${name === 'seeds' ? 3 : 1}.`);
  return value;
}
