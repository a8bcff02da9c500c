/** From YAML text to a validated run. Pure: reading the file is `load_file.node.ts`. */
import type { Remark } from '../methods/remark.ts';
import { resolvedTree } from './dump.ts';
import { addKnobProblems } from './option_problems.ts';
import { applyOverrides, type Override } from './overrides.ts';
import type { Noted, Places, Problems } from './problems.ts';
import type { Registries } from './registries.ts';
import { type RunConfig, resolveRun } from './run_config.ts';
import { isMapping, readTree } from './yaml/yaml_tree.ts';

/**
 * Where the value of each key of the resolved config comes from, by its dotted path in `resolvedYaml`
 * (`stages.1.learning_rate`): `file:line`, `file:line, top level` (a stage inherits it), `file:line, over file:line`
 * (a stage overrides it), a flag (`--set`), `from KEY` (follows from another key), or `default`.
 */
export type Origins = ReadonlyMap<string, string>;

/** A validated run and the origin of each of its values. */
export interface LoadedConfig {
  readonly config: RunConfig;
  readonly origins: Origins;
  /** Keys that are taken and change nothing here, mostly of TRL's, with the reason. */
  readonly notes: readonly Noted[];
  /** What is said of a stage, with the line that it is about: `file:line  key: value — what is so; remedy.` */
  lineOf(stage: number, remark: Remark): string;
  /** What the names of the config were looked up in. */
  readonly registries: Registries;
  /** Empty. Mistakes that show later, when a name of the config is looked up, are added here to get their line. */
  readonly problems: Problems;
}

/**
 * Parses and validates a configuration, and fills in every default.
 *
 * @param text       YAML
 * @param source     `file`: the name that errors show; `registries`: what the config may name
 * @param overrides  `key=value` texts of `--set`, or those of a flag of its own; in order, winning over the file
 * @throws ConfigError with every mistake, one per line, in file order: `file:line  key: value — rule; remedy.`
 */
export function parseConfig(
  text: string,
  { file, registries }: { readonly file: string; readonly registries: Registries },
  overrides: readonly Override[] = [],
): LoadedConfig {
  const tree = readTree(text, file);
  applyOverrides(tree, overrides);
  const { places, problems } = tree;
  const { config, pathsOf } = resolveRun(tree.values, problems, registries);
  if (!problems.isEmpty) addKnobProblems(config, problems, registries.tasks);
  problems.throwIfAny();
  const lineOf = (stage: number, remark: Remark): string =>
    problems.lineOf(pathsOf[stage](remark), remark.value, remark.text);
  let origins: Origins | undefined;
  return {
    config,
    /** Made when it is asked for: it takes a fifth of the whole. */
    get origins() {
      origins ??= originsOf(config, places);
      return origins;
    },
    notes: problems.notes,
    lineOf,
    registries,
    problems,
  };
}

function originsOf(config: RunConfig, places: Places): Origins {
  const origins = new Map<string, string>();
  const { stages, ...sections } = resolvedTree(config);
  for (const [name, value] of Object.entries(sections)) {
    origins.set(name, originOf(name, places));
    if (!isMapping(value)) continue;
    for (const inner of Object.keys(value)) origins.set(`${name}.${inner}`, originOf(`${name}.${inner}`, places));
  }
  for (const [index, stage] of (stages as object[]).entries()) {
    for (const name of Object.keys(stage)) {
      origins.set(`stages.${index}.${name}`, stageOrigin(name, `stages.${index}.`, places));
    }
  }
  return origins;
}

/** Keys that follow from others where they are not written: from the first of these that is, else from the last. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  'model.intermediate_size': ['model.hidden_size'],
  'model.num_key_value_heads': ['model.num_attention_heads'],
  'model.head_dim': ['model.hidden_size'],
  generation_batch_size: ['steps_per_generation', 'per_device_train_batch_size', 'num_generations'],
  epsilon_high: ['epsilon'],
  max_steps: ['num_train_epochs'],
};

function originOf(path: string, places: Places): string {
  return places.get(path)?.label ?? followed(path, (source) => places.has(source));
}

/** Stages inherit the keys of the top level; without a list of stages, the top level is the one stage. */
function stageOrigin(name: string, prefix: string, places: Places): string {
  const label = places.get(prefix + name)?.label;
  const top = places.get(name)?.label;
  if (label !== undefined) return top === undefined ? label : `${label}, over ${top}`;
  if (top !== undefined) return places.has('stages') && !top.startsWith('--') ? `${top}, top level` : top;
  return followed(name, (source) => places.has(prefix + source) || places.has(source));
}

function followed(path: string, isWritten: (source: string) => boolean): string {
  if (path === 'warmup_steps' && isWritten('warmup_ratio')) return 'from warmup_ratio';
  const sources = FOLLOWS[path];
  const source = sources?.find(isWritten) ?? sources?.at(-1);
  return source === undefined ? 'default' : `from ${source.slice(source.lastIndexOf('.') + 1)}`;
}
