/** A config as single values by name, as trackers show it: `learning_rate`, `task.digits`, `grpo.learning_rate`. */
import { resolvedTree } from '../config/dump.ts';
import type { RunConfig } from '../config/run_config.ts';
import type { Json } from '../options/json.ts';
import type { JsonObject } from './json.ts';

/** By name; lists stay whole, and what is not set (null) is left out. */
export type FlatConfig = Readonly<Record<string, Json>>;

/**
 * The whole config, every default written out. Keys of a stage are named as `--set` names them: by its kind where it is the
 * only one of its kind, else by its place, `stages.1.learning_rate`.
 */
export function flatConfig(config: RunConfig): FlatConfig {
  return flatTree(resolvedTree(config) as JsonObject); // a config is plain data
}

/** The same for a config tree that a run directory has recorded. */
export function flatTree(tree: JsonObject): FlatConfig {
  const { run, stages } = partsOf(tree);
  const kinds = stages.map(({ stage }) => String(stage));
  const named = stages.map(({ stage, ...keys }, index) => {
    const kind = kinds[index];
    const isOnlyOne = kinds.indexOf(kind) === kinds.lastIndexOf(kind);
    return flattened({ [isOnlyOne ? kind : `stages.${index}`]: keys });
  });
  return Object.assign(flattened(run), ...named);
}

/** What decides one stage: the keys of the run, and its own under their plain names. */
export function flatStage(config: RunConfig, index: number): FlatConfig {
  const { run, stages } = partsOf(resolvedTree(config) as JsonObject); // a config is plain data
  return { ...flattened(run), ...flattened(stages[index]) };
}

type Tree = { readonly [key: string]: Json };

function partsOf({ stages, ...run }: JsonObject): { readonly run: Tree; readonly stages: readonly Tree[] } {
  return { run, stages: stages as unknown as readonly Tree[] }; // a list of mappings, by construction
}

function flattened(tree: Tree, prefix = ''): Record<string, Json> {
  const entries = Object.entries(tree).map(([key, value]): Record<string, Json> => {
    if (value === null) return {};
    const isMapping = typeof value === 'object' && !Array.isArray(value);
    return isMapping ? flattened(value as Tree, `${prefix}${key}.`) : { [prefix + key]: value };
  });
  return Object.assign({}, ...entries);
}
