/**
 * Points 7 to 11: the loss. Ratio, objective and token weights form the policy's own term; further terms are added, and
 * the aggregation weighs all tokens.
 */
import type { CreditedGroup, Rollout } from './records.ts';
import type { Stateful } from './stateful.ts';
import type { StepContext } from './step_context.ts';
import type { TeacherTools } from './support/rollouts/teacher.ts';

/** Everything that a loss may read of one completion. Arrays are [tokens]. */
export interface LossSequence {
  readonly group: CreditedGroup;
  readonly rollout: Rollout;
  /** Under the policy that is about to change, … */
  readonly logprobs: Float32Array;
  /** … under the one that sampled: the same numbers where the update is on-policy, … */
  readonly oldLogprobs: Float32Array;
  /** … and under the reference; undefined where no term asks for it. */
  readonly refLogprobs: Float32Array | undefined;
  /** Nats. */
  readonly entropies: Float32Array;
  readonly advantages: Float32Array;
  /** Weights of the policy's own term, before any other is added; 0 where `selection` is. */
  readonly weights: Reals;
  /** Further factors of that term, which correct for a sampler that differs from the policy; absent: all 1. */
  readonly importance?: Reals;
  /** 0 where neither the policy's own term nor the entropy bonus acts; absent: they act on all tokens. */
  readonly selection?: Reals;
  /** Weight of a token's loss in the step's loss; 0 masks it. */
  readonly coefficients: Reals;
  /**
   * [tokens × vocabulary] tempered log-probs of every token at each position, if a method of the stage asks for them
   * (`distributions`), but not while a step is observed. Rows of masked tokens are undefined.
   */
  readonly distributions?: Float32Array;
  /** The same under the reference (`refDistributions`). */
  readonly refDistributions?: Float32Array;
  /** The same under reference or policy with the prompt of `LossTerm.teacherPrompt`, if a term gives one. */
  readonly teacherDistributions?: Float32Array;
  /** [tokens × hidden size] the last hidden rows, if a method asks for them (`hiddenGradients`), but not while a step is observed. */
  readonly hidden?: Float32Array;
  /** Under `models.teacher`, if a method asks for it (`teacherScores`), but not while a step is observed. */
  readonly teacher?: TeacherScores;
}

/** What a further model of the run finds of a completion. */
export interface TeacherScores {
  readonly logprobs: Float32Array;
  /** As `LossSequence.distributions`, where they are asked for (`teacherDistributions`). */
  readonly distributions?: Float32Array;
}

type Reals = Float32Array | Float64Array;

/** [tokens] of one completion; a term adds to them. */
export interface LossGradient {
  /** Shares of the step's loss. */
  readonly losses: Float64Array;
  readonly dLogprobs: Float64Array;
  readonly dEntropies: Float64Array;
  /**
   * [tokens × vocabulary] by the tempered logits u = z/T, whose log-softmax `distributions` is; there where these are.
   * Of a loss f(p): dLogits_v = p_v·(∂f/∂p_v − Σ_w p_w ∂f/∂p_w).
   */
  readonly dLogits?: Float64Array;
  /** [tokens × hidden size] by `hidden`; there where these are. */
  readonly dHidden?: Float64Array;
}

/** Sizes of one optimizer step and of the micro-batch at hand. */
export interface StepSizes {
  /** Completions of the step, those with every token masked included. */
  readonly completions: number;
  /** Tokens of the step that carry a loss. */
  readonly lossTokens: number;
  /** Those that the policy's own term acts on, if a credit step selects; absent: all. */
  readonly selectedTokens?: number;
  /** `max_completion_length`. */
  readonly maxCompletionTokens: number;
  readonly microBatches: number;
  /** Tokens of this micro-batch that carry a loss. */
  readonly microLossTokens: number;
}

/** What a loss may read besides the completion: the step's sizes, and the stage's ratio and objective. */
export interface LossContext extends StepContext {
  readonly sizes: StepSizes;
  /** The stage's. */
  readonly ratio: Ratio;
  /** The stage's objective, which makes the policy's own term token by token or as a whole. */
  readonly objective: Objective;
}

/**
 * What a token's share of the loss may depend on. Up to `group`, `add` sees all of it. `batch` is for statistics of the
 * whole optimizer step: `observe` is then called before the first micro-batch.
 */
export type Coupling = 'token' | 'sequence' | 'group' | 'batch';

/** A part that sees the whole optimizer step before its first micro-batch. */
export interface BatchObserver {
  /** Called with the step's credited groups, which cost nothing, for statistics without current log-probs. */
  begin?(groups: readonly CreditedGroup[], context: StepContext): void;
  /**
   * For the coupling `batch`: all completions that move the weights, scored before the step. It costs nothing on-policy
   * or with a single micro-batch, otherwise a scoring pass.
   */
  observe?(sequences: readonly LossSequence[], context: LossContext): void;
}

/** A term's settings of the engine's objective kernel; absent settings are off. */
export interface DeviceObjective {
  /** Settings of the kernel `policyObjective`, by its names. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Weight of the entropy of each token that carries a loss and is selected. */
  entropyCoefficient?(sizes: StepSizes): number;
}

/** A prompt and tokens after it that a term trains on in addition to the rollouts. */
export interface TrainedText {
  readonly prompt: Int32Array;
  /** Tokens between the two, without a loss; consecutive texts with an equal prompt then share its rows. */
  readonly behind?: Int32Array;
  /** Tokens with a loss, unless `labels` marks them as given. */
  readonly tokens: Int32Array;
  /** [tokens] of TOKEN; consecutive texts with an equal prompt then share its rows. */
  readonly labels?: Uint8Array;
}

/** The same under the policy that is about to change. Arrays are [tokens]. */
export interface ScoredText extends TrainedText {
  readonly logprobs: Float32Array;
  /** Nats. */
  readonly entropies: Float32Array;
}

/** Sources of a term's own texts. */
export interface TextSources extends StepContext {
  /**
   * Demonstrations of problems that the run has drawn so far, including in supervised stages: at random, with
   * replacement.
   */
  demonstrations(count: number): readonly TrainedText[];
  /** A word of its `words` in tokens. */
  wordTokens(word: string): Int32Array;
}

/** Point 10: a further term of the loss, whose losses and derivatives are added to the policy's own. */
export interface LossTerm extends Stateful, BatchObserver {
  readonly coupling: Coupling;
  /**
   * The prompt under which the reference, as a better-informed teacher, or the policy itself (`teacher`) scores a
   * completion; undefined if there is nothing to learn. It needs `shownTexts`, and one of `furtherPrompts` for each
   * completion. Only one term of a stage may have it.
   */
  teacherPrompt?(group: CreditedGroup, rollout: Rollout, tools: TeacherTools): Int32Array | undefined;
  /** Which model scores under `teacherPrompt`; by default the reference. */
  readonly teacher?: 'policy';
  /** Adds losses and derivatives of one micro-batch, one entry per completion: whole groups, where the coupling is `group`. */
  add(sequences: readonly LossSequence[], gradients: readonly LossGradient[], context: LossContext): void;
  /** Its own texts for this optimizer step (`demonstrations`), called once; they take a forward and backward pass. */
  texts?(sources: TextSources): readonly TrainedText[];
  /** Adds losses and derivatives of some of these texts, one entry each. */
  addTexts?(texts: readonly ScoredText[], gradients: readonly LossGradient[], context: StepContext): void;
  /** Its slope is not the derivative of its loss: part of the formula is treated as a constant. */
  readonly stopsGradient?: true;
  /** It moves the weights even if every advantage is 0. */
  readonly actsWithoutAdvantage?: true;
  /** What it learns needs no rewards, so a batch is trained on even if all of its groups are dead. */
  readonly learnsWithoutRewards?: true;
  /**
   * The kernel computes the same. If this holds for every term of a stage, nothing is read back before the backward
   * pass.
   */
  readonly device?: DeviceObjective;
  /** For the metrics. */
  readonly measures?: Measures;
  /** Called after the last micro-batch of an optimizer step. @returns numbers for the metrics, by their names there */
  afterUpdate?(seen: UpdateSeen): Readonly<Record<string, number>> | undefined;
}

/** What the terms of a loss see of an optimizer step. */
export interface UpdateSeen {
  /** Nats: mean over the tokens that the policy's own term acts on. */
  readonly entropy: number;
}

/** What a part measures of the completions of an update, for metrics.jsonl. */
export interface Measures {
  /** Names of metrics that are 0 if all ratios are 1, as on-policy; they are then logged without being measured. */
  readonly zeroOnPolicy?: readonly string[];
  /** Adds one completion to the meter. */
  add(sequence: LossSequence, meter: Meter, context: LossContext): void;
}

/** Collects the metrics of a step, by their names in metrics.jsonl. */
export interface Meter {
  /** Adds to a mean: `sum` over `count` items. */
  mean(name: string, sum: number, count: number): void;
  sum(name: string, value: number): void;
  least(name: string, value: number): void;
  most(name: string, value: number): void;
}

/**
 * Turns log-ratios of tokens into the one that a surrogate sees, and spreads derivatives back. Masked tokens, with
 * coefficient 0, have none.
 */
export interface Ratio {
  /** Writes the log of the ratio at each token. */
  measure(sequence: RatioSequence, logRatios: Float64Array): void;
  /** Adds the derivatives by these log-ratios to `dLogprobs`. */
  spread(sequence: RatioSequence, slopes: Float64Array, dLogprobs: Float64Array): void;
  /** All tokens of a completion have the same ratio, so metrics count completions. */
  readonly isPerSequence?: true;
  /** The gradient intentionally differs from the value's. */
  readonly stopsGradient?: true;
  /** The engine's kernel has this one. */
  readonly onDevice?: true;
}

/** What a ratio reads of a completion; arrays are [tokens]. */
export type RatioSequence = Pick<LossSequence, 'logprobs' | 'oldLogprobs' | 'coefficients' | 'advantages'>;

/** The policy's own term: token by token, or a whole term if completions of a group depend on each other. */
export type Objective = Surrogate | LossTerm;

/** The token at which a surrogate is evaluated. */
export interface SurrogatePoint {
  /** Log of the stage's ratio, within ±20; that of a token is logprob − oldLogprob. */
  logRatio: number;
  logprob: number;
  oldLogprob: number;
  advantage: number;
}

/** The value of a surrogate and its derivatives; both are 0 when it is called. */
export interface SurrogateValue {
  loss: number;
  /** By the log-ratio. */
  slope: number;
  /** By the token's own log-prob, with the ratio as a constant. */
  logprobSlope: number;
}

/** The policy's own term, token by token. */
export interface Surrogate extends Pick<LossTerm, 'device' | 'actsWithoutAdvantage'> {
  at(point: Readonly<SurrogatePoint>, out: SurrogateValue): void;
  /** The ratio is treated as a constant: `slope` stays 0. */
  readonly stopsGradient?: true;
  /** Its own ratio, which replaces the stage's. */
  readonly ratio?: Ratio;
  /** Importance weights join the log of its ratio instead of multiplying its loss. */
  readonly importanceInRatio?: true;
  /** Which bound of the clip decides the value, if one does. */
  clipped?(point: Readonly<SurrogatePoint>): 'low' | 'high' | undefined;
  /** TRL's names of what `clipped` counts; default `clip_ratio/…`. */
  readonly clipMetric?: string;
  /** A further bound; its metric is the share of the loss tokens at which it decides. */
  readonly cap?: { readonly name: string; holds(point: Readonly<SurrogatePoint>): boolean };
  /** A metric of each completion, read at its first token with a loss. */
  readonly gauge?: { readonly name: string; at(point: Readonly<SurrogatePoint>): number };
}

/** [tokens] of one completion; all 1 at first, methods multiply. */
export interface TokenWeights {
  /** Weights of the policy's own term. */
  readonly weights: Float64Array;
  /** See LossSequence. */
  readonly importance: Float64Array;
}

/** Weighs the policy's own term at each update, by the current log-probs; other terms, such as KL, do not change. */
export interface TokenWeight extends Stateful, BatchObserver {
  readonly coupling: Coupling;
  /** One micro-batch: whole groups, one entry per completion. */
  weigh(sequences: readonly LossSequence[], weights: readonly TokenWeights[], context: LossContext): void;
  /** Every weight is 1 while the policy is the one that sampled, so it is not called. */
  readonly offPolicyOnly?: true;
  /** Every weight is always 1, so it is not called. */
  readonly isIdle?: true;
  readonly measures?: Measures;
}

/**
 * Weight of one unmasked token in the step's loss.
 * @param tokens  unmasked tokens of its completion, at least 1
 */
export type Aggregation = (tokens: number, sizes: StepSizes, place: CompletionPlace) => number;

/** A completion's place in the step. */
export interface CompletionPlace {
  /** Groups of the step, those without a gradient included. */
  readonly groups: number;
  /** Tokens of its group that carry a loss. */
  readonly groupTokens: number;
  /** Sum of its tokens' weights by credit steps; `tokens` if there are none. */
  readonly tokenWeight: number;
}
