/** What reads a config or opens a run, with everything that the package has to look names up in. */

import * as work from '../../packages/estimate/work.ts';
import type { Pretrained } from '../../packages/models/run/model/pretrained.ts';
import { ZOO } from '../../packages/zoo/registries.ts';
import { withWordsOf as withWords } from '../../src/config/control_words.ts';
import type { LoadedConfig } from '../../src/config/load.ts';
import type { RunConfig } from '../../src/config/run_config.ts';
import type { TaskSet } from '../../src/data/task_set.ts';
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
import * as capacity from '../../src/planning/capacity.ts';
import * as memory from '../../src/planning/require_memory.ts';
import { changedConfig as changed, type SettingChange } from '../../src/run/checkpoint/setting_changes.ts';
import { type Inference, openForInference as openModel } from '../../src/run/open_run.ts';
import { recordedConfig as recorded } from '../../src/run/recorded_config.ts';
import type { Store } from '../../src/run/store/store.ts';

export { configHash } from '../../packages/zoo/api/config_hash.ts';
export { loadConfigFile } from '../../packages/zoo/api/configs.node.ts';
export { builtInRewards, getReward } from '../../packages/zoo/api/rewards.ts';
export { openRun, parseConfig } from '../../packages/zoo/api/runs.ts';
export { createTask, createTasks, registeredTask, registeredTasks } from '../../packages/zoo/api/tasks.ts';

export const METHODS = ZOO.methods.at;
export const DEMONSTRATIONS = ZOO.methods.demonstrations;
const listOf = (own: OwnMethods = {}) => withOwnMethods(ZOO.methods, own);

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

export const stageUses = (config: RunConfig): StageUses[] => capacity.stageUses(config, ZOO.methods);
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
): Promise<Capacity> => memory.requireMemory(config, tasks, backend, uses);
export const lackOfRoom = (config: RunConfig, engine: Parameters<typeof memory.lackOfRoom>[1]): string | undefined =>
  memory.lackOfRoom(config, engine, stageUses(config));
export const plannedWork = (
  config: RunConfig,
  tasks: TaskSet,
  keepsForward: boolean = planCapacity(config, tasks).keptRows > 0,
  of: readonly (readonly Member[])[] = config.stages.map((stage) => (stage.stage === 'grpo' ? membersOf(stage) : [])),
): readonly work.StageWork[] => work.plannedWork(config, tasks, of, keepsForward);

export const openForInference = (
  config: RunConfig,
  tasks: TaskSet,
  backend: Backend,
  load: capacity.InferenceLoad,
  pretrained?: Pretrained,
): Promise<Inference> => openModel(config, tasks, backend, { registries: ZOO, load, pretrained });
export const changedConfig = (config: RunConfig, changes: readonly SettingChange[]): RunConfig =>
  changed(config, changes, ZOO);
export const recordedConfig = (store: Store): Promise<RunConfig | undefined> => recorded(store, ZOO);
/** A config with what its names are looked up in. */
export const looked = (config: RunConfig): Pick<LoadedConfig, 'config' | 'registries'> => ({ config, registries: ZOO });
