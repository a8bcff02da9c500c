/**
 * What the benchmarks of bench/ have measured of each method as a TypeScript module, so that the command says it without
 * reading their records.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { methodSources } from './method_reasoning.mjs';

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const read = (name) => JSON.parse(readFileSync(path(name), 'utf8'));
/** From the root. */
export const EVIDENCE_MODULE = 'packages/zoo/catalogue/evidence_rows.ts';

/** The block that most rows of the arena are in. */
const USUAL = 'countdown/on-policy/';

/** @returns by id of a method, the rows of the benchmarks that are about it, the most telling first */
export function readEvidence() {
  const rows = [...arenaRows(), ...strategyRows(), ...recipeRows()];
  const evidence = new Map();
  for (const id of methodSources().keys()) {
    const own = rows.filter(({ about }) => about.includes(id));
    // A row of the arena names the method that it is about, then those that it needs beside it.
    const rank = ({ about, row }) =>
      (about[0] === id ? 0 : 4) + (row.in === 'bench/arena' ? 0 : 2) + (row.row.startsWith(USUAL) ? 0 : 1);
    if (own.length > 0)
      evidence.set(
        id,
        own.sort((a, b) => rank(a) - rank(b)).map(({ row }) => row),
      );
  }
  return evidence;
}

/** @param evidence  of `readEvidence` @returns the text of the module */
export function evidenceModule(evidence) {
  const lines = [...evidence].map(([id, rows]) => `  ${JSON.stringify(id)}: ${JSON.stringify(rows)},\n`);
  return `// Made by tools/made_modules.mjs of bench/. Do not edit.\nimport type { MeasuredRow } from './measured_row.ts';\n\nexport const MEASURED: Readonly<Record<string, readonly MeasuredRow[]>> = {\n${lines.join('')}};\n`;
}

/** Beside the baseline of its block, with an interval over problems and over paired runs. */
function arenaRows() {
  const { rows, figure, seeds } = read('bench/arena/results.json');
  return rows.map(({ task, block, row, of, difference: [value, low, high] }) => ({
    about: of,
    row: { in: 'bench/arena', row: `${task}/${block}/${row}`, figure, seeds, value, low, high },
  }));
}

/** What a strategy is compared with, of the settings that call it otherwise than `plain`. */
const PLAIN = { unlabelled: 'plain, with the key', levels: 'all levels' };

/** Beside plain GRPO from the same start, after as many sampled tokens. */
function strategyRows() {
  const file = 'bench/results/strategies.json';
  const all = Object.values(read(file).rows).filter(({ failed }) => failed === undefined);
  const reached = (setting, way) =>
    new Map(all.filter((one) => one.setting === setting && one.way === way).map((one) => [one.seed, one.sampled.mean]));
  const keys = new Map(all.map(({ setting, way }) => [`${setting}/${way}`, { setting, way }]));
  return [...keys].flatMap(([row, { setting, way }]) => {
    const own = reached(setting, way);
    const plain = reached(setting, PLAIN[setting] ?? 'plain');
    const differences = [...own].flatMap(([seed, value]) => (plain.has(seed) ? [value - plain.get(seed)] : []));
    if (differences.length === 0) return [];
    const value = differences.reduce((sum, one) => sum + one, 0) / differences.length;
    return [
      {
        about: way.split(/ of | at |, /),
        row: { in: file, row, figure: 'sampled', seeds: differences.length, value: rounded(value) },
      },
    ];
  });
}

/** Beside the recipe for sort-digits, and beside the same with four optimizer steps a batch; one seed. */
function recipeRows() {
  const file = 'bench/results/methods.json';
  const all = Object.values(read(file).rows);
  const reached = (name) => all.find(({ row }) => row === name).sampled.mean;
  return all.map(({ row, sampled }) => {
    const [, four, name] = /^(four steps: )?(?:ratio )?(.*)$/.exec(row);
    const value = sampled.mean - reached(four === undefined ? 'recipe' : 'four steps: ppo-clip');
    return { about: name.split(' + '), row: { in: file, row, figure: 'sampled', seeds: 1, value: rounded(value) } };
  });
}

function rounded(value) {
  return Number(value.toFixed(4));
}
