/** Opens a run: looks up what its config names and opens a policy, for all stages or for inference only. */
import { withWordsOf } from '../config/control_words.ts';
import { POINT_KEYS } from '../config/keys/method_keys.ts';
import type { LoadedConfig } from '../config/load.ts';
import { withSteps } from '../config/passes.ts';
import { aboutKey } from '../config/problems.ts';
import type { Registries } from '../config/registries.ts';
import type { RunConfig } from '../config/run_config.ts';
import type { Task } from '../data/task.ts';
import { oneTask, type TaskSet } from '../data/task_set.ts';
import { ConfigError } from '../errors.ts';
import { requireBestMetric } from '../grpo/best.ts';
import { localEngine } from '../grpo/engine.ts';
import type { MakeGenerator } from '../grpo/generator.ts';
import { initialState, type Journal } from '../grpo/journal.ts';
import { type RunRemark, type TrainingRun, totalSteps, type WeightedReward } from '../grpo/run.ts';
import { stageTasks } from '../grpo/stage_tasks.ts';
import type { Backend } from '../kernels/engine.ts';
import { isOfFiles } from '../kernels/storage.ts';
import { createDemonstrations, createFigures, createMethods, usesOfDemonstrations } from '../methods/create.ts';
import { Ledger } from '../methods/ledger.ts';
import { type MethodList, type OwnMethods, withOwnMethods } from '../methods/method_list.ts';
import type { Remark } from '../methods/remark.ts';
import { remarksOn } from '../methods/remarks.ts';
import { copyOf } from '../methods/sampling_modes/modes.ts';
import type { StageConfig } from '../methods/stage.ts';
import { writeInitialWeights } from '../model/initialize.ts';
import { beginMagnitudes } from '../model/magnitudes.ts';
import { Policy } from '../model/policy.ts';
import { modelShape, trainedOf } from '../planning/capacity.ts';
import { type AdviseMemory, requireMemory } from '../planning/require_memory.ts';
import { getReward, type OwnRewards, type RewardList } from '../rewards/reward_list.ts';
import { type OpenedBase, requireBase } from './base.ts';
import { requireAnswers, requireDemonstrations, requireUses, warningsOfUses } from './check_uses.ts';
import { type FurtherModels, type OpenedModels, openModels, usedModels } from './models.ts';

/** The reward functions that a stage names, with their weights. @throws ConfigError for an unknown name or option */
function stageRewards(stage: StageConfig, list: RewardList, ownRewards: OwnRewards | 'unused'): WeightedReward[] {
  if (stage.stage === 'sft' || ownRewards === 'unused') return [];
  return stage.rewards.map(({ name, weight, ...options }) => ({
    reward: getReward(list, name, options, ownRewards),
    weight,
  }));
}

/** Arguments of `openRun` besides config, tasks and backend. */
export interface RunOptions {
  /** Lists that the config's names are looked up in. */
  readonly registries: Registries;
  /** Looked up before those of the registries. 'unused': the run never asks its rewards, and they need not be known. */
  readonly rewards?: OwnRewards | 'unused';
  /** Methods from users' files, by the file's name in the config. */
  readonly methods?: OwnMethods;
  /** How a remark on a stage is shown, with the line of the file that it is about; default: by its key alone. */
  readonly lineOf?: LoadedConfig['lineOf'];
  /** The model that the config names; `tasks` were made with its codec. */
  readonly pretrained?: OpenedBase | undefined;
  /** The further models that the config names, by their names. */
  readonly models?: OpenedModels | undefined;
  /** What to lower where the run does not fit; default: in general terms. */
  readonly adviseMemory?: AdviseMemory | undefined;
  /** Milliseconds of a monotonic clock; default `performance.now`. */
  readonly clock?: () => number;
  /** Makes what samples completions; default: the policy that is trained. */
  readonly makeGenerator?: MakeGenerator | undefined;
}

/**
 * Opens a policy for a config and fills it with initial weights: random ones, or those of a pretrained model.
 *
 * @param of  one task or several
 * @throws MemoryPlanError, ConfigError
 */
export async function openRun(
  given: RunConfig,
  of: Task | TaskSet,
  backend: Backend,
  options: RunOptions,
): Promise<TrainingRun> {
  const { rewards: own = {}, lineOf, pretrained, models = {}, clock = () => performance.now() } = options;
  const list = withOwnMethods(options.registries.methods, options.methods ?? {});
  const registries = { ...options.registries, methods: list };
  requireBase(given, pretrained);
  const asked = pretrained?.configured(given) ?? given;
  const asTasks = 'shares' in of ? of : oneTask(of);
  const config = withSteps(requireStorage(asked, backend), asTasks);
  const tasks = withWordsOf(config, asTasks, list);
  pretrained?.requireWords(tasks);
  const rewards = config.stages.map((stage) => stageRewards(stage, registries.rewards, own));
  const methods = config.stages.map((stage) => (stage.stage === 'grpo' ? createMethods(stage, list) : undefined));
  const demonstrations = config.stages.map((stage) =>
    stage.stage === 'sft' ? createDemonstrations(stage, list) : undefined,
  );
  const figures = figuresOf(config, list);
  requireBestMetric(config, tasks, figures.at(-1) ?? []);
  const uses = methods.flatMap((ofStage) => (ofStage === undefined ? [] : [ofStage.uses]));
  const shown = config.stages.flatMap((stage) => (stage.stage === 'sft' ? usesOfDemonstrations(stage, list) : []));
  requireUses([...uses, { asked: shown }], tasks, config);
  const used = usedModels(config, [...uses, { asked: shown }], models, tasks.codec);
  requireDemonstrations(config, tasks);
  const drawn = config.stages.map((_, index) => stageTasks(tasks, config, index)); // says which tasks there are not
  requireAnswers(
    methods.map((own) => own?.uses),
    drawn,
  );
  const warnings = methods.flatMap((own, index) =>
    own === undefined
      ? []
      : warningsOfUses(own.uses, drawn[index], (remark) => asRunRemark(config, index, remark, lineOf)),
  );
  const remarks = [
    ...widenedRemarks(asked, config, backend),
    ...leakRemarks(tasks),
    ...runRemarks(config, list, lineOf),
    ...unusedRemarks(config, used),
    ...warnings,
  ];
  config.stages.forEach((_, index) => {
    requireRewardable(config, index, rewards[index], tasks, lineOf);
  });
  const shapes = Object.fromEntries(Object.entries(used).map(([name, { model }]) => [name, model.shape]));
  const capacity = await requireMemory(config, tasks, backend, uses, options.adviseMemory, shapes);
  const policy = await Policy.open(backend, modelShape(config, tasks), capacity, trainedOf(config));
  let further: FurtherModels;
  try {
    if (config.freeze !== undefined) {
      const { requireNamed } = await import('./check_frozen.ts');
      requireNamed(
        config.freeze,
        policy.parameters.map(({ name }) => name),
      );
    }
    await pretrained?.loadWeights(policy);
    const drawn = pretrained === undefined ? undefined : policy.adapterParameters;
    writeInitialWeights(policy, config.seed, config.model.initializerRange, drawn);
    await beginMagnitudes(policy);
    await pretrained?.loadAdapter(policy);
    further = await openModels(backend, used, capacity);
  } catch (error) {
    await policy.close(); // its threads would keep the process alive
    throw error;
  }
  const ledger = new Ledger();
  const base = await pretrained?.recorded();
  const journal: Journal = { state: initialState(), clock };
  const version = (): number => totalSteps({ config, journal });
  const all = { ...further.models, policy: { policy, codec: tasks.codec } };
  const engine = localEngine(all, tasks, version, options.makeGenerator);
  return {
    config,
    registries,
    engine,
    journal,
    rewards,
    methods,
    demonstrations,
    remarks,
    figures,
    ledger,
    ...(base && { base }),
    ...(Object.keys(used).length > 0 && { models: further.recorded }),
  };
}

/** @throws ConfigError if methods exclude each other, which for users' files is first known here */
function runRemarks(config: RunConfig, list: MethodList, lineOf = lineWithoutPlace(config)): RunRemark[] {
  return config.stages.flatMap((stage, index) => {
    if (stage.stage !== 'grpo') return [];
    return remarksOn(stage, list).map((remark): RunRemark => {
      if (remark.level === 'conflict')
        throw new ConfigError('method-conflict', lineOf(index, remark), { stage: index });
      return asRunRemark(config, index, { ...remark, level: remark.level }, lineOf);
    });
  });
}

/** Says which blocks of a file the backend widens. */
function widenedRemarks(asked: RunConfig, { frozenStorage: kept = {} }: RunConfig, { name }: Backend): RunRemark[] {
  const widened = Object.entries(asked.frozenStorage ?? {}).filter(([tensor]) => kept[tensor] === undefined);
  if (widened.length === 0) return [];
  const types = [...new Set(widened.map(([, storage]) => storage))].join(', ');
  const message = `dtype: ${asked.dtype} — the ${name} backend keeps ${types} blocks in float32 (${widened.length} matrices); wasm keeps them as they are`;
  return [{ stage: 0, level: 'note', message, recorded: message }];
}

/** Models that no method uses; they are not opened. */
function unusedRemarks({ models = {} }: RunConfig, used: OpenedModels): RunRemark[] {
  const unused = Object.keys(models).filter((name) => used[name] === undefined);
  return unused.map((name) => {
    const message = `models.${name}: no method of this run learns from it, so it is not opened; add loss_terms: [teacher-kl], or leave it out`;
    return { stage: 0, level: 'note', message, recorded: message };
  });
}

/** Held-out problems that are trained on. */
function leakRemarks({ shares }: TaskSet): RunRemark[] {
  return shares.flatMap(({ task: { leak } }) =>
    leak === undefined ? [] : [{ stage: 0, level: 'warning', message: leak, recorded: leak }],
  );
}

function asRunRemark(
  config: RunConfig,
  stage: number,
  remark: Remark & Pick<RunRemark, 'level'>,
  lineOf = lineWithoutPlace(config),
): RunRemark {
  return {
    stage,
    level: remark.level,
    message: lineOf(stage, remark),
    recorded: lineWithoutPlace(config)(stage, remark),
  };
}

function lineWithoutPlace({ stages }: RunConfig): LoadedConfig['lineOf'] {
  return (stage, { at, value, text }) => {
    const key = 'key' in at ? at.key : POINT_KEYS[at.point].yaml;
    return aboutKey(stages.length > 1 ? `stages.${stage}.${key}` : key, value, text);
  };
}

/** [stages] further figures of the evaluations. */
export function figuresOf(config: RunConfig, list: MethodList): TrainingRun['figures'] {
  return config.stages.map((stage) => (stage.stage === 'grpo' ? createFigures(stage, list) : []));
}

const samplesFromCopy = (stage: StageConfig): boolean => stage.stage === 'grpo' && copyOf(stage) !== undefined;

/**
 * @returns the config, with the blocks that only files have in float32 where the backend has no kernels for them
 * @throws ConfigError if the backend cannot store other values as the config says
 */
export function requireStorage(given: RunConfig, backend: Backend): RunConfig {
  const { name, storageDtype: used = 'float32', frozenStorages = [] } = backend;
  const entries = Object.entries(given.frozenStorage ?? {});
  const kept = entries.filter(([, storage]) => !isOfFiles(storage) || frozenStorages.includes(storage));
  const config = kept.length === entries.length ? given : { ...given, frozenStorage: Object.fromEntries(kept) };
  const { storageDtype: wanted } = config;
  const [tensor] = kept.find(([, storage]) => !frozenStorages.includes(storage)) ?? [];
  if (tensor !== undefined) {
    const path = config.loadIn4bit ? 'load_in_4bit' : config.loadIn8bit ? 'load_in_8bit' : 'dtype';
    const rule = `the ${name} backend keeps frozen weights in float32`;
    const message = `${path}: ${path === 'dtype' ? config.dtype : true} — ${rule}; use backend: wasm, or leave the key out.`;
    throw new ConfigError('frozen-storage', message, { path, tensor });
  }
  if (config.stages.some(samplesFromCopy) && !frozenStorages.includes('q8_0')) {
    const rule = `the ${name} backend keeps matrices in float32`;
    const message = `quantised_rollout: true — ${rule}; use backend: wasm, or leave the key out.`;
    throw new ConfigError('frozen-storage', message, { path: 'quantised_rollout' });
  }
  if (wanted === used) return config;
  const remedies = {
    float16: 'use backend webgpu, on an adapter with shader-f16, or leave the key out',
    bfloat16: 'use backend wasm, or leave the key out',
    float32: `set the key to ${used}, or open the backend without it`,
  };
  const ownHalves = name === 'wasm' ? 'bfloat16' : name === 'webgpu' ? 'float16' : undefined;
  const instead = wanted === 'float32' || ownHalves === undefined ? '' : `set it to ${ownHalves}, `;
  const remedy = `${instead}${remedies[wanted]}`;
  const message = `storage_dtype: ${wanted} — the ${name} backend stores ${used}; ${remedy}.`;
  throw new ConfigError('storage-dtype', message, { path: 'storage_dtype' });
}

/** Problems of each task on which a stage's rewards are checked. */
const SHOWN_PROBLEMS = 4;

/** A reward that reads fields that a task's problems lack would always be null. @throws ConfigError */
function requireRewardable(
  config: RunConfig,
  stage: number,
  rewards: readonly WeightedReward[],
  { shares }: TaskSet,
  lineOf = lineWithoutPlace(config),
): void {
  const asking = rewards.filter(({ reward }) => reward.refuses !== undefined);
  for (const { task } of asking.length > 0 ? shares : []) {
    const problems = Array.from({ length: SHOWN_PROBLEMS }, (_, index) => task.trainItem(config.seed, index));
    for (const { reward } of asking) {
      const rule = problems.map((item) => reward.refuses?.(item)).find((text) => text !== undefined);
      if (rule === undefined) continue;
      const text = `of ${task.name}: ${rule}`;
      const message = lineOf(stage, { level: 'conflict', at: { key: 'reward_funcs' }, value: reward.name, text });
      throw new ConfigError('reward-refuses', message, { reward: reward.name, task: task.name });
    }
  }
}
