/** The files of the user's that a config names: where they are named, where they lie, what is in them. Nothing is run. */

import { existsSync } from 'node:fs';
import { dirname, isAbsolute } from 'node:path';
import { POINT_KEYS } from '../../src/config/keys/method_keys.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import { placeOfTask } from '../../src/config/mixture.ts';
import { RlvrError } from '../../src/errors.ts';
import { findSnapshot, hubCache } from '../../src/hub/cache.node.ts';
import { hubNameText, readHubName } from '../../src/hub/names.ts';
import { METHOD_POINTS, type MethodPoint } from '../../src/methods/stage.ts';
import type { Plugin } from '../../src/options/keys.ts';
import { isModuleFile } from '../../src/rewards/module_file.ts';
import { adapterPath, modelPath } from '../../src/run/model/model_paths.node.ts';
import type { FoundFile } from '../../src/run/opened_config.ts';
import { asksInWords, type Codec } from '../../src/text/codec.ts';
import { verifierOf } from './dataset_files.node.ts';
import { importedFiles } from './imported_files.node.ts';
import { hashModule, moduleReference, pathFrom } from './module.node.ts';

/** What a search needs of `PluginOptions`. */
export interface SearchOptions {
  readonly file: string;
  readonly directory?: string;
  readonly rewards?: 'unused';
  /** That of the model which the run begins with. To a closed vocabulary methods may add words, so that their files are read in any case. */
  readonly codec?: Codec | undefined;
}

type Problems = LoadedConfig['problems'];

/** The key that names a task. */
export function taskPlace(problems: Problems, index: number): string {
  const place = placeOfTask(problems, index);
  return problems.written(`${place}.name`, `${place}.task`) ?? place;
}

/** A file that the knob `of` of a task names, with its own knobs. */
export type InnerFile = { readonly task: string; readonly export?: unknown } & { readonly [knob: string]: unknown };

/** The file that a task of the config is made of; undefined: it is of none. */
export function innerFile({ of }: { readonly [knob: string]: unknown }): InnerFile | undefined {
  const inner = typeof of === 'string' ? { task: of } : of;
  const isFile =
    typeof inner === 'object' &&
    inner !== null &&
    'task' in inner &&
    typeof inner.task === 'string' &&
    isModuleFile(inner.task);
  return isFile ? (inner as InnerFile) : undefined;
}

/** The key that names a reward of a stage. */
export function rewardPlace(problems: Problems, stage: number, index: number): string {
  const lists = [`stages.${stage}.reward_funcs`, 'reward_funcs'];
  return problems.written(...lists.flatMap((list) => [`${list}.${index}`, list])) ?? 'reward_funcs';
}

/** The key that names a method of a stage. */
export function methodPlace(problems: Problems, stage: number, point: MethodPoint, index: number): string {
  const { yaml, takes } = POINT_KEYS[point];
  const here = takes === 'one' ? yaml : `${yaml}.${index}`;
  return problems.written(`stages.${stage}.${here}`, here, `stages.${stage}.${yaml}`, yaml) ?? yaml;
}

/** The key that names what a supervised stage shows. */
export function demonstrationsPlace(problems: Problems, stage: number): string {
  return problems.written(`stages.${stage}.demonstrations.name`, `stages.${stage}.demonstrations`) ?? 'demonstrations';
}

/** The key that names a reporter. */
export function reporterPlace(problems: Problems, index: number): string {
  return problems.written(`reporters.${index}`) ?? 'reporters';
}

/** Files by the name that the config gives. One that cannot be read is left to the opener, which says why. */
export async function findFiles(loaded: LoadedConfig, options: SearchOptions): Promise<ReadonlyMap<string, FoundFile>> {
  const found = new Map<string, FoundFile>();
  for (const [plugin, place] of namedFiles(loaded, options)) {
    if (found.has(plugin.name)) continue;
    try {
      found.set(plugin.name, await findFile(loaded, options, plugin, place));
    } catch (error) {
      if (!RlvrError.is(error)) throw error;
    }
  }
  return found;
}

/** What a config names that is a file of code, whether it is there or not, each with its key. */
export function namedFiles({ config, problems }: LoadedConfig, { rewards, codec }: SearchOptions): [Plugin, string][] {
  const tasks = config.tasks.map(({ task }, i): [Plugin, string] => [task, taskPlace(problems, i)]);
  const stages = config.stages.flatMap((stage, index) => {
    if (stage.stage !== 'grpo') {
      const { demonstrations: shown } = stage;
      return shown === undefined || (asksInWords(codec) && rewards === 'unused')
        ? []
        : [[shown, demonstrationsPlace(problems, index)] satisfies [Plugin, string]];
    }
    const ofRewards = stage.rewards.map((reward, i): [Plugin, string] => [reward, rewardPlace(problems, index, i)]);
    const ofMethods = METHOD_POINTS.flatMap((point) =>
      stage.methods[point].map((plugin, i): [Plugin, string] => [plugin, methodPlace(problems, index, point, i)]),
    );
    if (rewards === 'unused') return asksInWords(codec) ? [] : ofMethods;
    return [...ofRewards, ...ofMethods];
  });
  const comparisons = tasks.flatMap(([task, place]): [Plugin, string][] => {
    const name = verifierOf(task);
    return name === undefined ? [] : [[{ name }, `${place.replace(/\.(?:name|task)$/, '')}.verify`]];
  });
  const inners = tasks.flatMap(([task, place]): [Plugin, string][] => {
    const inner = innerFile(task);
    if (inner === undefined || isModuleFile(task.name)) return [];
    return [[{ name: inner.task, export: inner.export as string }, `${place.replace(/\.(?:name|task)$/, '')}.of`]];
  });
  return [...tasks, ...inners, ...comparisons, ...stages, ...namedReporters(config, problems, rewards)].filter(
    ([{ name }]) => isModuleFile(name),
  );
}

/** None where a run is only evaluated or sampled. */
function namedReporters(
  { reporters = [] }: LoadedConfig['config'],
  problems: Problems,
  rewards: SearchOptions['rewards'],
): [Plugin, string][] {
  return rewards === 'unused' ? [] : reporters.map((reporter, i) => [reporter, reporterPlace(problems, i)]);
}

/** @throws PluginError `rule; remedy` where it cannot be read */
export async function findFile(
  { problems }: LoadedConfig,
  { file, directory }: SearchOptions,
  plugin: { readonly name: string; readonly export?: unknown },
  place: string,
): Promise<FoundFile> {
  // What is typed at the prompt is meant from where it is typed.
  const isTyped = problems.placeOf(place).label === '--set';
  const reference = moduleReference(plugin.name, plugin.export, isTyped ? '.' : dirname(file));
  const inRunOf = (path: string): string => (directory === undefined ? path : pathFrom(directory, path));
  const hashOf = async (path: string) => [inRunOf(path), await hashModule({ path })] as const;
  const own = await hashOf(reference.path); // first of all: it says what is wrong where the file cannot be read
  const imported = await importedFiles(reference.path);
  const hashes = [own, ...(await Promise.all(imported.map(hashOf)))];
  const role = place.startsWith('reporters') ? 'reporter' : 'training';
  return { name: plugin.name, place, role, isTyped, reference, inRun: inRunOf(reference.path), imported, hashes };
}

/** The adapter as the run's own config names it. */
export function adapterInRun(loaded: LoadedConfig, { file, directory }: SearchOptions): string | undefined {
  const { adapterNameOrPath: given } = loaded.config;
  const path = adapterPath(loaded, file);
  if (given === undefined || path === undefined || isAbsolute(given) || directory === undefined) return given;
  return pathFrom(directory, path);
}

/**
 * The same model as the run's own config names it: by the way from the run directory, and a model of the hub by its
 * commit, so that a branch that moves does not change the run.
 */
export function modelInRun(loaded: LoadedConfig, { file, directory }: SearchOptions): string | undefined {
  const { modelNameOrPath: given } = loaded.config;
  const path = modelPath(loaded, file);
  if (given === undefined || path === undefined || isAbsolute(given)) return given;
  const name = existsSync(path) ? undefined : readHubName(given);
  const snapshot = name && findSnapshot(hubCache(), name);
  if (name !== undefined && snapshot !== undefined) return hubNameText({ ...name, revision: snapshot.commit });
  return directory === undefined ? given : pathFrom(directory, path);
}
