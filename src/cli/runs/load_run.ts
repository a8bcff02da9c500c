/** From flags to a config, the origin of its values, and the directory of its run. */

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join, parse, resolve } from 'node:path';
import type { LoadedConfig } from '../../config/load.ts';
import { loadConfigFile } from '../../config/load_file.node.ts';
import type { Override } from '../../config/overrides.ts';
import type { RunConfig } from '../../config/run_config.ts';
import { CheckpointError, ConfigError } from '../../errors.ts';
import type { StageConfig } from '../../methods/stage.ts';
import { nearestKey } from '../../options/nearest_name.ts';
import { library } from '../parts.ts';
import type { RunFlags } from '../training/train_options.ts';
import { packagedConfigFile, packagedNames } from './packaged_configs.ts';

export interface LoadedRun extends LoadedConfig {
  /** As errors show it. */
  readonly file: string;
  readonly directory: string;
  /** No config was given. */
  readonly isMainJob: boolean;
  /** Steps of the last stage that a resumed run is to take in all, whatever its config says. */
  readonly maxSteps?: number | undefined;
  /** The run found to resume, if none was named. */
  readonly found?: FoundRun;
}

/** A run that can be resumed. */
export interface FoundRun {
  readonly directory: string;
  /** `runs/countdown, seed 0, step 120 of 700, 12m ago`. */
  readonly about: string;
}

/** The newest run that can be resumed. @throws CheckpointError if there is none, or the choice is unclear */
export type FindRun = () => Promise<FoundRun>;

const MAIN_JOB = 'countdown';

/**
 * The config is a file, or the name of one of the package's. Without one: for a resume, that of the run directory,
 * which has the flags of the first start in it; else the main job's. A resume that names neither a config nor a
 * directory takes the run that is found, else the last one of the main job.
 *
 * @throws ConfigError, CheckpointError
 */
export async function loadRun(flags: RunFlags, findRun?: FindRun): Promise<LoadedRun> {
  const { config: named = MAIN_JOB, resume = false } = flags;
  if (flags.output !== undefined) requirePlace(flags.output, '--output');
  const isNamed = flags.config !== undefined || flags.output !== undefined;
  const foundRun = resume && !isNamed ? await findRun?.() : undefined;
  const place = flags.output ?? foundRun?.directory ?? defaultDirectory(named, resume);
  const kept = join(place, 'config.yaml');
  const goesOn = resume && flags.config === undefined;
  if (goesOn && !existsSync(kept)) throw nothingToResume(place);
  const file = goesOn ? kept : configFile(flags.config);
  const loaded = await loadConfigFile(file, library(), overrides(flags));
  const config = goesOn ? loaded.config : capLastStage(loaded.config, flags.maxSteps);
  const capped = new Map(loaded.origins);
  if (config !== loaded.config) capped.set(`stages.${config.stages.length - 1}.max_steps`, '--max-steps');
  const directory = flags.output ?? (goesOn ? place : (config.outputDir ?? place));
  if (config.outputDir !== undefined) requirePlace(config.outputDir, 'output_dir');
  const isMainJob = flags.config === undefined && !goesOn;
  return {
    ...loaded,
    config,
    origins: capped,
    file,
    directory,
    isMainJob,
    maxSteps: goesOn ? flags.maxSteps : undefined,
    found: foundRun,
  };
}

/** @throws ConfigError for no name at all, which would be the folder that the command is typed in, and for the root */
function requirePlace(directory: string, key: string): void {
  const isRoot = resolve(directory) === parse(resolve(directory)).root;
  if (directory.trim() !== '' && !isRoot) return;
  const rule = isRoot ? 'the root of a disk is no run directory' : 'a run needs a directory of its own';
  throw new ConfigError(
    'bad-directory',
    `${key}: ${JSON.stringify(directory)} — ${rule}; give one such as runs/mine.`,
    {
      directory,
    },
  );
}

/** A file of that name wins over a shipped config. @throws ConfigError for a name that is nearly a shipped one's */
function configFile(named: string = MAIN_JOB): string {
  if (statSync(named, { throwIfNoEntry: false })?.isFile()) return named;
  const shipped = packagedConfigFile(named);
  if (shipped !== undefined) return shipped;
  const isName = /^[\w-]+$/.test(named) && !existsSync(named) && !existsSync(`${named}.yaml`);
  const nearest = isName ? nearestKey(named, packagedNames()) : undefined;
  if (nearest === undefined) return named;
  const rule = `neither a file nor a shipped config (${packagedNames().join(', ')})`;
  throw new ConfigError('unknown-config', `--config ${named} — ${rule}; did you mean "${nearest}"?`, { named });
}

/** Thrown before a policy is opened, since only the directory's config says which one. */
function nothingToResume(directory: string): CheckpointError {
  const runs = existsSync('runs')
    ? readdirSync('runs').filter((name) => existsSync(join('runs', name, 'config.yaml')))
    : [];
  const choices = runs.length === 0 ? '' : ` (there are ${runs.map((name) => join('runs', name)).join(', ')})`;
  const rule = `holds no run to resume (no config.yaml); give the --output of one${choices}, or start one without --resume`;
  return new CheckpointError('no-run', `${directory}  ${rule}.`, { directory });
}

function overrides({ set = [], seed, threads, backend }: RunFlags): Override[] {
  const flags = Object.entries({ seed, threads, backend }).filter(([, value]) => value !== undefined);
  return [...set, ...flags.map(([key, value]) => ({ flag: `--${key}`, assignment: `${key}=${value}` }))];
}

function capLastStage(config: RunConfig, maxSteps: number | undefined): RunConfig {
  const last = config.stages.length - 1;
  if (maxSteps === undefined || maxSteps >= config.stages[last].optimizer.maxSteps) return config;
  const capped = <S extends StageConfig>(stage: S): S => {
    const warmupSteps = Math.min(stage.optimizer.warmupSteps, maxSteps);
    return { ...stage, optimizer: { ...stage.optimizer, maxSteps, warmupSteps } };
  };
  return { ...config, stages: config.stages.map((stage, i) => (i === last ? capped(stage) : stage)) };
}

/** runs/<config>, runs/<config>-2, …: the first free one for a new run, the newest for a resume. */
function defaultDirectory(configFile: string, resume: boolean): string {
  const name = basename(configFile).replace(/\.ya?ml$/, '');
  const place = (number: number): string => join('runs', number === 1 ? name : `${name}-${number}`);
  let next = 1;
  while (existsSync(place(next)) && readdirSync(place(next)).length > 0) next++;
  return place(resume ? Math.max(1, next - 1) : next);
}
