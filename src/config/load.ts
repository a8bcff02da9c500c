/** From YAML text to a validated run. Pure: reading the file is `load_file.node.ts`. */
import { resolvedTree } from './dump.ts';
import { applyOverrides, type Override } from './overrides.ts';
import type { Places, Problems } from './problems.ts';
import { type RunConfig, resolveRun } from './run_config.ts';
import { isMapping, readTree } from './yaml_tree.ts';

/**
 * Where the value of each key of the resolved config comes from, by its dotted path in `resolvedYaml`
 * (`stages.1.learning_rate`): `file:line`, `--set`, or `default` (also for values that follow from others).
 */
export type Origins = ReadonlyMap<string, string>;

/** A validated run and the origin of each of its values. */
export interface LoadedConfig {
  readonly config: RunConfig;
  readonly origins: Origins;
  /** Empty. Mistakes that show later, when a name of the config is looked up, are added here to get their line. */
  readonly problems: Problems;
}

/**
 * Parses and validates a configuration, and fills in every default.
 *
 * @param text       YAML
 * @param source     `file`: the name that errors show
 * @param overrides  `key=value` texts of `--set`, or flags that mean one; applied in order, winning over the file
 * @throws ConfigError with every mistake, one a line, in file order: `file:line  key: value — rule; remedy.`
 */
export function parseConfig(text: string, source: { file: string }, overrides: readonly Override[] = []): LoadedConfig {
  const tree = readTree(text, source.file);
  applyOverrides(tree, overrides);
  const config = resolveRun(tree.values, tree.problems);
  tree.problems.throwIfAny();
  return { config, origins: originsOf(config, tree.places), problems: tree.problems };
}

function originsOf(config: RunConfig, places: Places): Origins {
  const origins = new Map<string, string>();
  const { stages, ...sections } = resolvedTree(config);
  for (const [name, value] of Object.entries(sections)) {
    origins.set(name, originOf([name], places));
    if (!isMapping(value)) continue;
    for (const inner of Object.keys(value)) origins.set(`${name}.${inner}`, originOf([`${name}.${inner}`], places));
  }
  for (const [index, stage] of (stages as object[]).entries()) {
    for (const name of Object.keys(stage)) {
      const sources = [name, ...(DERIVED_FROM[name] ?? [])].flatMap((source) => [`stages.${index}.${source}`, source]);
      origins.set(`stages.${index}.${name}`, originOf(sources, places));
    }
  }
  return origins;
}

/** Keys that follow from others where they are not written themselves. */
const DERIVED_FROM: Readonly<Record<string, readonly string[]>> = {
  generation_batch_size: ['steps_per_generation', 'per_device_train_batch_size'],
  epsilon_high: ['epsilon'],
};

function originOf(paths: readonly string[], places: Places): string {
  const written = paths.find((path) => places.has(path));
  return (written !== undefined && places.get(written)?.label) || 'default';
}
