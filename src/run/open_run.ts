/** Opens a run: what its config names, and a policy, for all of its stages or for inference alone. */
import { withWordsOf } from '../config/control_words.ts';
import { POINT_KEYS } from '../config/keys/method_keys.ts';
import type { LoadedConfig } from '../config/load.ts';
import { aboutKey } from '../config/problems.ts';
import type { RunConfig } from '../config/run_config.ts';
import type { Task } from '../data/task.ts';
import { oneTask, type TaskSet } from '../data/task_set.ts';
import { ConfigError, DataError } from '../errors.ts';
import { requireBestMetric } from '../grpo/best.ts';
import { localEngine } from '../grpo/engine.ts';
import { initialState, type Journal } from '../grpo/journal.ts';
import { type RunRemark, type TrainingRun, totalSteps, type WeightedReward } from '../grpo/run.ts';
import { stageTasks } from '../grpo/stage_tasks.ts';
import type { Backend } from '../kernels/kernels.ts';
import { createFigures, createMethods, loadMethods, type StageNeeds } from '../methods/create.ts';
import { categoryOf, Ledger } from '../methods/ledger.ts';
import { findMethod, type OwnMethods } from '../methods/look_up.ts';
import { remarksOn } from '../methods/remarks.ts';
import type { StageConfig } from '../methods/stage.ts';
import { initialTensor } from '../model/initialize.ts';
import { Policy } from '../model/policy.ts';
import { loadAdapter } from '../model/pretrained/load_weights.ts';
import { type InferenceLoad, inferenceCapacity, modelShape, trainedOf } from '../planning/capacity.ts';
import { requireMemory } from '../planning/memory_advice.ts';
import { getReward, type OwnRewards } from '../rewards/built_in.ts';
import { baseOf, loadWeights, type Pretrained, requirePretrained, withPretrained } from './model/pretrained.ts';

/** The reward functions that a stage names, with their weights. @throws ConfigError for an unknown name or option */
function stageRewards(stage: StageConfig, own: OwnRewards | 'unused'): WeightedReward[] {
  if (stage.stage === 'sft' || own === 'unused') return [];
  return stage.rewards.map(({ name, weight, ...options }) => ({ reward: getReward(name, options, own), weight }));
}

/** What `openRun` is given besides config, tasks and backend. */
export interface RunOptions {
  /** Looked up before the built-in ones. 'unused': the run never asks its rewards, and they need not be known. */
  readonly rewards?: OwnRewards | 'unused';
  /** Methods that a stage names by a file, by that name. */
  readonly methods?: OwnMethods;
  /** How a remark on a stage is shown, with the line of the file that it is about; default: by its key alone. */
  readonly lineOf?: LoadedConfig['lineOf'];
  /** The model that the config names; `tasks` were made with its codec. */
  readonly pretrained?: Pretrained | undefined;
  /** Milliseconds of a monotonic clock; default `performance.now`. */
  readonly clock?: () => number;
}

/**
 * Opens a policy for a config and fills it with initial weights: random ones, or those of a pretrained model.
 *
 * @param of  what it trains on: one task, or several
 * @throws MemoryPlanError, ConfigError
 */
export async function openRun(
  given: RunConfig,
  of: Task | TaskSet,
  backend: Backend,
  { rewards: own = {}, methods: ownMethods = {}, lineOf, pretrained, clock = () => performance.now() }: RunOptions = {},
): Promise<TrainingRun> {
  requirePretrained(given, pretrained);
  const config = pretrained === undefined ? given : withPretrained(given, pretrained);
  requireStorage(config, backend);
  const tasks = withWordsOf(config, 'shares' in of ? of : oneTask(of), ownMethods);
  const rewards = config.stages.map((stage) => stageRewards(stage, own));
  await loadMethods(config.stages, ownMethods);
  const methods = config.stages.map((stage) => (stage.stage === 'grpo' ? createMethods(stage, ownMethods) : undefined));
  const figures = figuresOf(config, ownMethods);
  requireBestMetric(config, tasks, figures.at(-1) ?? []);
  const needs = methods.flatMap((ofStage) => (ofStage === undefined ? [] : [ofStage.needs]));
  requireSteps(needs, tasks);
  for (const index of config.stages.keys()) stageTasks(tasks, config, index); // says which tasks there are not
  requireFeedback(needs, tasks);
  requireAnswers(needs, tasks);
  requireTwins(needs, tasks);
  requireWritable(needs, tasks);
  const noChoice = methods.flatMap((own, index) => choicesLacking(config, index, tasks, own?.needs, lineOf));
  const remarks = [...runRemarks(config, ownMethods, lineOf), ...noChoice];
  config.stages.forEach((_, index) => {
    requireRewardable(config, index, rewards[index], tasks, lineOf);
  });
  const capacity = requireMemory(config, tasks, backend, needs);
  const shape = modelShape(config, tasks);
  const policy = await Policy.open(backend, shape, capacity, trainedOf(config));
  try {
    if (pretrained !== undefined) await loadWeights(pretrained, policy);
    const adapter = pretrained?.adapter;
    const drawn =
      pretrained === undefined ? [...policy.parameters, ...policy.adapterParameters] : policy.adapterParameters;
    for (const parameter of drawn) {
      policy.writeParameter(parameter, initialTensor(shape, parameter, config.seed, config.model.initializerRange));
    }
    if (pretrained !== undefined && adapter !== undefined) await loadAdapter(adapter, pretrained.model, policy);
  } catch (error) {
    await policy.close(); // its threads would keep the process alive
    throw error;
  }
  const ledger = new Ledger();
  const base = pretrained && (await baseOf(pretrained));
  const journal: Journal = { state: initialState(), clock };
  const version = (): number => totalSteps({ config, journal });
  const engine = localEngine({ policy: { policy, codec: tasks.codec } }, tasks, version);
  return { config, engine, journal, rewards, methods, remarks, figures, ledger, ...(base && { base }) };
}

/** A model that is asked and not trained. */
export type Inference = Pick<TrainingRun, 'config' | 'engine' | 'figures' | 'base'>;

/**
 * Opens the model of a config to be evaluated or sampled: a policy without gradients, optimizer and reference, whose
 * weights are 0 until a model or a checkpoint is loaded; where the config trains an adapter, those of its base are there.
 *
 * @param load  what will be sampled together
 * @param pretrained  the model that the config names
 * @throws MemoryPlanError, ConfigError
 */
export async function openForInference(
  given: RunConfig,
  of: TaskSet,
  backend: Backend,
  load: InferenceLoad,
  pretrained?: Pretrained,
): Promise<Inference> {
  requirePretrained(given, pretrained);
  const config = pretrained === undefined ? given : withPretrained(given, pretrained);
  requireStorage(config, backend);
  const tasks = withWordsOf(config, of); // those of the user's files are there: `openPlugins` has added them
  const capacity = inferenceCapacity(config, tasks, load);
  const policy = await Policy.open(backend, modelShape(config, tasks), capacity, trainedOf(config));
  if (pretrained !== undefined && config.adapter !== undefined) await loadBase(pretrained, policy);
  const base = pretrained && (await baseOf(pretrained));
  const engine = localEngine({ policy: { policy, codec: tasks.codec } }, tasks);
  return { config, engine, figures: figuresOf(config), ...(base && { base }) };
}

/** What an adapter stands beside. */
async function loadBase(pretrained: Pretrained, policy: Policy): Promise<void> {
  try {
    await loadWeights(pretrained, policy);
  } catch (error) {
    await policy.close();
    throw error;
  }
}

/** @throws ConfigError where methods cannot work together: those of files are known here for the first time */
function runRemarks(config: RunConfig, own: OwnMethods, lineOf = lineWithoutPlace(config)): RunRemark[] {
  return config.stages.flatMap((stage, index) => {
    if (stage.stage !== 'grpo') return [];
    return remarksOn(stage, (point, plugin) => findMethod(point, plugin, own)).map((remark): RunRemark => {
      const message = lineOf(index, remark);
      if (remark.level === 'conflict') throw new ConfigError('method-conflict', message, { stage: index });
      return { stage: index, level: remark.level, message };
    });
  });
}

function lineWithoutPlace({ stages }: RunConfig): LoadedConfig['lineOf'] {
  return (stage, { at, value, text }) => {
    const key = 'key' in at ? at.key : POINT_KEYS[at.point].yaml;
    return aboutKey(stages.length > 1 ? `stages.${stage}.${key}` : key, value, text);
  };
}

/** [stages] further figures of the evaluations. */
function figuresOf(config: RunConfig, own: OwnMethods = {}): TrainingRun['figures'] {
  return config.stages.map((stage) => (stage.stage === 'grpo' ? createFigures(stage, own) : []));
}

/** @throws ConfigError where the backend does not store what the config says */
function requireStorage({ storageDtype: wanted }: RunConfig, backend: Backend): void {
  const { name, storageDtype: used = 'float32' } = backend;
  if (wanted === used) return;
  const remedy =
    wanted === 'float16'
      ? 'use backend webgpu, on an adapter with shader-f16, or leave the key out'
      : `set the key to ${used}, or open the backend without it`;
  const message = `storage_dtype: ${wanted} — the ${name} backend stores ${used}; ${remedy}.`;
  throw new ConfigError('storage-dtype', message, { path: 'storage_dtype' });
}

/** What a method writes into completions has to be a text of the vocabulary. */
function requireWritable(needs: readonly StageNeeds[], { codec, name }: TaskSet): void {
  for (const [method, text] of needs.flatMap(({ texts }) => texts)) {
    try {
      codec.encode(text);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      const rule = `writes ${JSON.stringify(text)}, which the vocabulary of ${name} cannot`;
      const remedy = 'give a text of its own characters, or use style: plain or a pretrained model';
      throw new ConfigError('cannot-write', `${method}: ${rule}; ${remedy}.`, { method, text });
    }
  }
}

/** A method that asks problems under two prompts would ask each once, and not say so. */
function requireTwins(needs: readonly StageNeeds[], { shares }: TaskSet): void {
  const [asker] = needs.flatMap(({ twins }) => twins);
  const without = shares.find(({ task }) => task.twin === undefined);
  if (asker === undefined || without === undefined) return;
  const { name } = without.task;
  const remedy = 'use countdown, chain_sum, products, gcd or lcm, a task of yours with twin, or another method';
  throw new ConfigError('no-twins', `${asker}: asks each problem under two prompts, and ${name} has one; ${remedy}.`, {
    method: asker,
    task: name,
  });
}

/** What to say of methods that choose among tasks and levels, where a stage has one. */
function choicesLacking(
  config: RunConfig,
  stage: number,
  tasks: TaskSet,
  needs: StageNeeds | undefined,
  lineOf = lineWithoutPlace(config),
): readonly RunRemark[] {
  if (needs === undefined || needs.categories.length === 0) return [];
  const drawn = stageTasks(tasks, config, stage);
  const items = Array.from({ length: MIXED_OVER }, (_, index) => drawn.trainItem(NO_RUN, index));
  if (new Set(items.map(categoryOf)).size > 1) return [];
  const text =
    'chooses among tasks and levels, and this stage draws from one: it changes nothing; list several under tasks';
  return needs.categories.map((value) => {
    const remark = { level: 'warning', at: { key: 'prompt_source' }, value, text } as const;
    return { stage, level: remark.level, message: lineOf(stage, remark) };
  });
}

/** Problems of each task that the rewards of a stage are shown. */
const SHOWN_PROBLEMS = 4;

/** A reward that reads what a task's problems lack would be null for all of them. @throws ConfigError */
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

/** A method that reads steps would see the outcome alone, and not say so. */
function requireSteps(needs: readonly StageNeeds[], { shares, name }: TaskSet): void {
  const [reader] = needs.flatMap(({ steps }) => steps);
  if (reader === undefined || shares.some(({ task }) => task.givesSteps)) return;
  const remedy = 'use countdown with answer: steps, a task of yours with givesSteps, or another method';
  throw new ConfigError('no-steps', `${reader}: reads the steps of a solution, and ${name} has none; ${remedy}.`, {
    method: reader,
    task: name,
  });
}

function requireFeedback(needs: readonly StageNeeds[], { shares, name }: TaskSet): void {
  const [reader] = needs.flatMap(({ feedback }) => feedback.neededBy);
  if (reader === undefined || shares.some(({ task }) => task.givesFeedback)) return;
  const remedy = 'use countdown, a task of yours with feedback, or another method';
  throw new ConfigError('no-feedback', `${reader}: shows what was wrong, and ${name} does not say it; ${remedy}.`, {
    method: reader,
    task: name,
  });
}

/** Problems of the training stream of no run that are looked at. */
const LOOKED_AT = 16;
/** Of a mixture, so that a rare task is among them. */
const MIXED_OVER = 128;
const NO_RUN = -3;

/** Where a task knows no answer, or none of which a part can be shown, a method that does would do nothing, and not say so. */
function requireAnswers(needs: readonly StageNeeds[], tasks: TaskSet): void {
  const [user] = needs.flatMap(({ answers }) => answers);
  const [shower] = needs.flatMap(({ hints }) => hints);
  if (user === undefined && shower === undefined) return;
  const items = Array.from({ length: LOOKED_AT }, (_, index) => tasks.trainItem(NO_RUN, index));
  const longest = Math.max(0, ...items.flatMap((item) => tasks.solutions(item).map(({ length }) => length)));
  const refuse = (id: string, rule: string): never => {
    const remedy = 'use a task of longer answers, such as countdown, or another method';
    throw new ConfigError('no-answers', `${id}: ${rule}; ${remedy}.`, { method: id, task: tasks.name });
  };
  if (user !== undefined && longest === 0) refuse(user, `uses right answers, and ${tasks.name} knows none`);
  if (shower !== undefined && longest < 2) {
    refuse(shower, `shows a part of a solution, and answers of ${tasks.name} are a single token, or unknown`);
  }
}
