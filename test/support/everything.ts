/** What reads a config or opens a run, over the lists that the setup file of these tests gives (`lists.ts`). */

import { withWordsOf as withWords } from '../../src/config/control_words.ts';
import { type LoadedConfig, parseConfig as parse } from '../../src/config/load.ts';
import { loadConfigFile as loadFile } from '../../src/config/load_file.node.ts';
import type { Override } from '../../src/config/overrides.ts';
import type { Library, Registries } from '../../src/config/registries.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import { type TaskConfig, createTask as taskOf, createTasks as tasksOf } from '../../src/data/create_task.ts';
import {
  type InnerLookup,
  innerIn,
  type RegisteredTask,
  registeredTask as registeredIn,
} from '../../src/data/registered_task.ts';
import type { AnyTaskDefinition, Task } from '../../src/data/task.ts';
import type { TaskOptions } from '../../src/data/task_options.ts';
import type { TaskSet } from '../../src/data/task_set.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import type { Backend } from '../../src/kernels/engine.ts';
import * as create from '../../src/methods/create.ts';
import { membersOf as members } from '../../src/methods/members.ts';
import type { Member, Method } from '../../src/methods/method.ts';
import { findMethod as find, type OwnMethods, withOwnMethods } from '../../src/methods/method_list.ts';
import type { Remark } from '../../src/methods/remark.ts';
import { remarksOn as remarks } from '../../src/methods/remarks.ts';
import type { GrpoStageConfig, MethodPoint, SftStageConfig } from '../../src/methods/stage.ts';
import type { StageUses } from '../../src/methods/uses/stage_uses.ts';
import type { Capacity } from '../../src/model/memory/capacity.ts';
import type { Plugin } from '../../src/options/keys.ts';
import type { GivenOptions } from '../../src/options/read.ts';
import * as capacity from '../../src/planning/capacity.ts';
import * as memory from '../../src/planning/require_memory.ts';
import type { RewardDefinition, RewardOptions } from '../../src/rewards/definition.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { type OwnRewards, getReward as rewardOf } from '../../src/rewards/reward_list.ts';
import { changedConfig as changed, type SettingChange } from '../../src/run/checkpoint/setting_changes.ts';
import { openRun as open, type RunOptions } from '../../src/run/open_run.ts';
import { recordedConfig as recorded } from '../../src/run/recorded_config.ts';
import { configHash as hashOf } from '../../src/run/session.ts';
import type { Store } from '../../src/run/store/store.ts';
import { drawnTeacher } from './drawn_teacher.ts';
import { lists } from './lists.ts';

const GIVEN = lists();

export const parseConfig = (
  text: string,
  { file, registries = GIVEN }: { readonly file: string; readonly registries?: Registries },
  overrides: readonly Override[] = [],
): LoadedConfig => parse(text, { file, registries }, overrides);
export const loadConfigFile = (
  file: string,
  overrides: readonly Override[] = [],
  library: Library = { naming: async () => GIVEN },
): Promise<LoadedConfig> => loadFile(file, library, overrides);
export const openRun = (
  config: RunConfig,
  of: Task | TaskSet,
  backend: Backend,
  options: Partial<RunOptions> = {},
): Promise<TrainingRun> => {
  const models = drawnTeacher(config, of, listOf(options.methods));
  return open(config, of, backend, { registries: GIVEN, ...(models && { models }), ...options });
};
export const configHash = (config: RunConfig): Promise<string> => hashOf(config, GIVEN.tasks);

export const builtInRewards: Readonly<Record<string, RewardDefinition>> = GIVEN.rewards.loaded;
export const getReward = (name: string, options: RewardOptions = {}, own: OwnRewards = {}): RewardFunction =>
  rewardOf(GIVEN.rewards, name, options, own);

export const createTask = (config: TaskConfig, options: TaskOptions = {}): Promise<Task> =>
  taskOf(config, GIVEN.tasks, options);
export const createTasks = (config: Parameters<typeof tasksOf>[0], options: TaskOptions = {}): Promise<TaskSet> =>
  tasksOf(config, GIVEN.tasks, options);
export function registeredTask(name: string): PackagedTask {
  const { card, load } = registeredIn(GIVEN.tasks, name);
  return { card, load: (given = {}, own) => load(given, own === undefined ? innerIn(GIVEN.tasks) : innerOf(own)) };
}

interface PackagedTask extends Pick<RegisteredTask, 'card'> {
  load(given?: GivenOptions, own?: AnyTaskDefinition): Promise<AnyTaskDefinition>;
}

const innerOf =
  (own: AnyTaskDefinition): InnerLookup =>
  () => ({ card: own, load: async () => own });

export const registeredTasks: Readonly<Record<string, PackagedTask>> = Object.fromEntries(
  Object.entries(GIVEN.tasks.loaded).flatMap(([name, task]) => ('load' in task ? [[name, registeredTask(name)]] : [])),
);

export const METHODS = GIVEN.methods.at;
export const DEMONSTRATIONS = GIVEN.methods.demonstrations;
const listOf = (own: OwnMethods = {}) => withOwnMethods(GIVEN.methods, own);

export const createMethods = (stage: GrpoStageConfig, own?: OwnMethods): create.StageMethods =>
  create.createMethods(stage, listOf(own));
export const createFigures = (stage: GrpoStageConfig, own?: OwnMethods): ReturnType<typeof create.createFigures> =>
  create.createFigures(stage, listOf(own));
export const createDemonstrations = (
  stage: SftStageConfig,
  own?: OwnMethods,
): ReturnType<typeof create.createDemonstrations> => create.createDemonstrations(stage, listOf(own));
export const usesOf = (stage: GrpoStageConfig, own?: OwnMethods): StageUses => create.usesOf(stage, listOf(own));
export const usesOfDemonstrations = (
  stage: SftStageConfig,
  own?: OwnMethods,
): ReturnType<typeof create.usesOfDemonstrations> => create.usesOfDemonstrations(stage, listOf(own));
export const findMethod = (point: MethodPoint, plugin: Plugin, own?: OwnMethods): Method<unknown> | undefined =>
  find(listOf(own), point, plugin);
export const membersOf = (stage: GrpoStageConfig, own?: OwnMethods): Member[] => members(stage, listOf(own));
export const remarksOn = (stage: GrpoStageConfig, own?: OwnMethods): Remark[] => remarks(stage, listOf(own));
export const withWordsOf = (config: Pick<RunConfig, 'stages'>, tasks: TaskSet, own?: OwnMethods): TaskSet =>
  withWords(config, tasks, listOf(own));

export const stageUses = (config: RunConfig): StageUses[] => capacity.stageUses(config, GIVEN.methods);
export const planCapacity = (
  config: RunConfig,
  tasks: TaskSet,
  uses: readonly StageUses[] = stageUses(config),
): Capacity => capacity.planCapacity(config, tasks, uses);
export const requireMemory = (
  config: RunConfig,
  tasks: TaskSet,
  backend: Backend,
  uses: readonly StageUses[] = stageUses(config),
  advise?: memory.AdviseMemory,
): Promise<Capacity> => memory.requireMemory(config, tasks, backend, uses, advise);
export const lackOfRoom = (config: RunConfig, engine: Parameters<typeof memory.lackOfRoom>[1]): string | undefined =>
  memory.lackOfRoom(config, engine, stageUses(config));

export const changedConfig = (config: RunConfig, changes: readonly SettingChange[]): RunConfig =>
  changed(config, changes, GIVEN);
export const recordedConfig = (store: Store): Promise<RunConfig | undefined> => recorded(store, GIVEN);
/** A config with what its names are looked up in. */
export const looked = (config: RunConfig): Pick<LoadedConfig, 'config' | 'registries'> => ({
  config,
  registries: GIVEN,
});
