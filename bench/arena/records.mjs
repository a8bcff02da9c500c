/**
 * What stays of a run of the arena: a line of `records/<task>-<block>.jsonl`, 1 to 3 KB, that all of its figures follow from.
 *
 *   head     problems (hash of their keys), their weights, samples of each
 *   a run    row, index, rate, seed, digest of its settings; by problem whether the greedy answer is right, how many samples
 *            are, and what a vote of these gives; steps, seconds, entropy, length; the share solved in training over tokens
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Points of the curve of a run. */
const POINTS = 20;
/** Steps that the entropy at the end is a mean of. */
const LAST_STEPS = 10;

/** A file that could not be written, in words; what it had before is still there. */
export class NotWritten extends Error {}

/** Replaces a file whole, or leaves it as it was. @throws NotWritten */
export function writeWhole(path, text) {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    const why = error.code === 'ENOSPC' ? 'no space is left on the disk (ENOSPC)' : error.message;
    throw new NotWritten(`${path}: ${why}; what it had before is still there. Make room, then call the same again.`);
  }
}

/** All records of a folder, by task and block. */
export class Records {
  #folder;
  #files = new Map();

  constructor(folder) {
    this.#folder = folder;
  }

  /** The record of a run with these very settings, or undefined. */
  of({ row, index, rate, digest }) {
    const { runs } = this.#file(row);
    return runs.find((one) => one.row === row.id && one.index === index && one.rate === rate && one.digest === digest);
  }

  /** @returns problems, weights, samples; undefined where nothing was recorded */
  head(row) {
    return this.#file(row).head;
  }

  /** @throws Error where the run answered other problems than those before it @throws NotWritten */
  add({ row, index, rate, digest, seed }, { head, ...record }) {
    const file = this.#file(row);
    const others = file.runs.filter((one) => one.row !== row.id || one.index !== index || one.rate !== rate);
    if (others.length > 0 && JSON.stringify(file.head) !== JSON.stringify(head))
      throw new Error(`${file.path}: other problems than those of the runs in it; remove the file and run it again.`);
    const runs = [...others, { row: row.id, index, rate, digest, seed, ...record }].sort(inOrder);
    writeWhole(file.path, [head, ...runs].map((line) => `${JSON.stringify(line)}\n`).join(''));
    Object.assign(file, { head, runs });
  }

  #file({ task, block }) {
    const path = join(this.#folder, `${task}-${block}.jsonl`);
    if (!this.#files.has(path)) this.#files.set(path, { path, ...readRecordFile(path) });
    return this.#files.get(path);
  }
}

function readRecordFile(path) {
  if (!existsSync(path)) return { head: undefined, runs: [] };
  const lines = readFileSync(path, 'utf8').split('\n');
  const parsed = lines.flatMap((line, i) => {
    if (line === '') return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new Error(`${path}: line ${i + 1} is no record; take the file from git again.`);
    }
  });
  return { head: parsed[0], runs: parsed.slice(1) };
}

function inOrder(a, b) {
  return a.row < b.row ? -1 : a.row > b.row ? 1 : a.index - b.index || a.rate - b.rate;
}

/**
 * @param records  of its last evaluation, as `readRecords` gives them
 * @param summary  summary.json
 * @param metrics  lines of metrics.jsonl, parsed
 * @param majorityAt  what the vote of all samples gives
 * @param commit  of the code that trained it
 */
export function compactRecord({ records, summary, metrics, majorityAt, machine, commit }) {
  const { head, problems } = records;
  const isRight = ({ score }) => score === 1;
  const steps = metrics.filter(({ loss }) => loss !== undefined);
  const last = steps.slice(-LAST_STEPS);
  const entropies = last.flatMap(({ entropy }) => entropy ?? []);
  const sampledName = `eval_mean@${head.samples}`;
  return {
    head: {
      problems: head.problems,
      samples: head.samples,
      weights: problems.map(({ weight }) => Number(weight.toPrecision(6))),
    },
    greedy: packed(problems.map(({ greedy }) => isRight(greedy))),
    right: problems.map(({ samples }) => samples.filter(isRight).length.toString(36)).join(''),
    // With all samples in it, the vote is won, lost, or tied among this many. Where no wrong answer has a normal form, there is none.
    ...(problems.some(({ samples }) => samples.some((one) => !isRight(one) && one.canonical !== undefined)) && {
      vote: problems.map(({ samples }) => votes(majorityAt(samples, head.samples))).join(''),
    }),
    before: { greedy: rounded(summary.baseline.eval_accuracy), sampled: rounded(summary.baseline[sampledName]) },
    sampled: rounded(summary.final[sampledName]),
    length: rounded(summary.final['eval_completions/mean_length']),
    entropy: entropies.length === 0 ? null : rounded(sum(entropies) / entropies.length),
    steps: steps.length,
    tokens: steps.at(-1).num_tokens,
    stepSeconds: rounded(medianOf(steps.map(({ step_time }) => step_time))),
    wallSeconds: rounded(summary.wallSeconds),
    curve: curveOf(metrics.filter(({ loss, batch }) => loss !== undefined || batch !== undefined)),
    diagnoses: summary.diagnoses.map(({ code }) => code).filter((code) => code !== 'stage-ended'),
    weightsSha256: summary.weightsSha256,
    machine,
    commit,
  };
}

/** Bits as hexadecimal digits of four each. */
function packed(bits) {
  const digits = Array.from({ length: Math.ceil(bits.length / 4) }, (_, i) => bits.slice(4 * i, 4 * i + 4));
  return digits.map((four) => four.reduce((sum, bit, i) => sum + (bit ? 8 >> i : 0), 0).toString(16)).join('');
}

/** [problems] 0 or 1: whether the greedy answer is right. */
export function greedyOf({ greedy, right }) {
  return Array.from(right, (_, i) => (Number.parseInt(greedy[i >> 2], 16) >> (3 - (i & 3))) & 1);
}

/** 0, or the number of answers that share the vote: 1 is a win. */
function votes(share) {
  return share === 0 ? '0' : Math.round(1 / share).toString(36);
}

/** [points] tokens, share solved in training up to there from the point before, seconds. */
function curveOf(lines) {
  const sampled = lines.filter(({ solve_rate, reward }) => (solve_rate ?? reward) !== undefined);
  const width = Math.max(1, sampled.length / POINTS);
  let seconds = 0;
  let next = 0;
  const curve = [];
  for (let point = 0; point < Math.min(POINTS, sampled.length); point++) {
    const own = sampled.slice(Math.round(point * width), Math.round((point + 1) * width));
    for (; next < lines.length && lines[next].num_tokens <= own.at(-1).num_tokens; next++)
      seconds += lines[next].step_time ?? 0; // that of batches is in their step's
    const solved = sum(own.map(({ solve_rate, reward }) => solve_rate ?? reward)) / own.length;
    curve.push([own.at(-1).num_tokens, Number(solved.toFixed(4)), Number(seconds.toFixed(1))]);
  }
  return curve;
}

function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

function medianOf(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

function rounded(value) {
  return Number(value.toPrecision(5));
}
