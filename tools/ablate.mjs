/**
 * `npm run ablate -- [--methods TEXT] [--configs TEXT] [--steps N] [--json FILE]`: does what a stage is made of do anything?
 *
 * Trains each method in a small stage made for it, and each shipped config with few steps of a small policy, with the methods
 * and without them, from the same seed, and compares the SHA-256 of the weights. `acts`: they differ; `said`: they are equal,
 * and the run says that a method does nothing; `SAME`: they are equal, and nothing is said; `FALSE`: they differ, and a method
 * is said to have changed nothing. The last two make the exit status 1. A text narrows the names, and leaves out the other
 * table; `--json` writes what was found. It runs src/ as it is, on a Node that transforms types (22.7 or newer).
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ablateConfig } from '../packages/rlvr-train/test/support/config_ablation.ts';
import { ablate, ablatedMethods } from '../packages/zoo/test/support/method_ablation.ts';
import { plainWasm } from '../test/support/small_runs.ts';

const options = {
  methods: { type: 'string' },
  configs: { type: 'string' },
  steps: { type: 'string', default: '12' },
  json: { type: 'string' },
};
const { values } = parseArgs({ options });
const steps = Number(values.steps);
if (!Number.isInteger(steps) || steps < 1) {
  process.stderr.write(`--steps: ${values.steps} — not a whole number of 1 or more; use 12.\n`);
  process.exit(2);
}

const root = new URL('../', import.meta.url);
const backend = await plainWasm();
const isAsked = (kind) => values[kind] !== undefined || (values.methods ?? values.configs) === undefined;
const narrowed = (kind, names, nameOf = (name) => name) =>
  isAsked(kind) ? names.filter((name) => nameOf(name).includes(values[kind] ?? '')) : [];

/** What a method acts in, or the verdict of the first stage in which it does not. */
async function methodRow({ id, key, exempt, ...one }, bare) {
  if (exempt !== undefined) return { name: `${key}: ${id}`, verdict: exempt };
  const trials = await ablate(backend, { id, key, ...one }, bare);
  const wrong = trials.find(({ verdict }) => verdict === 'SAME' || verdict === 'FALSE');
  const { verdict, stage, sha256, without, said } = wrong ?? trials.at(-1);
  const said1 = verdict === 'said' ? { said } : {};
  return { name: `${key}: ${id}`, verdict, stage, sha256, without, ...said1 };
}

async function configRow(name) {
  const { own = {}, plain, verdict } = await ablateConfig(backend, readFileSync(new URL(name, root), 'utf8'), steps);
  const said = own.said?.length > 0 ? { said: own.said } : {};
  return {
    name,
    verdict,
    sha256: own.sha256 ?? own.error,
    ...(plain && { without: plain.sha256 ?? plain.error }),
    ...said,
  };
}

function print({ name, verdict, stage, sha256 = '', without = '', said = [] }) {
  console.log(
    [name.padEnd(52), verdict.padEnd(10), sha256.slice(0, 12).padEnd(12), without.slice(0, 12), stage]
      .join('  ')
      .trimEnd(),
  );
  if (verdict !== 'acts') for (const text of said) console.log(`    ${text.slice(0, 110)}`);
}

const rows = { methods: [], configs: [] };
const bare = new Map();
for (const one of narrowed('methods', ablatedMethods(), ({ id }) => id)) {
  rows.methods.push(await methodRow(one, bare));
  print(rows.methods.at(-1));
}
const shipped = ['configs/', 'configs/systems/'].flatMap((folder) =>
  readdirSync(new URL(folder, root)).flatMap((file) => (file.endsWith('.yaml') ? [folder + file] : [])),
);
for (const name of narrowed('configs', shipped)) {
  rows.configs.push(await configRow(name));
  print(rows.configs.at(-1));
}

const counts = (all) =>
  Object.entries(Object.groupBy(all, ({ verdict }) => verdict)).map(([verdict, of]) => `${of.length} ${verdict}`);
for (const [kind, all] of Object.entries(rows))
  if (all.length > 0) console.log(`${all.length} ${kind}: ${counts(all).join(', ')}`);
if (values.json !== undefined) {
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: fileURLToPath(root), encoding: 'utf8' }).trim();
  const record = { commit, node: process.versions.node, steps, ...rows };
  writeFileSync(values.json, `${JSON.stringify(record)}\n`);
}
const wrong = [...rows.methods, ...rows.configs].filter(({ verdict }) => verdict === 'SAME' || verdict === 'FALSE');
process.exitCode = wrong.length > 0 ? 1 : 0;
