/**
 * Points 7 to 11: the loss. The policy's own term is made of ratio, objective and token weights; further terms add up
 * with it, and the aggregation weighs their tokens.
 */
import type { CreditedGroup, Rollout } from './records.ts';
import type { Stateful } from './stateful.ts';
import type { StepContext } from './step_context.ts';
import type { TeacherTools } from './support/rollouts/teacher.ts';

/** Everything that a loss may know of one completion. Arrays are [tokens]. */
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
  /** Further factors of that term, which undo that what was sampled is not quite the policy; absent: all 1. */
  readonly importance?: Reals;
  /** 0 where neither the policy's own term nor the entropy bonus acts; absent: they act on all tokens. */
  readonly selection?: Reals;
  /** Weight of a token's loss in the step's loss; 0 masks it. */
  readonly coefficients: Reals;
  /**
   * [tokens × vocabulary] tempered log-probs of every token at each place, where a method of the stage asks for them
   * (`distributions`) and not while a step is observed. Rows of masked tokens mean nothing.
   */
  readonly distributions?: Float32Array;
  /** The same under the reference (`refDistributions`). */
  readonly refDistributions?: Float32Array;
  /** The same under the reference, or the policy, under the prompt of `LossTerm.teacherPrompt`; there where a term gives one. */
  readonly teacherDistributions?: Float32Array;
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
}

/** Sizes of one optimizer step and of the micro-batch at hand. */
export interface StepSizes {
  /** Completions of the step, those with every token masked included. */
  readonly completions: number;
  /** Tokens of the step that carry a loss. */
  readonly lossTokens: number;
  /** Those of them that the policy's own term acts on, where a credit step selects; absent: all. */
  readonly selectedTokens?: number;
  /** `max_completion_length`. */
  readonly maxCompletionTokens: number;
  readonly microBatches: number;
  /** Tokens of this micro-batch that carry a loss. */
  readonly microLossTokens: number;
}

/** What a loss may know besides the completion: the step's sizes, and the stage's ratio and objective. */
export interface LossContext extends StepContext {
  readonly sizes: StepSizes;
  /** The stage's. */
  readonly ratio: Ratio;
  /** The stage's: what makes the policy's own term, token by token or as a whole. */
  readonly objective: Objective;
}

/**
 * What a token's share of the loss may depend on. What needs no more than its group sees it whole in `add`. `batch` is
 * for what needs statistics of the whole optimizer step: `observe` is called before the first micro-batch.
 */
export type Coupling = 'token' | 'sequence' | 'group' | 'batch';

/** A part that looks at the whole optimizer step before its first micro-batch. */
export interface BatchObserver {
  /** The groups of the step, as they were credited: what needs no log-prob of today is known from them for nothing. */
  begin?(groups: readonly CreditedGroup[], context: StepContext): void;
  /**
   * For the coupling `batch`: all completions that move the weights, as they are before the step. It costs nothing
   * on-policy or with a single micro-batch, else a scoring pass.
   */
  observe?(sequences: readonly LossSequence[], context: LossContext): void;
}

/** What the engine's own objective kernel computes of a term; absent settings are off. */
export interface DeviceObjective {
  /** Settings of the kernel `policyObjective`, by its names. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Weight of the entropy of each token that carries a loss and is selected. */
  entropyCoefficient?(sizes: StepSizes): number;
}

/** A prompt and tokens after it that a term trains on beside the rollouts. */
export interface TrainedText {
  readonly prompt: Int32Array;
  /** What comes between the two and carries no loss; texts one after the other of an equal prompt then share its rows. */
  readonly behind?: Int32Array;
  /** Each of them carries a loss, or those that `labels` does not give. */
  readonly tokens: Int32Array;
  /** [tokens] of TOKEN; texts one after the other of an equal prompt then share its rows. */
  readonly labels?: Uint8Array;
}

/** The same under the policy that is about to change. Arrays are [tokens]. */
export interface ScoredText extends TrainedText {
  readonly logprobs: Float32Array;
  /** Nats. */
  readonly entropies: Float32Array;
}

/** Where a term's own texts come from. */
export interface TextSources extends StepContext {
  /** Demonstrations of problems that the run has drawn so far, its supervised stages included: at random, with replacement. */
  demonstrations(count: number): readonly TrainedText[];
  /** A word of its `words` in tokens. */
  wordTokens(word: string): Int32Array;
}

/** Point 10: a further term of the loss, beside the policy's own; their losses and derivatives are added up. */
export interface LossTerm extends Stateful, BatchObserver {
  readonly coupling: Coupling;
  /**
   * The prompt under which the reference reads a completion, as a teacher that knows more (`shownTexts`, and one of
   * `furtherPrompts` for each completion), or the policy itself (`teacher`); undefined where there is nothing to learn. Of one
   * term of a stage.
   */
  teacherPrompt?(group: CreditedGroup, rollout: Rollout, tools: TeacherTools): Int32Array | undefined;
  /** Who reads under `teacherPrompt`; by default the reference. */
  readonly teacher?: 'policy';
  /** Adds losses and derivatives of one micro-batch, one entry per completion: whole groups, where the coupling is `group`. */
  add(sequences: readonly LossSequence[], gradients: readonly LossGradient[], context: LossContext): void;
  /** Texts of its own for this optimizer step (`demonstrations`): asked once, a forward and backward pass of theirs. */
  texts?(sources: TextSources): readonly TrainedText[];
  /** Adds losses and derivatives of some of these texts, one entry each. */
  addTexts?(texts: readonly ScoredText[], gradients: readonly LossGradient[], context: StepContext): void;
  /** Its slope is not the derivative of its loss: part of the formula is taken as a constant. */
  readonly stopsGradient?: true;
  /** It moves the weights where every advantage is 0, too. */
  readonly actsWithoutAdvantage?: true;
  /** The kernel computes the same. Where every term of a stage says so, nothing is read back before the backward pass. */
  readonly device?: DeviceObjective;
  /** For the metrics. */
  readonly measures?: Measures;
  /** After the last micro-batch of an optimizer step. @returns numbers for the metrics, by their names there */
  afterUpdate?(seen: UpdateSeen): Readonly<Record<string, number>> | undefined;
}

/** What the terms of a loss see of an optimizer step. */
export interface UpdateSeen {
  /** Nats: mean over the tokens that the policy's own term acts on. */
  readonly entropy: number;
}

/** What a part measures of the completions of an update, for metrics.jsonl. */
export interface Measures {
  /** They are 0 wherever all ratios are 1, as on-policy; these names are then logged without being measured. */
  readonly zeroOnPolicy?: readonly string[];
  /** Tells the meter of one completion. */
  add(sequence: LossSequence, meter: Meter, context: LossContext): void;
}

/** Gathers the metrics of a step from its completions, by their names in metrics.jsonl. */
export interface Meter {
  /** A mean over all that is counted: `sum` over `count` of it. */
  mean(name: string, sum: number, count: number): void;
  sum(name: string, value: number): void;
  least(name: string, value: number): void;
  most(name: string, value: number): void;
}

/** From log-ratios of tokens to the one that a surrogate sees, and back. Masked tokens, of coefficient 0, have none. */
export interface Ratio {
  /** Writes the log of the ratio at each token. */
  measure(sequence: RatioSequence, logRatios: Float64Array): void;
  /** Adds to `dLogprobs` what derivatives by these log-ratios come to. */
  spread(sequence: RatioSequence, slopes: Float64Array, dLogprobs: Float64Array): void;
  /** All tokens of a completion have the same: metrics count completions. */
  readonly isPerSequence?: true;
  /** The gradient is not that of the value, by intent. */
  readonly stopsGradient?: true;
  /** The engine's kernel has this one. */
  readonly onDevice?: true;
}

/** What a ratio reads of a completion; arrays are [tokens]. */
export type RatioSequence = Pick<LossSequence, 'logprobs' | 'oldLogprobs' | 'coefficients' | 'advantages'>;

/** The policy's own term: token by token, or a whole term where completions of a group depend on each other. */
export type Objective = Surrogate | LossTerm;

/** Where a surrogate is evaluated: one token. */
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
  /** By the token's own log-prob, the ratio taken as a constant. */
  logprobSlope: number;
}

/** The policy's own term, token by token. */
export interface Surrogate extends Pick<LossTerm, 'device' | 'actsWithoutAdvantage'> {
  at(point: Readonly<SurrogatePoint>, out: SurrogateValue): void;
  /** The ratio is taken as a constant: `slope` stays 0. */
  readonly stopsGradient?: true;
  /** A ratio of its own in the place of the stage's. */
  readonly ratio?: Ratio;
  /** Importance weights go into the log of its ratio, not before its loss. */
  readonly importanceInRatio?: true;
  /** Which bound of the clip decides the value, where one does. */
  clipped?(point: Readonly<SurrogatePoint>): 'low' | 'high' | undefined;
  /** TRL's names of what `clipped` counts; default `clip_ratio/…`. */
  readonly clipMetric?: string;
  /** A further bound, by the name of its metric: the share of the loss tokens at which it decides. */
  readonly cap?: { readonly name: string; holds(point: Readonly<SurrogatePoint>): boolean };
  /** A number of each completion for the metrics, by its name; of its first token that carries a loss. */
  readonly gauge?: { readonly name: string; at(point: Readonly<SurrogatePoint>): number };
}

/** [tokens] of one completion; all 1 at first, methods multiply. */
export interface TokenWeights {
  /** Weights of the policy's own term. */
  readonly weights: Float64Array;
  /** See LossSequence. */
  readonly importance: Float64Array;
}

/** Weighs the policy's own term at each update, by the log-probs as they are; a term like KL is not touched. */
export interface TokenWeight extends Stateful, BatchObserver {
  readonly coupling: Coupling;
  /** One micro-batch: whole groups, one entry per completion. */
  weigh(sequences: readonly LossSequence[], weights: readonly TokenWeights[], context: LossContext): void;
  /** Every weight is 1 while the policy is the one that sampled: it is not asked. */
  readonly offPolicyOnly?: true;
  /** Every weight is 1, always: it is not asked. */
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
  /** Sum of what credit steps weigh its tokens by: `tokens`, where none does. */
  readonly tokenWeight: number;
}
