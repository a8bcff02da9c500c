/** The library's functions, which look the names of a config up among everything that the package has. */
import { type LoadedConfig, parseConfig as parse } from '../../src/config/load.ts';
import type { Override } from '../../src/config/overrides.ts';
import type { Registries } from '../../src/config/registries.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import {
  createTask as createTaskOf,
  createTasks as createTasksOf,
  type TaskConfig,
} from '../../src/data/create_task.ts';
import {
  type InnerLookup,
  innerIn,
  loadTask,
  type RegisteredTask,
  registeredTask as registeredIn,
} from '../../src/data/registered_task.ts';
import type { AnyTaskDefinition, Task } from '../../src/data/task.ts';
import type { TaskOptions } from '../../src/data/task_options.ts';
import type { TaskSet } from '../../src/data/task_set.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import type { GivenOptions } from '../../src/options/read.ts';
import type { RewardDefinition, RewardOptions } from '../../src/rewards/definition.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { getReward as getRewardOf, type OwnRewards } from '../../src/rewards/reward_list.ts';
import { openRun as openRunOf, type RunOptions as RunOptionsOf } from '../../src/run/open_run.ts';
import { configHash as configHashOf } from '../../src/run/session.ts';
import { ZOO } from './registries.ts';

/** A task of the package: its card, and how the rest is loaded. */
export interface PackagedTask extends Pick<RegisteredTask, 'card'> {
  /**
   * @param given  the knobs as they are written: of a task made of a task, they say of which one
   * @param own  that one, where it is none of the package
   */
  load(given?: GivenOptions, own?: AnyTaskDefinition): Promise<AnyTaskDefinition>;
}

/** What `openRun` may be given; `registries`: what the config may name; default: everything there is. */
export type RunOptions = Partial<RunOptionsOf>;

const innerOf =
  (own: AnyTaskDefinition): InnerLookup =>
  () => ({ card: own, load: async () => own });

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
  return openRunOf(config, of, backend, { registries: ZOO, ...options });
}

/**
 * A task by its name, loaded and bound to its knobs. Problems are solved when they are first met.
 *
 * @throws ConfigError on an unknown name or knob, or a knob out of range
 *
 * ```ts
 * const task = await createTask({ name: 'countdown', numbers: 3 });
 * const item = task.trainItem(0, 17);
 * task.verify(item, item.answer, { finishReason: 'eos' }).score; // 1
 * ```
 */
export function createTask(config: TaskConfig, options: TaskOptions = {}): Promise<Task> {
  return createTaskOf(config, ZOO.tasks, options);
}

/**
 * All tasks of a config, ready for a trainer.
 *
 * @throws ConfigError on an unknown name or knob, a knob out of range, or vocabularies that cannot be one
 */
export function createTasks(config: Parameters<typeof createTasksOf>[0], options: TaskOptions = {}): Promise<TaskSet> {
  return createTasksOf(config, ZOO.tasks, options);
}

/** A task of the package by its name. @throws ConfigError naming the nearest one, or saying what it lacks */
export function registeredTask(name: string): PackagedTask {
  const { card, load } = registeredIn(ZOO.tasks, name);
  return { card, load: (given = {}, own) => load(given, own === undefined ? innerIn(ZOO.tasks) : innerOf(own)) };
}

/** The tasks of the package by name, as `task:` of a config has them. */
export const registeredTasks: Readonly<Record<string, PackagedTask>> = Object.fromEntries(
  Object.entries(ZOO.tasks.loaded).flatMap(([name, task]) => ('load' in task ? [[name, registeredTask(name)]] : [])),
);

/** The definition of a task, loaded with what it needs. @throws ConfigError naming the nearest one */
export function getTaskDefinition(name: string): Promise<AnyTaskDefinition> {
  return loadTask(ZOO.tasks, name);
}

/**
 * A reward function by its name in `reward_funcs`.
 *
 * @param options  what the YAML gives besides name and weight
 * @param own      looked up before those of the package; a reward function takes no options, a factory reads them
 * @throws ConfigError for an unknown name or option, naming the nearest one
 */
export function getReward(name: string, options: RewardOptions = {}, own: OwnRewards = {}): RewardFunction {
  return getRewardOf(ZOO.rewards, name, options, own);
}

/** Every reward function of the package, by name. */
export const builtInRewards: Readonly<Record<string, RewardDefinition>> = ZOO.rewards.loaded;

/** Hash of everything in the config that decides bits. */
export function configHash(config: RunConfig): Promise<string> {
  return configHashOf(config, ZOO.tasks);
}
