/**
 * What do methods reach, where one of them is changed at a time?
 *
 *   npm run bench -- methods [--only WORDS] [--seeds 0] [--fleet URL] [--force] [--list] [--quick]
 *
 * Trains the recipe of configs/sort-digits.yaml from random weights, once per row and seed: with each preset below, and
 * with four optimizer steps a batch for every objective and every ratio that there is. Each row is written to
 * bench/results/methods.json when it is done, and a row that is there, of the same config, is kept: a measurement may be
 * interrupted, and is continued by the same command. One thread; a row takes one to two minutes of a core. `--quick` takes
 * two steps of each and writes nothing: whether every row can run. With `--fleet` the workers of a fleet train the rows, each
 * whole (docs/fleet.md), into runs/bench.
 *
 * Accuracies and weights are the same on any machine with the same JavaScript engine; seconds are those of the machine at
 * that time, with whatever else it did.
 */
import { ZOO } from '../build/packages/zoo/registries.js';
import { fail, readFlags, table } from './command.mjs';
import { FLEET_FLAG } from './given_rows.mjs';
import { figure, keptRows, readSeeds, round, share, trained } from './kept_rows.mjs';
import { methodRows } from './method_rows.mjs';
import { mean } from './statistics.mjs';

const RECIPE = 'configs/sort-digits.yaml';

const flags = readFlags({
  further: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '0' },
    force: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    ...FLEET_FLAG,
  },
});
const known = new Set(Object.values(ZOO.methods.at).flatMap((methods) => methods.map(({ id }) => id)));
const words = flags.only?.split(',') ?? [];
const wanted = methodRows(ZOO.methods.at).filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word.trim())),
);
if (wanted.length === 0) fail(`--only ${flags.only} — no row has these words; --list shows them.`);
const { rows, measure, giveOutAll } = keptRows('methods', flags, { recipe: RECIPE });
if (flags.list) {
  process.stdout.write(
    `${table(
      ['row', 'what it sets'],
      wanted.map(({ name, set }) => [name, set.join('  ')]),
    )}\n`,
  );
} else {
  const all = wanted.flatMap((row) => readSeeds(flags.seeds).flatMap((seed) => plannedRow(row, seed) ?? []));
  await giveOutAll(all, flags.fleet);
  for (const row of all) await measure(row, reached, ({ greedy }) => share(greedy));
  report();
}

/** Undefined where a method of it is not there. */
function plannedRow({ name, set, uses }, seed) {
  const missing = uses.filter((id) => !known.has(id));
  if (missing.length > 0) {
    process.stdout.write(`${name}: left out, as there is no ${missing.join(', ')}\n`);
    return undefined;
  }
  const short = flags.quick ? ['grpo.max_steps=2', 'grpo.warmup_steps=0'] : [];
  return {
    key: `${name}, seed ${seed}`,
    config: RECIPE,
    set: [`seed=${seed}`, ...set, ...short],
    facts: { row: name, seed, set },
  };
}

/** What a config reaches, and how. */
function reached(loaded) {
  const rewards = [];
  const said = new Set();
  return trained(loaded, {
    quick: flags.quick,
    threads: 1,
    see: (event) => {
      if (typeof event.metrics?.reward === 'number') rewards.push(event.metrics.reward); // of steps, and of batches without one
      if (event.type === 'diagnosis') said.add(event.diagnosis.code);
    },
    figuresOf: ({ end: { step: steps, final, sha }, failed }) => {
      if (failed !== undefined) return { steps, failed, ...course(rewards), said: [...said] };
      const reachedShares = { greedy: figure(final.accuracy), sampled: figure(final.meanAtK) };
      return {
        steps,
        ...reachedShares,
        ...course(rewards),
        said: [...said],
        sha,
      };
    },
  });
}

/** Mean reward of training at its best and at its end, over a twentieth of the batches: what is lost says how stable it is. */
function course(rewards) {
  const width = Math.max(1, Math.round(rewards.length / 20));
  const means = rewards.slice(width - 1).map((_, i) => mean(rewards.slice(i, i + width)));
  if (means.length === 0) return {};
  const [best, last] = [Math.max(...means), means.at(-1)];
  return { reward: { best: round(best), last: round(last) }, isStable: last >= 0.9 * best };
}

function report() {
  const lines = Object.entries(rows).map(([key, row]) => [
    key,
    row.failed ?? share(row.greedy),
    row.sampled === undefined ? '' : share(row.sampled),
    row.isStable === undefined ? '' : row.isStable ? 'yes' : `no: ${row.reward.best} → ${row.reward.last}`,
    row.seconds,
  ]);
  process.stdout.write(`${table(['row', 'greedy, 95 %', 'sampled', 'stable', 'seconds'], lines)}\n`);
}
