/**
 * `--seeds 0..4`: a run per seed, one after the other, each in a directory of its own, `<directory>-seed<N>`. A finished
 * one of the same config is kept, one that was cut short is resumed; so the same command resumes a series.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commandName } from '../../command_name.ts';
import type { RunConfig } from '../../config/run_config.ts';
import { CheckpointError, ConfigError } from '../../errors.ts';
import { printable, shellQuoted } from '../../format.ts';
import { openPlugins } from '../../plugins/open_plugins.node.ts';
import { type Fingerprint, readFingerprint } from '../../run/fingerprint/fingerprint.ts';
import { configHash } from '../../run/session.ts';
import { fileStore } from '../../run/store/files.node.ts';
import type { Summary } from '../../run/summary.ts';
import { announceFile } from '../display/announce_file.ts';
import { print, printError, printJson } from '../display/output.ts';
import { ServedTraining } from '../process/served_training.ts';
import { loadRun } from '../runs/load_run.ts';
import { openConfiguredModel } from '../runs/open_model.ts';
import { rowOf, type SeedRow, seriesOf, seriesTable } from './seed_series.ts';
import { type TrainOptions, trainCommand } from './train.ts';

export interface SeedsOptions extends TrainOptions {
  readonly seeds: readonly number[];
}

/** What there is of a run before the series comes to it. */
type Condition = 'new' | 'cut short' | 'finished';

interface PlannedRun {
  readonly seed: number;
  readonly directory: string;
  readonly condition: Condition;
}

const MAIN_JOB = 'countdown';

/**
 * @param words  the command line, for the command that resumes the series
 * @throws RlvrError before the first run where a directory holds a run of another config; else as a run does
 */
export async function seedsCommand({ seeds, ...options }: SeedsOptions, words: readonly string[]): Promise<void> {
  const config = options.config ?? MAIN_JOB;
  const planned = await planRuns(seeds, { ...options, config });
  const rows: SeedRow[] = [];
  // One for all: it lists each run as it comes.
  const page = options.ui ? new ServedTraining(dirname(planned[0].directory)) : undefined;
  try {
    for (const [index, { seed, directory, condition }] of planned.entries()) {
      tell(options, { seed, directory, condition, number: index + 1, of: planned.length });
      if (condition !== 'finished') {
        const resume = condition === 'cut short';
        await trainCommand({ ...options, config, seed, output: directory, resume, page });
      }
      const summary = readSummary(directory);
      if (summary === undefined) {
        endEarly(options, rows, seed, words); // by Ctrl-C or a lost reader, which have set the exit code
        return;
      }
      rows.push(rowOf(seed, directory, summary));
    }
  } finally {
    page?.close();
  }
  showSeries(options, rows);
}

/** All directories are looked at first: a mistake shows at once, not after the first hour. */
async function planRuns(seeds: readonly number[], options: TrainOptions & { config: string }): Promise<PlannedRun[]> {
  if (options.resume) {
    const rule = '--seeds resumes by itself what was cut short; leave --resume out';
    throw new ConfigError('flags', `--resume — ${rule}.`, {});
  }
  const name = basename(options.config).replace(/\.ya?ml$/, '');
  const loaded = await loadRun({ ...options, seed: seeds[0], output: options.output ?? join('runs', name) });
  const base = options.output ?? loaded.config.outputDir ?? join('runs', name);
  const { file, directory } = loaded;
  const pretrained = await openConfiguredModel(loaded, file);
  const plugins = await openPlugins(loaded, { file, directory, announce: announceFile, codec: pretrained?.codec });
  try {
    const { config, modules } = plugins;
    const planned: PlannedRun[] = [];
    for (const seed of seeds) {
      const own = `${base}-seed${seed}`;
      planned.push({ seed, directory: own, condition: await conditionOf(own, { ...config, seed }, modules, options) });
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
  config: RunConfig,
  modules: Fingerprint['modules'],
  { force = false }: TrainOptions,
): Promise<Condition> {
  const store = fileStore(directory);
  const recorded = await readFingerprint(store);
  if (recorded === undefined) return 'new';
  if (!(await store.exists('summary.json'))) return 'cut short'; // the resume compares configs by itself
  const isSame =
    recorded.configHash === (await configHash(config)) &&
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

interface Turn extends PlannedRun {
  readonly number: number;
  readonly of: number;
}

function tell({ json, quiet }: TrainOptions, { seed, directory, condition, number, of }: Turn): void {
  if (json) printJson(JSON.stringify({ event: 'seed', seed, output_dir: directory, condition, number, of }));
  else if (!quiet) {
    const what = { new: 'trained', 'cut short': 'resumed', finished: 'finished before, and kept' }[condition];
    print(`${number > 1 ? '\n' : ''}seed ${seed} (${number} of ${of}) is ${what}: ${printable(directory)}`);
  }
}

function endEarly(
  { json, quiet }: TrainOptions,
  rows: readonly SeedRow[],
  seed: number,
  words: readonly string[],
): void {
  const command = [commandName(), ...words.map(shellQuoted)].join(' ');
  if (json) printJson(JSON.stringify({ event: 'series-stopped', seed, ...seriesOf(rows), go_on: command }));
  else if (quiet) printError(`the series was stopped at seed ${seed}; resume it with: ${command}`);
  else {
    if (rows.length > 0) print(`\n${seriesTable(seriesOf(rows)).join('\n')}`);
    print(`\nthe series was stopped at seed ${seed}; resume it with: ${command}`);
  }
}

function showSeries({ json, quiet }: TrainOptions, rows: readonly SeedRow[]): void {
  const series = seriesOf(rows);
  if (json) printJson(JSON.stringify({ event: 'series', ...series }));
  else if (quiet) printJson(JSON.stringify(series));
  else print(`\n${seriesTable(series).join('\n')}`);
}
