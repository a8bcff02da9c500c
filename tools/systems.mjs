/**
 * `npm run systems -- [--systems NAMES] [--seeds N]`: what the configs of configs/systems come to as they ship, and without what
 * the system proposes, each from the same seeds.
 *
 * Writes bench/results/systems.json row by row, so that none is lost where it stops: the figures of held-out problems at the
 * end, the entropy, and seconds of one thread. It runs src/ as it is, on a Node that transforms types (22.7 or newer).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { describeMachine } from '../bench/command.mjs';
import { claimOf } from '../packages/zoo/catalogue/systems/shown.ts';
import {
  alike,
  plainConfig,
  systemConfig,
  systemsWithConfigs,
} from '../packages/zoo/catalogue/systems/system_config.ts';
import { ZOO } from '../packages/zoo/registries.ts';
import { wasmBackend } from '../src/kernels/wasm/backend.ts';
import { useLists } from '../test/support/lists.ts';

const RECORD = new URL('../bench/results/systems.json', import.meta.url);
const options = { systems: { type: 'string', default: '' }, seeds: { type: 'string', default: '3' } };
const { values } = parseArgs({ options });
const seeds = Array.from({ length: Number(values.seeds) }, (_, seed) => seed);
const all = systemsWithConfigs();
const names = values.systems === '' ? [...all.keys()] : values.systems.split(',');
const unknown = names.find((name) => !all.has(name));
if (unknown !== undefined || seeds.length === 0) {
  process.stderr.write(
    `--systems ${values.systems} --seeds ${values.seeds} — names of configs/systems, separated by commas, and seeds from 1 on.\n`,
  );
  process.exit(2);
}

useLists(ZOO);
const { trainedSystem } = await import('../packages/rlvr-train/test/support/trained_system.ts'); // reads the lists
const backend = await wasmBackend({ inline: true });
const record = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : { commit: [], rows: {} };
const { commit } = describeMachine();
const plain = new Map();

/** The figures of each seed. */
async function trained(text) {
  const start = performance.now();
  const runs = [];
  for (const seed of seeds) runs.push(await trainedSystem(backend, text, { seed }));
  const of = (figure) => runs.map((run) => Number(figure(run).toFixed(4)));
  const sharesOf = (evaluationOf) => ({
    greedy: of((run) => evaluationOf(run).accuracy.mean),
    sampled: of((run) => evaluationOf(run).meanAtK.mean),
    pass: of((run) => Object.values(evaluationOf(run).passAtK).at(-1).mean),
    length: of((run) => evaluationOf(run).meanLength),
  });
  return {
    ...sharesOf(({ evaluation }) => evaluation),
    start: sharesOf(({ start }) => start),
    entropy: of(({ entropy }) => entropy),
    seconds: Math.round((performance.now() - start) / seeds.length / 100) / 10,
  };
}

for (const name of names) {
  const system = all.get(name);
  const text = plainConfig(system);
  try {
    if (!plain.has(text)) plain.set(text, await trained(text));
    record.rows[name] = { own: await trained(systemConfig(system)), plain: plain.get(text) };
  } catch (error) {
    record.rows[name] = { error: error.message.split('\n')[0] };
  }
  // What is shipped of the row is what the papers of its systems claim.
  record.rows[name].claims = [...new Set(alike(system).map((one) => claimOf(one).split(' ')[0]))];
  const { own, error = '' } = record.rows[name];
  console.log(
    `${name.padEnd(40)} ${own ? `sampled ${own.sampled.join(' ')} beside ${plain.get(text).sampled.join(' ')}` : error}`,
  );
  record.commit = [...new Set([...record.commit, commit])];
  writeFileSync(RECORD, `${JSON.stringify(record)}\n`);
}
