/** What every benchmark's command line has in common: flags, the machine it ran on, the table and the JSON file. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { packageVersion, readGitCommit } from '../build/src/run/fingerprint/fingerprint.node.js';

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

/**
 * Opens a benchmark of one table, before anything else runs on the machine.
 *
 * @param name  as `npm run bench -- NAME` has it
 * @param threads  of --threads, where it is not given
 * @param further  flags as util.parseArgs describes them
 * @returns `show` prints the machine, lines and the table; `write` writes --json, where it is given
 */
export function openBench(name, { threads: usual, ...further }) {
  const flags = readFlags({ further: { threads: { ...THREADS_FLAG.threads, default: usual }, ...further } });
  const threads = readThreads(flags);
  const machine = describeMachine();
  return {
    flags,
    threads,
    show: (head, rows, lines = []) =>
      process.stdout.write(`${[machineLine(machine), ...lines, table(head, rows)].join('\n')}\n`),
    write(settings, results) {
      if (flags.json !== undefined)
        writeJson(flags.json, name, { machine, settings: { ...settings, threads }, results });
    },
  };
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

/** Widest line of a record. */
const WIDTH = 120;

/** JSON in which what fits on a line is on one: a record is read by people, and is a fifth to two thirds as long so. */
export function recordText(value, indent = '', lead = 0) {
  const line = JSON.stringify(value);
  if (indent.length + lead + line.length < WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const texts = isList
    ? value.map((each) => recordText(each ?? null, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => {
          const name = `${JSON.stringify(key)}: `;
          return name + recordText(each, inner, name.length);
        });
  if (isList && value.every((each) => typeof each !== 'object')) return `[\n${filled(texts, inner)}\n${indent}]`;
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${texts.map((text) => inner + text).join(',\n')}\n${indent}${close}`;
}

/** As many on a line as fit. */
function filled(texts, indent) {
  const lines = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last === undefined || last.length + text.length + 2 >= WIDTH) lines.push(indent + text);
    else lines[lines.length - 1] = `${last}, ${text}`;
  }
  return lines.join(',\n');
}

/** Writes what a benchmark measured, with the command that measured it. */
export function writeJson(file, benchmark, report) {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  const all = { benchmark, command, date: new Date().toISOString(), ...report };
  writeFileSync(file, `${recordText(all)}\n`);
}
