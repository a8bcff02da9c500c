/** The resolved stages, and the rules that combine several of their keys. */

import type { KeyTable, Plugin, Values } from '../options/keys.ts';
import { rewardLabel } from '../rewards/module_file.ts';
import { resolveBatch } from './batch_config.ts';
import { GRPO_KEYS } from './grpo_keys.ts';
import type { Section } from './section.ts';
import { SFT_KEYS, type SHARED_KEYS } from './stage_keys.ts';

type SharedValues = Values<typeof SHARED_KEYS>;
type GrpoValues = Values<typeof GRPO_KEYS>;

/** Shared keys whose value in the YAML is their value in the config. */
export const OPTIMIZER_PLAIN = [
  'learningRateSchedule',
  'weightDecay',
  'beta1',
  'beta2',
  'adamEps',
  'maxGradNorm',
] as const satisfies readonly (keyof SharedValues)[];

/** What every stage has: its length, learning rate, optimizer and evaluation. */
export type OptimizerConfig = Pick<SharedValues, (typeof OPTIMIZER_PLAIN)[number]> & {
  /** Optimizer steps of the stage. */
  readonly maxSteps: number;
  /** Peak of the schedule. */
  readonly learningRate: number;
  /** Last learning rate as a fraction of the peak, 0 to 1 (`lr_scheduler_kwargs.min_lr_rate`). */
  readonly minLearningRateRatio: number;
  /** Optimizer steps of warm-up: whole, at most `maxSteps`. */
  readonly warmupSteps: number;
  /** Optimizer steps from one evaluation to the next; 0 is off. */
  readonly evalSteps: number;
};

/** A supervised stage. */
export type SftStageConfig = OptimizerConfig & {
  readonly stage: 'sft';
  /** Demonstrations in an optimizer step (`per_device_train_batch_size`). */
  readonly sequencesPerStep: number;
};

/** A reward function, the weight of its score (0: only logged), and its options. */
export type RewardConfig = Plugin & { readonly weight: number };

/** Keys of a grpo stage whose value in the YAML is their value in the config. */
export const GRPO_PLAIN = [
  'numGenerations',
  'numGenerationsEval',
  'numIterations',
  'temperature',
  'topK',
  'topP',
  'minP',
  'scaleRewards',
  'maskTruncatedCompletions',
  'objective',
  'klCoef',
  'clipEpsilonLow',
  'clipDelta',
  'entropyCoef',
  'dynamicSampling',
] as const satisfies readonly (keyof GrpoValues)[];

/** A reinforcement stage. `null` is off; an absent key is left to the task or to the memory plan. */
export type GrpoStageConfig = OptimizerConfig &
  Pick<GrpoValues, (typeof GRPO_PLAIN)[number]> & {
    readonly stage: 'grpo';
    /** Completions sampled at a time (`generation_batch_size`); a multiple of `numGenerations`. */
    readonly completionsPerStep: number;
    /** Groups sampled at a time: completionsPerStep / numGenerations. */
    readonly promptsPerStep: number;
    /** Completions through the model at once (`per_device_train_batch_size`), whole groups; absent: what fits. */
    readonly completionsPerMicroBatch?: number;
    /** Optimizer steps on one generation batch in one iteration; 1 is exactly on-policy. */
    readonly optimizerStepsPerGeneration: number;
    /** Longest completion in tokens, EOS included; absent: the task's own limit. */
    readonly maxCompletionTokens?: number;
    readonly rewards: readonly RewardConfig[];
    /** The ratio is clipped above 1 + clipEpsilonHigh. */
    readonly clipEpsilonHigh: number;
  };

/** One stage of a run. */
export type StageConfig = SftStageConfig | GrpoStageConfig;

/** The table of each kind of stage. */
export const STAGE_KEYS = { sft: SFT_KEYS, grpo: GRPO_KEYS } satisfies Record<StageConfig['stage'], KeyTable>;

/** A section with at least the keys of every stage. */
type AnyStage = Section<typeof SFT_KEYS> | Section<typeof GRPO_KEYS>;

/** Fills in a supervised stage. */
export function resolveSft(section: Section<typeof SFT_KEYS>): SftStageConfig {
  return { stage: 'sft', ...resolveOptimizer(section), sequencesPerStep: section.values.sequencesPerStep };
}

/** Fills in a reinforcement stage and reports combinations of keys that cannot work. */
export function resolveGrpo(section: Section<typeof GRPO_KEYS>): GrpoStageConfig {
  const { values } = section;
  const clipEpsilonHigh = values.clipEpsilonHigh ?? values.clipEpsilonLow;
  checkDelta(section, clipEpsilonHigh);
  return {
    stage: 'grpo',
    ...resolveOptimizer(section),
    ...resolveBatch(section),
    ...pick(values, GRPO_PLAIN),
    ...(values.maxCompletionTokens !== undefined && { maxCompletionTokens: values.maxCompletionTokens }),
    rewards: resolveRewards(section),
    clipEpsilonHigh,
  };
}

function pick<T extends object, const N extends keyof T>(values: T, names: readonly N[]): Pick<T, N> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<T, N>; // exactly those names
}

function resolveOptimizer(section: AnyStage): OptimizerConfig {
  const { values } = section;
  if (section.sound('maxSteps') && values.maxSteps === undefined) {
    section.refuse('maxSteps', 'the training stream is endless; give the number of optimizer steps, for example 300');
  }
  const maxSteps = values.maxSteps ?? 0; // 0 was just reported, so it never leaves parseConfig
  checkSchedule(section);
  return {
    ...pick(values, OPTIMIZER_PLAIN),
    maxSteps,
    learningRate: values.learningRate,
    minLearningRateRatio: values.scheduleOptions?.min_lr_rate ?? 0,
    warmupSteps: resolveWarmup(section, maxSteps),
    evalSteps: values.evalStrategy === 'no' ? 0 : values.evalSteps,
  };
}

function checkSchedule(section: AnyStage): void {
  const { learningRateSchedule: schedule, scheduleOptions, warmupSteps } = section.values;
  if (!section.sound('learningRateSchedule', 'scheduleOptions')) return;
  const ratio = scheduleOptions?.min_lr_rate;
  if (ratio !== undefined && (schedule === 'constant' || schedule === 'constant_with_warmup')) {
    section.refuse('scheduleOptions', `${schedule} never falls, so min_lr_rate means nothing; use linear or cosine`);
  }
  if (ratio === undefined && schedule === 'cosine_with_min_lr') {
    section.refuse('learningRateSchedule', 'needs its floor; add lr_scheduler_kwargs: {min_lr_rate: 0.1}');
  }
  if (section.sound('warmupSteps') && warmupSteps > 0 && schedule === 'constant') {
    section.refuse('warmupSteps', 'a constant schedule has no warm-up; use constant_with_warmup, or 0');
  }
}

/** Whole steps: a fraction below 1 counts in parts of the stage and is rounded up, as in transformers. */
function resolveWarmup(section: AnyStage, maxSteps: number): number {
  const { warmupSteps } = section.values;
  if (!section.sound('warmupSteps', 'maxSteps')) return 0;
  if (warmupSteps < 1) return Math.ceil(warmupSteps * maxSteps);
  if (!Number.isInteger(warmupSteps)) {
    section.refuse('warmupSteps', `neither a fraction below 1 nor whole steps; use ${Math.round(warmupSteps)}`);
  } else if (warmupSteps > maxSteps) {
    section.refuse('warmupSteps', `longer than the stage (max_steps ${maxSteps}); use a fraction such as 0.05`);
  }
  return warmupSteps;
}

function checkDelta(section: Section<typeof GRPO_KEYS>, clipEpsilonHigh: number): void {
  const { clipDelta } = section.values;
  if (!section.sound('clipEpsilonLow', 'clipEpsilonHigh', 'clipDelta') || clipDelta === null) return;
  if (clipDelta <= 1 + clipEpsilonHigh) {
    const bound = Number((1 + clipEpsilonHigh).toPrecision(12)); // 1.28, not 1.2800000000000002
    section.refuse('clipDelta', `must exceed 1 + epsilon_high (${bound}), or it undoes the clip; for example 4`);
  }
}

function resolveRewards(section: Section<typeof GRPO_KEYS>): RewardConfig[] {
  const { rewardFunctions = [], rewardWeights } = section.values;
  if (!section.sound('rewardFunctions', 'rewardWeights')) return [];
  const names = rewardFunctions.map(rewardLabel);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) section.refuse('rewardFunctions', `${twice} is listed twice; keep one`);
  if (rewardWeights !== undefined) {
    if (rewardWeights.length !== names.length) {
      const counts = `${rewardWeights.length} weights for ${names.length} reward functions (${names.join(', ')})`;
      section.refuse('rewardWeights', `${counts}; give one weight each`);
    } else if (rewardFunctions.some((reward) => reward.weight !== undefined)) {
      section.refuse('rewardWeights', 'reward_funcs already gives weights; keep them in one place');
    }
  }
  const rewards = rewardFunctions.map(
    (reward, index): RewardConfig => ({ ...reward, weight: reward.weight ?? rewardWeights?.[index] ?? 1 }),
  );
  if (rewards.every((reward) => reward.weight === 0)) {
    const name = rewardWeights === undefined ? 'rewardFunctions' : 'rewardWeights';
    section.refuse(name, 'all weights are 0, so nothing is rewarded; give one a positive weight');
  }
  return rewards;
}
