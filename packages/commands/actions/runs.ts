/** `rlvr-train runs ls [DIRECTORY]`: the runs there are, newest first. */
import { existsSync } from 'node:fs';
import { type Colors, colors } from '../../../src/cli/display/colors.ts';
import { megabytes } from '../../../src/cli/display/format.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { commandName } from '../../../src/command_name.ts';
import { ago, counted, percent, printable } from '../../../src/format.ts';
import { columnsOf } from '../display/live/text.ts';
import { type RunCondition, type RunRow, runRows } from '../runs/run_rows.ts';

const DEFAULT_FOLDER = 'runs';
/** Keys of a config named per run; more would hide what differs. */
const MOST_KEYS = 6;

export async function listRuns(
  directory: string | undefined,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const isMissing = directory === undefined && !existsSync(DEFAULT_FOLDER);
  const rows = isMissing ? [] : await runRows(directory ?? DEFAULT_FOLDER);
  const differing = differences(rows);
  if (json) {
    printJson(JSON.stringify(rows.map((row, i) => objectOf(row, differing[i]))));
    return;
  }
  if (rows.length === 0) {
    print(`no runs in ${printable(directory ?? DEFAULT_FOLDER)}; train one: ${commandName()}`);
    return;
  }
  for (const line of tableOf(rows, differing, Date.now(), colors)) print(line);
}

/**
 * By run, the keys of its config that differ from another run of the same tasks, with their values in this one.
 * Every run of a group has the same keys, so that values can be compared; `–` where a config lacks one.
 */
export function differences(rows: readonly RunRow[]): ReadonlyMap<string, string>[] {
  const tasks = [...new Set(rows.map(({ task }) => task))];
  const differing = new Map(tasks.map((task) => [task, differingKeys(rows.filter((row) => row.task === task))]));
  return rows.map(({ task, config }) => {
    const keys = config.size === 0 ? [] : (differing.get(task) ?? []);
    return new Map(keys.map((key) => [key, config.get(key) ?? '–']));
  });
}

/**
 * Those of most values first, for they tell most about a run, and a list shows the first few. Keys that tell the runs
 * apart in the same way, as sizes of a model do, follow after one of them.
 */
function differingKeys(rows: readonly RunRow[]): string[] {
  const configs = rows.map(({ config }) => config).filter(({ size }) => size > 0);
  const keys = [...new Set(configs.flatMap((config) => [...config.keys()]))];
  const partitions = keys.map((key) => partition(configs.map((config) => config.get(key))));
  const differing = keys.flatMap((key, i) => {
    const values = Math.max(...partitions[i]) + 1;
    const isFirst = partitions.findIndex((other) => String(other) === String(partitions[i])) === i;
    return values > 1 ? [{ key, values, isFirst }] : [];
  });
  return differing.sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || b.values - a.values).map(({ key }) => key);
}

/** Equal values by the same number, from 0 in the order of first mention. */
function partition(values: readonly (string | undefined)[]): number[] {
  const known = [...new Set(values)];
  return values.map((value) => known.indexOf(value));
}

/** Columns under a head, and below a run what only it has: a problem, keys that differ. @param now  since 1970, ms */
export function tableOf(
  rows: readonly RunRow[],
  differing: readonly ReadonlyMap<string, string>[],
  now: number,
  paint: Colors,
): string[] {
  const head = ['run', 'task', 'seed', 'state', 'step', 'greedy', 'sampled', 'changed', 'size'];
  const cells = rows.map((row) => cellsOf(row, now));
  const widths = head.map((name, column) =>
    Math.max(...[[...head.keys()].map(() => name), ...cells].map((own) => columnsOf(own[column]))),
  );
  const lineOf = (own: readonly string[], painted: (text: string, column: number) => string): string =>
    own
      .map((text, column) => {
        const pad = ' '.repeat(widths[column] - columnsOf(text));
        return TO_THE_RIGHT.has(column) ? pad + painted(text, column) : painted(text, column) + pad;
      })
      .join('  ')
      .trimEnd();
  return [
    lineOf(head, paint.dim),
    ...rows.flatMap((row, i) => [
      lineOf(cells[i], (text, column) => (column === STATE ? paint[PAINTS[row.condition]](text) : text)),
      ...notesOf(row, differing[i]).map((note) => `  ${paint.dim(note)}`),
    ]),
  ];
}

const STATE = 3;
const TO_THE_RIGHT: ReadonlySet<number> = new Set([2, 4, 5, 6, 7, 8]);
const PAINTS = {
  running: 'green',
  finished: 'reset',
  stopped: 'yellow',
  failed: 'red',
  damaged: 'red',
} as const satisfies Record<RunCondition, keyof Colors>;

function cellsOf(
  { directory, task, seed, condition, steps, greedy, sampled, changedMs, bytes }: RunRow,
  now: number,
): string[] {
  const orDash = (value: string | undefined): string => value ?? '–';
  return [
    printable(directory),
    printable(orDash(task)),
    orDash(seed?.toString()),
    condition,
    orDash(steps && `${steps.done}/${steps.planned}`),
    orDash(greedy === undefined ? undefined : percent(greedy)),
    orDash(sampled === undefined ? undefined : percent(sampled)),
    ago(now - changedMs),
    megabytes(bytes),
  ];
}

function notesOf({ problem, notes }: RunRow, differing: ReadonlyMap<string, string>): string[] {
  const keys = [...differing].slice(0, MOST_KEYS).map(([key, value]) => `${key} ${value}`);
  const more = differing.size > MOST_KEYS ? [`${counted(differing.size - MOST_KEYS, 'key')} more`] : [];
  const own = [notes?.name, notes?.note.replace(/\s+/g, ' ')].filter(Boolean).join(': ');
  const lines = [problem?.split('\n')[0], own, [...keys, ...more].join(', ')];
  return lines.flatMap((line) => (line ? [printable(line)] : []));
}

function objectOf(row: RunRow, differing: ReadonlyMap<string, string>): object {
  const { directory, condition, problem = null, task = null, seed = null, steps, greedy = null, sampled = null } = row;
  const { name = '', note = '' } = row.notes ?? {};
  return {
    directory,
    state: condition,
    problem,
    name,
    note,
    task,
    seed,
    step: steps?.done ?? null,
    max_steps: steps?.planned ?? null,
    seconds_left: row.left?.seconds ?? null,
    greedy,
    sampled,
    changed: new Date(row.changedMs).toISOString(),
    bytes: row.bytes,
    differs: Object.fromEntries(differing),
  };
}
