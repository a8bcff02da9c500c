/** The library's functions that read a config or open its run, and look its names up among all that the package has. */
import { type LoadedConfig, parseConfig as parse } from '../../../src/config/load.ts';
import type { Override } from '../../../src/config/overrides.ts';
import type { Registries } from '../../../src/config/registries.ts';
import type { RunConfig } from '../../../src/config/run_config.ts';
import type { Task } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import type { TrainingRun } from '../../../src/grpo/run.ts';
import type { Backend } from '../../../src/kernels/engine.ts';
import { openRun as openRunOf, type RunOptions as RunOptionsOf } from '../../../src/run/open_run.ts';
import { adviseMemory } from '../../estimate/advise_memory.ts';
import { ZOO } from '../registries.ts';

/** What `openRun` may be given; `registries`: what the config may name; default: everything there is. */
export type RunOptions = Partial<RunOptionsOf>;

/**
 * Parses and validates a configuration, and fills in every default.
 *
 * @param text       YAML
 * @param source     `file`: the name that errors show; `registries`: what the config may name; default: everything there is
 * @param overrides  `key=value` texts of `--set`, or those of a flag of its own; in order, winning over the file
 * @throws ConfigError with every mistake, one per line, in file order: `file:line  key: value — rule; remedy.`
 */
export function parseConfig(
  text: string,
  { file, registries = ZOO }: { readonly file: string; readonly registries?: Registries },
  overrides: readonly Override[] = [],
): LoadedConfig {
  return parse(text, { file, registries }, overrides);
}

/**
 * Opens a policy for a config and fills it with initial weights: random ones, or those of a pretrained model.
 *
 * @param of  what it trains on: one task, or several
 * @throws MemoryPlanError, ConfigError
 */
export function openRun(
  config: RunConfig,
  of: Task | TaskSet,
  backend: Backend,
  options: RunOptions = {},
): Promise<TrainingRun> {
  return openRunOf(config, of, backend, { registries: ZOO, adviseMemory, ...options });
}
