/** What every benchmark's command line has in common: flags, the machine it ran on, the table and the JSON file. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageVersion, readGitCommit } from '../build/run/fingerprint/fingerprint.node.js';

/** Ends the benchmark with a message and no stack trace. */
export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

/**
 * --repeats N, --quick (few repeats, for a look), --json FILE, and `further` flags as util.parseArgs describes them.
 *
 * @param repeats what a figure is made of
 */
export function readFlags({ repeats = 15, quickRepeats = 3, further = {} } = {}) {
  const common = { repeats: { type: 'string' }, quick: { type: 'boolean', default: false }, json: { type: 'string' } };
  const { values } = parse({ ...common, ...further });
  const count = Number(values.repeats ?? (values.quick ? quickRepeats : repeats));
  if (!Number.isInteger(count) || count < 1)
    fail(`--repeats: ${values.repeats} — not a whole number of 1 or more; use 10 or more for figures.`);
  return { ...values, repeats: count };
}

function parse(options) {
  try {
    return parseArgs({ args: process.argv.slice(3), options });
  } catch (error) {
    const names = Object.entries(options).map(([name, { type }]) => `--${name}${type === 'string' ? ' VALUE' : ''}`);
    return fail(`${error.message.split('.')[0]}; use ${names.join(', ')}.`);
  }
}

/** --threads N, for the races: of each side. */
export const THREADS_FLAG = { threads: { type: 'string', default: '2' } };

export function readThreads({ threads }) {
  const count = Number(threads);
  if (!Number.isInteger(count) || count < 1) fail(`--threads: ${threads} — not a whole number of 1 or more; use 2.`);
  return count;
}

/** Hardware, engine and versions that a figure belongs to. */
export function describeMachine() {
  return {
    cpu: cpus()[0]?.model.trim(),
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    v8: process.versions.v8,
    package: packageVersion(),
    commit: readGitCommit(fileURLToPath(new URL('..', import.meta.url))),
    /** Processes that wanted a core in the last minute: beyond 1, something else was running too. */
    loadAverage: Number(loadavg()[0].toFixed(2)),
  };
}

export function machineLine({ cpu, cores, memoryGiB, node, v8, commit, loadAverage }) {
  const hardware = `${cpu}, ${cores} cores, ${memoryGiB} GiB`;
  return `${hardware}; Node ${node}, V8 ${v8}; commit ${commit?.slice(0, 12)}; load before ${loadAverage}`;
}

/** Rows of cells as text: the first column to the left, the others to the right. */
export function table(head, rows) {
  const lines = [head, ...rows].map((cells) => cells.map((cell) => String(cell ?? '')));
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  return lines.map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n');
}

/** `0.412 (0.405–0.431)` */
export function spread({ median, low, high }, digits = 3) {
  return `${median.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;
}

/** Writes what a benchmark measured, with the command that measured it. */
export function writeJson(file, benchmark, report) {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  const all = { benchmark, command, date: new Date().toISOString(), ...report };
  writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
}
