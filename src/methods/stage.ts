/**
 * A resolved stage, in parts, so that each function takes only what it reads. Plain JSON.
 *
 * Methods are opaque here: `methods` holds names and options by YAML key, and only a method's file knows their meaning.
 */
import type { Plugin } from '../options/keys.ts';

/** How many completions are sampled at a time, and how many optimizer steps they give. */
export interface BatchConfig {
  /** Completions of a prompt: a group (`num_generations`). */
  readonly numGenerations: number;
  /** Completions sampled at a time (`generation_batch_size`); a multiple of `numGenerations`. */
  readonly completionsPerStep: number;
  /** Groups sampled at a time: completionsPerStep / numGenerations. */
  readonly promptsPerStep: number;
  /** Completions through the model at once (`per_device_train_batch_size`), whole groups or an equal part of one; absent: what fits. */
  readonly completionsPerMicroBatch?: number;
  /** Optimizer steps on one generation batch in one iteration; 1 is exactly on-policy. */
  readonly optimizerStepsPerGeneration: number;
  /** Passes over the same completions (`num_iterations`). */
  readonly numIterations: number;
}

/** How completions are sampled. `null` is off. */
export interface SamplingConfig {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly minP: number | null;
  /** Rollouts come from a copy of the weights in fewer bits (`quantised_rollout`); absent: they come from the weights. */
  readonly quantisedRollout?: boolean;
  /** Longest completion in tokens, EOS included; absent: the task's own limit. */
  readonly maxCompletionTokens?: number;
}

/** The length of a stage, its learning rate and its optimizer. */
export interface OptimizerConfig {
  /** Optimizer steps of the stage. */
  readonly maxSteps: number;
  /** Passes over its rows (`num_train_epochs`): until they are read, `maxSteps` is the most that there may be. */
  readonly epochs?: number;
  /** Peak of the schedule. */
  readonly learningRate: number;
  readonly learningRateSchedule: 'linear' | 'cosine' | 'cosine_with_min_lr' | 'constant' | 'constant_with_warmup';
  /** Last learning rate as a fraction of the peak, 0 to 1 (`lr_scheduler_kwargs.min_lr_rate`). */
  readonly minLearningRateRatio: number;
  /** Optimizer steps of warm-up: whole, at most `maxSteps`; with `epochs`, as written. */
  readonly warmupSteps: number;
  /** What steps the matrices of the layers; absent: AdamW, which steps everything else too. */
  readonly optim?: 'muon';
  /** Decay of Muon's momentum, in [0, 1); there with `optim: muon` alone. */
  readonly muonMomentum?: number;
  readonly weightDecay: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly adamEps: number;
  /** 0: no clipping */
  readonly maxGradNorm: number;
}

/** When held-out problems are asked, and how many times each. */
export interface EvaluationConfig {
  /** Optimizer steps from one evaluation to the next; 0 is off. */
  readonly evalSteps: number;
  /** Sampled completions of a held-out problem (`num_generations_eval`). */
  readonly samples: number;
  /** Held-out problems that are asked, at most (`eval_samples`); absent: all. */
  readonly problems?: number;
  /** What divides the logits of those samples (`eval_temperature`); absent: as in the stage. */
  readonly evalTemperature?: number;
}

/** A reward function, the weight of its score (0: only logged), and its options. */
export type RewardConfig = Plugin & { readonly weight: number };

/** The points at which a method enters a step, in the order in which a step meets them. */
export const METHOD_POINTS = [
  'promptSource',
  'rolloutStrategies',
  'tokenControls',
  'groupSteps',
  'advantageEstimator',
  'creditSteps',
  'ratio',
  'objective',
  'tokenWeights',
  'lossTerms',
  'aggregation',
  'controllers',
  'evaluationFigures',
] as const;

export type MethodPoint = (typeof METHOD_POINTS)[number];

/** The methods of a stage by point, in the order in which they act; every option is written out. */
export type MethodsConfig = Readonly<Record<MethodPoint, readonly Plugin[]>>;

/** One value for every point. */
export function eachPoint<T>(valueAt: (point: MethodPoint) => T): Readonly<Record<MethodPoint, T>> {
  return Object.fromEntries(METHOD_POINTS.map((point) => [point, valueAt(point)])) as Record<MethodPoint, T>; // all of them
}

/** How often a stage draws problems of each task, by label; absent: the run's weights. */
export type TaskWeights = Readonly<Record<string, number>>;

/** A reinforcement stage. */
export interface GrpoStageConfig {
  readonly stage: 'grpo';
  readonly batch: BatchConfig;
  readonly sampling: SamplingConfig;
  readonly optimizer: OptimizerConfig;
  readonly evaluation: EvaluationConfig;
  readonly rewards: readonly RewardConfig[];
  /** By reward name: the total for a completion to which it gives 0 or less. Absent: no gate. */
  readonly rewardGate?: Readonly<Record<string, number>>;
  /**
   * If a reward is not a valid number, the run stops, or the completion is excluded from baseline and loss. Absent:
   * stop.
   */
  readonly rewardOnError?: 'stop' | 'exclude';
  /** Batches sampled ahead of the one trained on; absent: none, so that every batch is on-policy at its first step. */
  readonly staleness?: number;
  readonly taskWeights?: TaskWeights;
  /** Whether the moments of the optimizer are zero as the stage begins; absent: they are those of the stage before. */
  readonly resetOptimizer?: boolean;
  readonly methods: MethodsConfig;
}

/** Users' rows that a supervised stage shows. */
export interface ShownRows {
  readonly train: readonly string[];
  /** The data set of the Hugging Face hub that the files, or splits, are in. */
  readonly hub?: string;
  /** Which of its configurations the splits are of. */
  readonly hub_config?: string;
}

/** A supervised stage. */
export interface SftStageConfig {
  readonly stage: 'sft';
  /** Instead of the task's demonstrations. */
  readonly rows?: ShownRows;
  readonly batch: {
    /** Demonstrations in an optimizer step (`per_device_train_batch_size`). */
    readonly sequencesPerStep: number;
  };
  /** Replaces the task's demonstrations of multi-turn problems; every option is written out. */
  readonly demonstrations?: Plugin;
  /** Share of demonstrations in the forms of methods of later stages (`form_share`); absent: a quarter. */
  readonly formShare?: number;
  /** Whether the errors of an environment's teacher are learned too (`learn_errors`); absent: they are. */
  readonly learnErrors?: boolean;
  readonly taskWeights?: TaskWeights;
  /** Whether the moments of the optimizer are zero as the stage begins; absent: they are those of the stage before. */
  readonly resetOptimizer?: boolean;
  readonly optimizer: OptimizerConfig;
  readonly evaluation: EvaluationConfig;
}

/** One stage of a run. */
export type StageConfig = SftStageConfig | GrpoStageConfig;
