/**
 * A training run: a policy, a task, a config, and the position reached. Everything that decides what happens next
 * is in `position` and in the policy's vectors; a checkpoint holds exactly these.
 */
import type { RunConfig } from '../config/run_config.ts';
import type { GrpoStageConfig, StageConfig } from '../config/stage_config.ts';
import type { Task } from '../data/task.ts';
import { ConfigError } from '../errors.ts';
import type { Backend } from '../kernels/kernels.ts';
import { murmur3OfText } from '../kernels/murmur3.ts';
import { initialParameters } from '../model/initialize.ts';
import type { Capacity } from '../model/plan.ts';
import { Policy } from '../model/policy.ts';
import type { ModelShape } from '../model/shape.ts';
import { getReward } from '../rewards/built_in.ts';
import type { RewardFunction } from '../rewards/reward_function.ts';
import type { Evaluation } from './evaluate.ts';
import type { CreditedGroup } from './rollouts.ts';

/** Rollouts that still have optimizer steps to give: with several iterations or minibatches a batch. */
export interface Buffer {
  readonly groups: readonly CreditedGroup[];
  /** Optimizer steps already taken on them. */
  readonly stepsTaken: number;
}

/** Where a run stands; at a step boundary it is all that a resume needs besides the policy's vectors. */
export interface Position {
  stageIndex: number;
  /** Optimizer steps taken in this stage. */
  step: number;
  /** Training items drawn so far: the data cursor. */
  itemsDrawn: number;
  /** Rollouts sampled so far: numbers that key the random draws. */
  rolloutsDrawn: number;
  /** Completion tokens seen so far, sampled or demonstrated. */
  tokens: number;
  /** Generation batches in a row without a single live group. */
  deadBatches: number;
  /** Before the first grpo step, and after the last. */
  baseline: Evaluation | undefined;
  final: Evaluation | undefined;
  buffer: Buffer | undefined;
  seconds: Seconds;
}

/** Wall-clock by activity. */
export interface Seconds {
  sft: number;
  rollout: number;
  verify: number;
  update: number;
  eval: number;
}

export interface WeightedReward {
  readonly reward: RewardFunction;
  readonly weight: number;
}

export interface TrainingRun {
  readonly config: RunConfig;
  readonly task: Task;
  readonly policy: Policy;
  readonly position: Position;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

/** Rows of a training batch beyond which it is cut into micro-batches of whole groups. */
const MICRO_BATCH_ROWS = 8192;

/** Completions sampled side by side during evaluation. */
const EVALUATION_COMPLETIONS = 1024;

export function startPosition(): Position {
  return {
    stageIndex: 0,
    step: 0,
    itemsDrawn: 0,
    rolloutsDrawn: 0,
    tokens: 0,
    deadBatches: 0,
    baseline: undefined,
    final: undefined,
    buffer: undefined,
    seconds: { sft: 0, rollout: 0, verify: 0, update: 0, eval: 0 },
  };
}

export function stageOf(run: TrainingRun): StageConfig {
  const stage = run.config.stages[run.position.stageIndex];
  if (stage === undefined) throw new RangeError('the run has no further stage');
  return stage;
}

/** Most completion tokens of a stage, EOS included. */
export function completionLimit(task: Task, stage: StageConfig): number {
  if (task.fixedCompletionTokens !== undefined) return task.fixedCompletionTokens;
  return (stage.stage === 'grpo' ? stage.maxCompletionTokens : undefined) ?? task.maxCompletionTokens;
}

/** The reward functions that a stage names, with their weights. @throws ConfigError for an unknown name */
export function stageRewards(stage: GrpoStageConfig): WeightedReward[] {
  return stage.rewards.map(({ name, weight }) => ({ reward: getReward(name), weight }));
}

export function modelShape(config: RunConfig, task: Task): ModelShape {
  return { ...config.model, vocabSize: task.tokenizer.vocabSize };
}

/** How much the policy must hold for every stage of a config. @throws ConfigError where max_position_embeddings is too small */
export function planCapacity(config: RunConfig, task: Task): Capacity {
  const prompt = task.maxPromptTokens;
  const longest = Math.max(...config.stages.map((stage) => completionLimit(task, stage)), task.maxCompletionTokens);
  const { maxPositionEmbeddings } = config.model;
  if (maxPositionEmbeddings !== undefined && maxPositionEmbeddings < prompt + longest) {
    const rule = `prompt and completion take up to ${prompt + longest} tokens; use that or more, or leave the key out`;
    throw new ConfigError('context', `model.max_position_embeddings: ${maxPositionEmbeddings} — ${rule}.`);
  }
  let rows = 1;
  let groups = 1;
  let completions = 1;
  for (const stage of config.stages) {
    const perCompletion = completionLimit(task, stage) - 1;
    const samples = stage.stage === 'sft' ? 1 : stage.numGenerations;
    const groupRows = prompt + samples * perCompletion;
    const all = stage.stage === 'sft' ? stage.sequencesPerStep : stage.promptsPerStep;
    const asked = stage.stage === 'grpo' ? stage.completionsPerMicroBatch : undefined;
    const fitting = asked ? asked / samples : Math.max(1, Math.floor(MICRO_BATCH_ROWS / groupRows));
    const together = Math.min(all, fitting);
    rows = Math.max(rows, together * groupRows);
    groups = Math.max(groups, together);
    completions = Math.max(completions, stage.stage === 'grpo' ? stage.completionsPerStep : together);
  }
  completions = Math.max(completions, EVALUATION_COMPLETIONS);
  rows = Math.max(rows, completions);
  return {
    rows,
    lossRows: rows + completions,
    groups,
    completions,
    kvRows: Math.max(rows, completions * longest + prompt * Math.ceil(completions / 2)),
    context: prompt + longest,
    training: true,
    reference: config.stages.some((stage) => stage.stage === 'grpo' && stage.klCoef !== 0),
  };
}

/** Opens a policy for a config and fills it with initial weights. @throws MemoryPlanError, ConfigError */
export async function openRun(
  config: RunConfig,
  task: Task,
  backend: Backend,
  clock: () => number,
): Promise<TrainingRun> {
  for (const stage of config.stages) if (stage.stage === 'grpo') stageRewards(stage);
  const shape = modelShape(config, task);
  const policy = await Policy.open(backend, shape, planCapacity(config, task));
  policy.writeWeights(initialParameters(shape, policy.plan.slots.weights, config.seed, config.model.initializerRange));
  return { config, task, policy, position: startPosition(), clock };
}

/** Words of the sampler's Philox key for one purpose ('rollout', 'eval', …). */
export function samplingKey(seed: number, purpose: string): readonly [number, number] {
  const words = new Uint32Array(4);
  murmur3OfText(`sampling|${seed}|${purpose}`, words);
  return [(words[0] ?? 0) | 0, (words[1] ?? 0) | 0];
}

/** Runs `work` and adds its wall-clock to one activity. */
export async function timed<T>(run: TrainingRun, activity: keyof Seconds, work: () => Promise<T>): Promise<T> {
  const start = run.clock();
  try {
    return await work();
  } finally {
    run.position.seconds[activity] += (run.clock() - start) / 1000;
  }
}
