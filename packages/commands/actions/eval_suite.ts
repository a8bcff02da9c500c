/** `rlvr-train eval --model PATH --suite FILE`: one model, several tasks and data sets, one table. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { ConfigError, RlvrError } from '../../../src/errors.ts';
import { printable } from '../../../src/format.ts';
import { evaluationMetrics } from '../../../src/grpo/metrics.ts';
import { averagedWith } from '../runs/average_weights.ts';
import { type AskedFlags, openAsked } from '../runs/open_asked.ts';
import { type EvaluatedFlags, evaluated } from './evaluated.ts';

/** An entry of a suite. */
interface Entry {
  readonly name: string;
  /** Assignments of `--set`: what is asked. */
  readonly set: readonly string[];
}

/** What an entry came to: its metrics, or why the model cannot be asked it. */
type Result = { readonly name: string } & (
  | { readonly metrics: Readonly<Record<string, number | string>> }
  | { readonly reason: string }
);

type SuiteFlags = Omit<AskedFlags, 'task'> &
  Omit<EvaluatedFlags, 'keepsProblems'> & {
    readonly suite: string;
    readonly average?: readonly string[];
    readonly json?: boolean;
  };

/** An entry that the model cannot be asked is a line that says why; the others are asked. @throws ConfigError */
export async function evaluateSuite({ suite, json, ...flags }: SuiteFlags): Promise<void> {
  const results: Result[] = [];
  for (const { name, set } of readSuite(suite))
    results.push(await resultOf(name, { ...flags, set: [...(flags.set ?? []), ...set] }));
  if (json) return printJson(JSON.stringify({ model: flags.model, suite, results }));
  const sampled = `eval_mean@${flags.samples}`;
  const width = Math.max(...results.map(({ name }) => name.length), 4);
  print(`${printable(flags.model)}, greedy and mean@${flags.samples}, with 95 % intervals over problems`);
  for (const one of results) {
    const name = printable(one.name.padEnd(width));
    print(
      'reason' in one
        ? `  ${name}  ${printable(one.reason)}`
        : `  ${name}  ${share(one.metrics, 'eval_accuracy')}  ${share(one.metrics, sampled)}`,
    );
  }
}

async function resultOf(name: string, flags: Omit<SuiteFlags, 'suite' | 'json'>): Promise<Result> {
  try {
    const opened = await averagedWith(await openAsked(flags), flags.average ?? []);
    return { name, metrics: evaluationMetrics(await evaluated(opened, { ...flags, keepsProblems: true })) };
  } catch (error) {
    if (error instanceof RlvrError) return { name, reason: error.message.split('\n')[0] };
    throw error;
  }
}

function share(metrics: Readonly<Record<string, number | string>>, name: string): string {
  const [mean, low, high] = ['', '_low', '_high'].map((end) => (100 * Number(metrics[`${name}${end}`])).toFixed(1));
  return `${mean.padStart(5)} % (${low}–${high})`;
}

/** A list of tasks as a config has them, and of mappings with `data_files`; `name` is what a line is called. */
function readSuite(file: string): readonly Entry[] {
  const refuse = (rule: string): never => {
    throw new ConfigError('suite', `--suite ${file} — ${rule}.`, { file });
  };
  const form = 'a list of tasks, as - {name: sort_digits, digits: 3}, and of data sets, as - {data_files: mine.jsonl}';
  let entries: unknown;
  try {
    entries = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    return refuse(`cannot be read: ${(error as Error).message.split('\n')[0]}; it is ${form}`);
  }
  if (!Array.isArray(entries) || entries.length === 0) return refuse(`not what it has to be: ${form}`);
  return entries.map((entry: unknown, i): Entry => {
    if (typeof entry === 'string') return { name: entry, set: [`task=${JSON.stringify(entry)}`] };
    if (typeof entry !== 'object' || entry === null)
      return refuse(`entry ${i + 1} is neither a name nor a mapping; it is ${form}`);
    if (!('data_files' in entry)) return { name: titleOf(entry), set: [`task=${JSON.stringify(entry)}`] };
    const { data_files: path, name, ...columns } = entry as Readonly<Record<string, unknown>>;
    const own = { data_files: typeof path === 'string' ? resolve(dirname(file), path) : path, ...columns };
    const set = Object.entries(own).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return { name: String(name ?? path), set };
  });
}

/** `sort_digits digits 3`. */
function titleOf(task: object): string {
  const { name, ...knobs } = task as { readonly name?: unknown };
  return [String(name), ...Object.entries(knobs).map(([key, value]) => `${key} ${JSON.stringify(value)}`)].join(' ');
}
