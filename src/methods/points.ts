/**
 * The thirteen points at which a method enters a step, in the order in which a step meets them.
 *
 *   prompts   1 PromptSource        which problems are asked, and how often each
 *   sampling  2 RolloutStrategy     what happens around plain sampling: refill, and programs of several phases
 *             3 TokenControl        ends a completion, heats it, or puts tokens into it, while it is sampled
 *             4 GroupStep           what becomes of sampled groups before they are credited
 *   credit    5 AdvantageEstimator  rewards → advantages; says which groups are dead
 *             6 CreditStep          shapes and masks what was credited
 *   loss      7 Ratio               what the policy's ratio is of: a token, a completion, …
 *             8 Objective           what the policy's own term makes of ratio and advantage
 *             9 TokenWeight         weighs and masks that term alone, at each update
 *            10 LossTerm            the policy's own and further terms, which add up to the loss
 *            11 Aggregation         the weight of a token in the step's loss
 *   after    12 Controller          acts on the run after a step
 *            13 EvaluationFigure    one number of an evaluation
 *
 * A part computes in float64 on plain arrays of whole completions. None sees the policy or a kernel; what the engine
 * computes by itself (`device`) is said in settings.
 */

import type { TaskItem } from '../data/task.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { GroupRequest } from './group_request.ts';
import type { FollowUpTurn, ParameterSet, StepContext } from './method.ts';
import type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics } from './records.ts';
import type { Stateful } from './stateful.ts';
import type { Estimate } from './statistics.ts';
import type { TeacherTools } from './teacher.ts';

export type { GroupRequest } from './group_request.ts';
export type { PartialCompletion, TokenControl } from './token_control.ts';

/** The next problems of the source before this one; of the first, of the task's endless training stream. */
export type DrawItems = (count: number) => Promise<readonly TaskItem[]>;

/** What a prompt source may ask for while it chooses problems. */
export interface SourceTools extends StepContext {
  /** The same problem under another prompt; undefined where its task cannot say it otherwise. */
  twin(item: TaskItem): TaskItem | undefined;
  /**
   * [items][samples] verdicts of completions that are not trained on: sampled as the stage samples, or the one greedy
   * completion. Their tokens count as sampled.
   */
  attempt(
    items: readonly TaskItem[],
    how: { readonly samples: number } | 'greedy',
  ): Promise<readonly (readonly Verdict[])[]>;
}

/** Point 1: which problems are asked. Several stand in a row; the first draws from the task's endless stream. */
export interface PromptSource extends Stateful {
  /** The next `count` problems. Of several sources in a row, each draws from the one before it, more than it asks perhaps. */
  next(count: number, draw: DrawItems, tools: SourceTools): readonly TaskItem[] | Promise<readonly TaskItem[]>;
}

/** Samples, verifies and rewards the requests: one group each, in order. */
export type RollOut = (requests: readonly GroupRequest[]) => Promise<readonly RolloutGroup[]>;

/** What a rollout strategy may ask for. Texts are given in tokens of the run's codec. */
export interface RolloutTools extends StepContext {
  /** Requests for the next `count` problems of the stage's prompt sources. */
  draw(count: number): Promise<readonly GroupRequest[]>;
  /** A right answer in tokens, without an end; none of it where the task knows none. */
  solution(item: TaskItem): Int32Array;
  /** Right answers in tokens, that one first; not all of them where there are many. */
  solutions(item: TaskItem): readonly Int32Array[];
  /** What helps with a problem, from little to much, in tokens; none where its task gives no hints. */
  hints(item: TaskItem): readonly Int32Array[];
  /** The problem's prompt, showing these texts besides: `Needs.shown`. */
  shown(item: TaskItem, ...texts: readonly Int32Array[]): Int32Array;
  tokensOf(text: string): Int32Array;
  /** A completion of these tokens: with an end, where one ends a completion. */
  ended(tokens: Int32Array): Int32Array;
  /** A prompt that asks nothing: the end of a text. */
  readonly end: Int32Array;
  /**
   * Rollouts of given answers, judged and rewarded as if they had been sampled, with their end: of the kind `reference`,
   * off-policy, of log-prob 0 throughout.
   */
  references(item: TaskItem, answers: readonly Int32Array[]): Promise<readonly Rollout[]>;
  /** Tokens of a completion, at most, its end included. */
  readonly mostTokens: number;
  /** [completions][tokens] log-probs of completions behind a prompt, under the policy as it is. */
  logprobs(prompt: Int32Array, completions: readonly Int32Array[]): Promise<readonly Float32Array[]>;
  /** The prompt that goes on behind answers, each without its end and followed by a word: `Needs.replies`. */
  followUp(item: TaskItem, ...turns: readonly FollowUpTurn[]): Int32Array;
  /** A word of `Needs.words` as the policy writes it. */
  said(word: string): string;
  /** The group with other rollouts; dead where a group step has said so, or where the stage's estimator now does. */
  regroup(group: RolloutGroup, rollouts: readonly Rollout[]): RolloutGroup;
}

/** Point 2: how completions come about. Strategies are a chain around plain sampling. */
export interface RolloutStrategy extends Stateful {
  /** @param next  the strategy behind this one; the last is plain sampling. May be called any number of times */
  rollOut(requests: readonly GroupRequest[], next: RollOut, tools: RolloutTools): Promise<readonly RolloutGroup[]>;
  /** Of all groups that were drawn, those that go on to the update; by default all. */
  select?(groups: readonly RolloutGroup[]): readonly RolloutGroup[];
  /** `select` leaves out dead groups, so that nothing need be kept of them for the update. */
  readonly dropsDead?: true;
}

/** Point 4: changes the rewards of groups that were sampled, before advantages are made of them. */
export interface GroupStep extends Stateful {
  /**
   * `group`: after each round of sampling, before "dead" is asked, with random numbers of its own; what it logs is
   * averaged over the groups of all rounds. `batch`: once, over the groups that go on to the update, of which a dead one
   * stays dead.
   */
  readonly scope: 'group' | 'batch';
  /** The groups with other rewards; a group that it gives back as `dead` has no advantage, whatever its rewards are. */
  apply(groups: readonly RolloutGroup[], context: StepContext): readonly RolloutGroup[];
}

/** Point 5: rewards to advantages. A stage has one. */
export interface AdvantageEstimator extends Stateful {
  /** [groups]; float64 inside. */
  estimate(
    groups: readonly RolloutGroup[],
    context: StepContext,
  ): readonly Pick<CreditedGroup, 'advantages' | 'tokenAdvantages'>[];
  /** Whether a group gives no gradient; by default: all of its rewards are equal, exactly. */
  isDead?(group: RolloutGroup): boolean;
  /** The engine's own kernel computes the same: divided by the deviation of the group, of the batch, or by 1. */
  readonly device?: 'group' | 'batch' | 'none';
}

/** Point 6: shapes or masks advantages, by completion or by token. Steps of a stage follow each other. */
export interface CreditStep extends Stateful {
  /** As that of a term of the loss, for `Rollout.teacherLogprobs` (`Needs.sampled`). Of one credit step of a stage. */
  teacherPrompt?(group: RolloutGroup, rollout: Rollout, tools: TeacherTools): Int32Array | undefined;
  apply(groups: readonly CreditedGroup[], context: StepContext): readonly CreditedGroup[];
}

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
  /** Of the policy's own term, before any other is added; 0 where `selection` is. */
  readonly weights: Reals;
  /** Further factors of that term, which undo that what was sampled is not quite the policy; absent: all 1. */
  readonly importance?: Reals;
  /** 0 where neither the policy's own term nor the entropy bonus acts; absent: they act on all tokens. */
  readonly selection?: Reals;
  /** Weight of a token's loss in the step's loss; 0 masks it. */
  readonly coefficients: Reals;
  /**
   * [tokens × vocabulary] tempered log-probs of every token at each place, where a method of the stage asks for them
   * (`Needs.distributions`) and not while a step is observed. Rows of masked tokens mean nothing.
   */
  readonly distributions?: Float32Array;
  /** The same under the reference (`Needs.refDistributions`). */
  readonly refDistributions?: Float32Array;
  /** The same under the reference, or the policy, behind the prompt of `LossTerm.teacherPrompt`; there where a term gives one. */
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
  /** Of the stage. */
  readonly ratio: Ratio;
  /** Of the stage: what makes the policy's own term, token by token or as a whole. */
  readonly objective: Objective;
}

/**
 * What a token's share of the loss may depend on. What needs no more than its group sees it whole in `add`. `batch` is
 * for what needs statistics of the whole optimizer step: `observe` is called before the first micro-batch.
 */
export type Coupling = 'token' | 'sequence' | 'group' | 'batch';

/** Of a part that looks at the whole optimizer step before its first micro-batch. */
export interface BatchObserver {
  /** The groups of the step, as they were credited: what needs no log-prob of today is known from them for nothing. */
  begin?(groups: readonly CreditedGroup[], context: StepContext): void;
  /**
   * For the coupling `batch`: all completions that move the weights, as they stand before the step. It costs nothing
   * on-policy or with a single micro-batch, else a scoring pass.
   */
  observe?(sequences: readonly LossSequence[], context: LossContext): void;
}

/** What the engine's own objective kernel computes of a term; absent settings are off. */
export interface DeviceObjective {
  /** Of the kernel `policyObjective`, by its names. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Weight of the entropy of each token that carries a loss and is selected. */
  entropyCoefficient?(sizes: StepSizes): number;
}

/** A prompt and tokens behind it that a term trains on beside the rollouts. */
export interface TrainedText {
  readonly prompt: Int32Array;
  /** What stands between the two and carries no loss; texts one after the other of an equal prompt then share its rows. */
  readonly behind?: Int32Array;
  /** Each of them carries a loss. */
  readonly tokens: Int32Array;
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
  /** A word of `Needs.words` in tokens. */
  wordTokens(word: string): Int32Array;
}

/** Point 10: a further term of the loss, beside the policy's own; their losses and derivatives are added up. */
export interface LossTerm extends Stateful, BatchObserver {
  readonly coupling: Coupling;
  /**
   * The prompt behind which the reference reads a completion, as a teacher that knows more (`Needs.shown`, and one of
   * `Needs.prompts` for each completion), or the policy itself (`teacher`); undefined where there is nothing to learn. Of one
   * term of a stage.
   */
  teacherPrompt?(group: CreditedGroup, rollout: Rollout, tools: TeacherTools): Int32Array | undefined;
  /** Who reads behind `teacherPrompt`; by default the reference. */
  readonly teacher?: 'policy';
  /** Adds losses and derivatives of one micro-batch, one entry per completion: whole groups, where the coupling is `group`. */
  add(sequences: readonly LossSequence[], gradients: readonly LossGradient[], context: LossContext): void;
  /** Texts of its own for this optimizer step (`Needs.demonstrations`): asked once, a forward and backward pass of theirs. */
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

/** What the terms of a loss are told of an optimizer step. */
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
  /** Of the stage's ratio, within ±20; that of a token is logprob − oldLogprob. */
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
  /** A number of each completion for the metrics, by its name; of its first token that carries a loss. */
  readonly gauge?: { readonly name: string; at(point: Readonly<SurrogatePoint>): number };
}

/** [tokens] of one completion; all 1 at first, methods multiply. */
export interface TokenWeights {
  /** Of the policy's own term. */
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

/** Where a completion stands in the step. */
export interface CompletionPlace {
  /** Groups of the step, those without a gradient included. */
  readonly groups: number;
  /** Tokens of its group that carry a loss. */
  readonly groupTokens: number;
  /** Sum of what credit steps weigh its tokens by: `tokens`, where none does. */
  readonly tokenWeight: number;
}

/** What a controller may change. What is set holds from the next step to the end of the stage, also over a resume. */
export interface Levers extends StepContext {
  /** Makes the weights as they are now the reference. */
  copyToReference(): Promise<void>;
  /** Moves the reference towards the weights: share·weights + (1 − share)·reference. */
  mixIntoReference(share: number): Promise<void>;
  /** Moves one parameter set towards another: to = share·from + (1 − share)·to; a share of 1 copies. */
  mix(to: ParameterSet, from: ParameterSet | 'policy', share: number): Promise<void>;
  /** Zeroes the optimizer's moments; its bias correction begins anew. */
  resetMoments(): Promise<void>;
  /**
   * `temperature`, `learning_rate` (the peak of its schedule), or a number among the options of the stage's methods.
   * @throws RangeError where there is none of that name
   */
  get(key: string): number;
  /** Sets what `get` reads. @throws RangeError where there is none of that name, and for a value that its rule refuses */
  set(key: string, value: number): void;
  /** Ends the stage behind this step. @param reason  as a sentence continues: `the stage ended after step 40: …` */
  endStage(reason: string): void;
}

/** What a controller may also do right after an optimizer step. */
export interface StepLevers extends Levers {
  /** Optimizer steps that the rollouts at hand still have to give. */
  readonly stepsLeft: number;
  /** Leaves out these steps: the next one samples anew. */
  dropRollouts(): void;
  /**
   * KL(sampler‖set) per token, k3 on the tokens of the step: how far the policy that sampled them is from a parameter set,
   * or from the policy as it is now. One scoring pass.
   */
  kl(to: 'policy' | 'reference' | 'first'): Promise<number>;
}

/** Point 12: acts on the run after a step or an evaluation. */
export interface Controller extends Stateful {
  afterStep?(metrics: StepMetrics, levers: StepLevers): Promise<void>;
  /** Of the baseline, too, before the first step. */
  afterEvaluation?(evaluation: Evaluation, levers: Levers): Promise<void>;
  /** Of the sampling of the step about to be taken, in the place of the stage's own. */
  readonly temperature?: number;
}

/** What an evaluation saw of one held-out problem. */
export interface ProblemRecord {
  readonly key: string;
  /** Weight in the means over all problems, above 0. */
  readonly weight: number;
  readonly greedy: Verdict;
  readonly samples: readonly Verdict[];
}

/** Point 13: a further figure of an evaluation, over all held-out problems. */
export interface EvaluationFigure {
  /** In metrics.jsonl, behind `eval_`. */
  readonly name: string;
  of(problems: readonly ProblemRecord[]): Estimate;
}
