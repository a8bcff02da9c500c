/** `rlvr-train advise --run DIR`: what the run suffers from, and what helped against that in the arena, with its figures. */
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { catalogue } from '../../catalogue/catalogue.ts';
import { type Advice, type ArenaRow, adviceFor, type Diagnosed, readArena } from '../../compare/advice.ts';
import { COMBINATION, STAGE_ENDED } from '../../diagnostics/codes.ts';
import { CheckpointError } from '../../errors.ts';
import { minus, printable } from '../../format.ts';
import { logLines } from '../../run/logs/log_lines.ts';
import { fileStore } from '../../run/store/files.node.ts';
import { colors } from '../display/colors.ts';
import { print, printJson } from '../display/output.ts';

const ARENA = new URL('../../../bench/arena/results.json', import.meta.url);

export async function adviseCommand(directory: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const diagnosed = await diagnosesOf(directory);
  const { rows, seeds } = readArena(readFileSync(ARENA, 'utf8'));
  const { methods } = catalogue();
  const against = (code: string): string[] =>
    methods.filter((method) => method.against.includes(code)).map(({ name }) => name);
  const advice = adviceFor(diagnosed, rows, against);
  if (json) return printJson(JSON.stringify({ run: directory, advice }));
  const name = printable(basename(resolve(directory)));
  if (advice.length === 0) return print(`${name}: no diagnosis, and so no advice.`);
  print(`${name}: ${advice.length === 1 ? 'one diagnosis' : `${advice.length} diagnoses`}.`);
  for (const one of advice) print(['', ...linesOf(one)].join('\n'));
  const about = `Figures of the arena are points beside its baseline, with 95 % intervals over problems and ${seeds} seeds`;
  print(`\n${colors.dim(`${about}, on tasks that are not yours: try one, and compare.`)}`);
}

/** What was said of the run, each thing once, in its last words. @throws CheckpointError `no-run` */
async function diagnosesOf(directory: string): Promise<Diagnosed[]> {
  const store = fileStore(resolve(directory));
  if (!(await store.exists('metrics.jsonl'))) {
    const rule = 'holds no run with a log (no metrics.jsonl); give the directory that a training printed';
    throw new CheckpointError('no-run', `${directory}  ${rule}.`, { directory });
  }
  const found = new Map<string, string>();
  for await (const lines of logLines(store, 'metrics.jsonl')) {
    for (const { record } of lines) {
      const { diagnosis, message } = record as { readonly diagnosis?: unknown; readonly message?: unknown };
      if (typeof diagnosis !== 'string' || [COMBINATION, STAGE_ENDED].includes(diagnosis)) continue;
      found.set(diagnosis, String(message));
    }
  }
  return [...found].map(([code, message]) => ({ code, message }));
}

function linesOf({ code, message, helped, others, untried }: Advice): string[] {
  const tried = others.map(({ row }) => row);
  return [
    `${colors.bold(code)}  ${printable(message)}`,
    ...helped.map((row) => `  helped: ${colors.bold(row.row)}  ${keysOf(row)}\n    ${figuresOf(row)}`),
    ...(helped.length === 0 ? ['  No row of the arena has helped against it, so there is no advice.'] : []),
    ...(tried.length === 0 ? [] : [`  tried there within noise, or worse: ${tried.join(', ')}`]),
    ...(untried.length === 0 ? [] : [`  declared against it, and not in the arena yet: ${untried.join(', ')}`]),
  ];
}

/** `advantage_estimator: maxrl`. */
function keysOf({ set }: ArenaRow): string {
  return Object.entries(set)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function figuresOf({ task, block, baseline, difference, pass }: ArenaRow): string {
  const one = (name: string, [mean, low, high]: ArenaRow['difference']): string =>
    `${name} ${signed(mean)} (${signed(low)} to ${signed(high)})`;
  const base = baseline.startsWith(`${block}/`) ? baseline.slice(block.length + 1) : baseline;
  return `${task}, ${block}: ${one('mean@16', difference)}, ${one('pass@16', pass)} beside ${base}`;
}

function signed(value: number): string {
  const points = (100 * value).toFixed(1);
  return value < 0 ? minus(points) : `+${points}`;
}
