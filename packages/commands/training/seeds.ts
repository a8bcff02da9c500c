/**
 * `--seeds 0..4` and `--sweep key=a,b`: a run per setting and seed, one after the other, each in a directory of its own,
 * `<directory>-<key>=<value>-seed<N>`. A finished one of the same config is kept, one that was cut short is resumed; so the
 * same command resumes a series.
 */

import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { announceFile } from '../../../src/cli/display/announce_file.ts';
import { print, printError, printJson } from '../../../src/cli/display/output.ts';
import { commandParts, withBase } from '../../../src/cli/parts.ts';
import { loadRun } from '../../../src/cli/runs/load_run.ts';
import { commandName } from '../../../src/command_name.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import { CheckpointError, ConfigError } from '../../../src/errors.ts';
import { printable, shellQuoted, withoutPasswords } from '../../../src/format.ts';
import { readFingerprint } from '../../../src/run/fingerprint/fingerprint.ts';
import type { OpenedConfig } from '../../../src/run/opened_config.ts';
import { configHash } from '../../../src/run/session.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import type { Summary } from '../../../src/run/summary.ts';
import { ServedTraining } from '../process/served_training.ts';
import { approval } from '../process/trust.ts';
import { whyNotGiven } from './given_config.ts';
import { rowOf, type SeedRow, seriesOf, seriesTable } from './seed_series.ts';
import { directoryPart, type Setting, settingsOf, sweepTable } from './sweep.ts';
import { asksForFleet, type SeedsOptions, type WholeTrainOptions } from './train_options.ts';
import { trainWhole } from './whole_training.ts';

/** What there is of a run before the series comes to it. */
type Condition = 'new' | 'cut short' | 'finished';

interface PlannedRun {
  readonly setting: Setting;
  readonly seed: number;
  readonly directory: string;
  readonly condition: Condition;
  /** Resolved, with the seed of the run. */
  readonly config: RunConfig;
  /** Why the run is trained here, where it is not to be given out. */
  readonly stays?: string;
}

const MAIN_JOB = 'countdown';

/**
 * @param words  the command line, for the command that resumes the series
 * @throws RlvrError before the first run where a directory holds a run of another config; else as a run does
 */
export async function seedsCommand(
  { seeds, sweep = [], ...options }: SeedsOptions,
  words: readonly string[],
): Promise<void> {
  const config = options.config ?? MAIN_JOB;
  const settings = settingsOf(sweep);
  const planned: PlannedRun[] = [];
  for (const setting of settings) planned.push(...(await planRuns(seeds, setting, { ...options, config })));
  const rows: SweptRow[] = settings.map((setting) => ({ setting, runs: [] }));
  // One for all: it lists each run as it comes.
  const page = options.ui ? new ServedTraining(dirname(planned[0].directory)) : undefined;
  try {
    const given = await giveOut(planned, options);
    for (const [index, turn] of planned.entries()) {
      const { setting, seed, directory, condition } = turn;
      if (!given) tell(options, { ...turn, number: index + 1, of: planned.length });
      if (condition !== 'finished' && !given) {
        const resume = condition === 'cut short';
        const set = [...(options.set ?? []), ...setting.set];
        await trainWhole({ ...options, config, set, seed, output: directory, resume }, { page });
      }
      const summary = readSummary(directory);
      if (summary === undefined) {
        endEarly(options, rows, turn, words); // by Ctrl-C or a lost reader, which have set the exit code
        return;
      }
      rows.find((row) => row.setting === setting)?.runs.push(rowOf(seed, directory, summary));
    }
  } finally {
    page?.close();
  }
  showSeries(options, rows);
}

/**
 * Over a fleet runs are given out whole, where nothing keeps them here.
 * @returns whether they were
 */
async function giveOut(planned: readonly PlannedRun[], options: WholeTrainOptions): Promise<boolean> {
  const open = planned.filter(({ condition }) => condition !== 'finished');
  if (!asksForFleet(options) || open.length === 0) return false;
  const say = saying(options);
  const stays = open.find((run) => run.stays !== undefined)?.stays;
  if (stays !== undefined) {
    say(`fleet: ${stays}; so the runs are trained here, and workers sample for them`);
    return false;
  }
  for (const [index, turn] of planned.entries())
    tell(options, { ...turn, number: index + 1, of: planned.length }, true);
  const { giveOutRuns } = await import('./given_series.ts');
  await giveOutRuns(
    open.map(({ directory, config, ...turn }) => ({ name: turnText(turn), directory, config })),
    options,
    say,
  );
  return true;
}

/** Shows what happens to a series. */
function saying({ json, quiet }: WholeTrainOptions): (line: string) => void {
  if (json) return (message) => printJson(JSON.stringify({ event: 'note', message }));
  return quiet ? () => undefined : print;
}

/** All directories are looked at first: a mistake shows at once, not after the first hour. */
async function planRuns(
  given: readonly number[] | undefined,
  setting: Setting,
  options: WholeTrainOptions & { config: string },
): Promise<PlannedRun[]> {
  if (options.resume) {
    const rule = 'a series resumes by itself what was cut short; leave --resume out';
    throw new ConfigError('flags', `--resume — ${rule}.`, {});
  }
  const name = basename(options.config).replace(/\.ya?ml$/, '');
  const output = options.output ?? join('runs', name);
  const seed = given?.[0] ?? options.seed;
  const set = [...(options.set ?? []), ...setting.set];
  const asked = await loadRun({ ...options, output, set, ...(seed !== undefined && { seed }) });
  const base = options.output ?? asked.config.outputDir ?? join('runs', name);
  const { file, directory } = asked;
  const { loaded, base: start } = await withBase(asked, file);
  const approve = approval({ file, problems: loaded.problems, trust: options.trust, isDry: options.dryRun });
  const plugins = await commandParts().openConfig(loaded, {
    file,
    directory,
    announce: announceFile,
    approve,
    codec: start?.codec,
  });
  try {
    const { config, modules, registries } = plugins;
    const planned: PlannedRun[] = [];
    for (const seed of given ?? [config.seed]) {
      const own = `${base}${directoryPart(setting)}-seed${seed}`;
      const condition = await conditionOf(own, { config: { ...config, seed }, modules, registries }, options);
      const stays = whyNotGiven(plugins, modules);
      planned.push({ setting, seed, directory: own, condition, config: { ...config, seed }, ...(stays && { stays }) });
    }
    return planned;
  } catch (error) {
    throw loaded.problems.placed(error);
  } finally {
    await plugins.close();
  }
}

/** @throws CheckpointError where the directory holds a finished run of another config */
async function conditionOf(
  directory: string,
  { config, modules, registries }: Pick<OpenedConfig, 'config' | 'modules' | 'registries'>,
  { force = false }: WholeTrainOptions,
): Promise<Condition> {
  const store = fileStore(directory);
  const recorded = await readFingerprint(store);
  if (recorded === undefined) return 'new';
  if (!(await store.exists('summary.json'))) return 'cut short'; // the resume compares configs by itself
  const isSame =
    recorded.configHash === (await configHash(config, registries.tasks)) &&
    JSON.stringify(recorded.modules ?? {}) === JSON.stringify(modules ?? {});
  if (isSame || force) return 'finished';
  throw new CheckpointError(
    'directory-in-use',
    `${printable(directory)}  holds a finished run of another config or of other code; give the series another --output.`,
    { directory },
  );
}

function readSummary(directory: string): Summary | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'summary.json'), 'utf8')) as Summary; // as `finish` writes it
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CheckpointError(
      'summary',
      `${printable(directory)}  summary.json cannot be read (${error}); remove it.`,
      {
        directory,
      },
    );
  }
}

/** A setting, and those of its runs that have ended. */
interface SweptRow {
  readonly setting: Setting;
  readonly runs: SeedRow[];
}

interface Turn extends PlannedRun {
  readonly number: number;
  readonly of: number;
}

function tell(
  { json, quiet }: WholeTrainOptions,
  { setting, seed, directory, condition, number, of }: Turn,
  isGiven = false,
): void {
  const swept = setting.name === '' ? {} : { setting: setting.set };
  if (json) printJson(JSON.stringify({ event: 'seed', seed, ...swept, output_dir: directory, condition, number, of }));
  else if (!quiet) {
    const given = isGiven ? 'given out' : undefined;
    const what = { new: given ?? 'trained', 'cut short': given ?? 'resumed', finished: 'finished before, and kept' }[
      condition
    ];
    print(
      `${number > 1 && !isGiven ? '\n' : ''}${turnText({ setting, seed })} (${number} of ${of}) is ${what}: ${printable(directory)}`,
    );
  }
}

function endEarly(
  { json, quiet }: WholeTrainOptions,
  rows: readonly SweptRow[],
  turn: PlannedRun,
  words: readonly string[],
): void {
  const command = withoutPasswords([commandName(), ...words.map(shellQuoted)].join(' '));
  const stopped = `the series was stopped at ${turnText(turn)}; resume it with: ${command}`;
  if (json) printJson(JSON.stringify({ event: 'series-stopped', seed: turn.seed, ...recordOf(rows), go_on: command }));
  else if (quiet) printError(stopped);
  else {
    for (const line of tablesOf(rows.filter(({ runs }) => runs.length > 0))) print(line);
    print(`\n${stopped}`);
  }
}

function showSeries({ json, quiet }: WholeTrainOptions, rows: readonly SweptRow[]): void {
  const record = recordOf(rows);
  if (json) printJson(JSON.stringify({ event: 'series', ...record }));
  else if (quiet) printJson(JSON.stringify(record));
  else for (const line of tablesOf(rows)) print(line);
}

/** The series of the seeds; of a sweep one for each of its settings. */
function recordOf(rows: readonly SweptRow[]): object {
  const [{ setting, runs }] = rows;
  if (setting.name === '') return seriesOf(runs);
  return { settings: rows.map((row) => ({ setting: row.setting.set, ...seriesOf(row.runs) })) };
}

/** A table of runs for each setting, and of a sweep one of its settings. */
function tablesOf(rows: readonly SweptRow[]): string[] {
  const isSweep = rows.some(({ setting }) => setting.name !== '');
  const tables = rows.flatMap(({ setting, runs }) => [
    '',
    ...(isSweep ? [printable(setting.name)] : []),
    ...seriesTable(seriesOf(runs)),
  ]);
  return isSweep ? [...tables, '', ...sweepTable(rows)] : tables;
}

/** `seed 3`, `learning_rate=1e-4, seed 3`. */
function turnText({ setting, seed }: Pick<PlannedRun, 'setting' | 'seed'>): string {
  return `${setting.name === '' ? '' : `${printable(setting.name)}, `}seed ${seed}`;
}
