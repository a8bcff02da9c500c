/**
 * The eleven points at which a method enters a step, in the order in which a step meets them.
 *
 *   prompts   1 PromptSource        which problems are asked, and how often each
 *   sampling  2 RolloutStrategy     what happens around plain sampling: refill, and programs of several phases
 *             3 TokenControl        ends a completion, or puts tokens into it, while it is sampled
 *             4 GroupStep           what becomes of sampled groups before they are credited
 *   credit    5 AdvantageEstimator  rewards → advantages; says which groups are dead
 *             6 CreditStep          shapes and masks what was credited
 *   loss      7 Surrogate           the policy's own term, as one of the …
 *             8 LossTerm            … terms that add up to the loss, and its derivatives by token
 *             9 Aggregation         the weight of a token in the step's loss
 *   after    10 Controller          acts on the run after a step
 *            11 EvaluationFigure    one number of an evaluation
 *
 * A part computes in float64 on plain arrays of whole completions. None sees the policy or a kernel; what the engine
 * computes by itself (`device`) is said in settings.
 */

import type { TaskItem } from '../data/task.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { StepContext } from './method.ts';
import type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics } from './records.ts';
import type { Stateful } from './stateful.ts';
import type { Estimate } from './statistics.ts';

/** A problem that is to be sampled. */
export interface GroupRequest {
  readonly item: TaskItem;
  /** Completions: the size of the group. */
  readonly samples: number;
}

export interface PromptSource extends Stateful {
  /**
   * The next `count` problems.
   * @param draw  the next item of the task's endless training stream; a source may draw more than it asks
   */
  next(count: number, draw: () => TaskItem, context: StepContext): readonly TaskItem[];
}

/** Samples, verifies and rewards the requests: one group each, in order. */
export type RollOut = (requests: readonly GroupRequest[]) => Promise<readonly RolloutGroup[]>;

export interface RolloutTools extends StepContext {
  /** Requests for the next `count` problems of the stage's prompt source. */
  draw(count: number): readonly GroupRequest[];
}

export interface RolloutStrategy extends Stateful {
  /** @param next  the strategy behind this one; the last is plain sampling. May be called any number of times */
  rollOut(requests: readonly GroupRequest[], next: RollOut, tools: RolloutTools): Promise<readonly RolloutGroup[]>;
  /** Of all groups that were drawn, those that go on to the update; by default all. */
  select?(groups: readonly RolloutGroup[]): readonly RolloutGroup[];
  /** `select` leaves out dead groups, so that nothing need be kept of them for the update. */
  readonly dropsDead?: true;
}

export interface TokenControl extends Stateful {
  /**
   * After each sampled token of a completion: ends it, or goes on with these tokens behind it, which carry no loss.
   * Only a stage that has a control reads every token: one step per read.
   */
  after(tokens: Int32Array, item: TaskItem): 'stop' | readonly number[] | undefined;
}

export interface GroupStep extends Stateful {
  /** `group`: after each round of sampling, before "dead" is asked; `batch`: once, over all groups. */
  readonly scope: 'group' | 'batch';
  apply(groups: readonly RolloutGroup[], context: StepContext): readonly RolloutGroup[];
}

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

export interface CreditStep extends Stateful {
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
  /** Of the policy's own term, before any other is added. */
  readonly weights: Float32Array;
  /** Weight of a token's loss in the step's loss; 0 masks it. */
  readonly coefficients: Float32Array;
}

/** [tokens] of one completion; a term adds to all three. */
export interface LossGradient {
  /** Shares of the step's loss. */
  readonly losses: Float64Array;
  readonly dLogprobs: Float64Array;
  readonly dEntropies: Float64Array;
}

/** Sizes of one optimizer step and of the micro-batch at hand. */
export interface StepSizes {
  /** Completions of the step, those with every token masked included. */
  readonly completions: number;
  /** Tokens of the step that carry a loss. */
  readonly lossTokens: number;
  /** `max_completion_length`. */
  readonly maxCompletionTokens: number;
  readonly microBatches: number;
  /** Tokens of this micro-batch that carry a loss. */
  readonly microLossTokens: number;
}

export interface LossContext extends StepContext {
  readonly sizes: StepSizes;
}

/** What the engine's own objective kernel computes of a term; absent settings are off. */
export interface DeviceObjective {
  /** Of the kernel `policyObjective`, by its names. */
  readonly settings?: Readonly<Record<string, number>>;
  /** Weight of the entropy of each token that carries a loss. */
  entropyCoefficient?(sizes: StepSizes): number;
}

export interface LossTerm extends Stateful {
  /** What one token's share may depend on. */
  readonly coupling: 'token' | 'sequence' | 'group';
  /** Adds losses and derivatives of one micro-batch: whole groups, one entry per completion. */
  add(sequences: readonly LossSequence[], gradients: readonly LossGradient[], context: LossContext): void;
  /** Its slope is not the derivative of its loss: part of the formula is taken as a constant. */
  readonly stopsGradient?: true;
  /** It moves the weights where every advantage is 0, too. */
  readonly actsWithoutAdvantage?: true;
  /** The kernel computes the same. Where every term of a stage says so, nothing is read back before the backward pass. */
  readonly device?: DeviceObjective;
  /** Means over the loss tokens of a step, for the metrics. */
  readonly measures?: Measures;
}

export interface Measures {
  /** Names in metrics.jsonl. */
  readonly names: readonly string[];
  /** They differ from 0 only where ratios do from 1. */
  readonly offPolicyOnly?: true;
  /** Adds the completion's loss tokens to the sums, in the order of the names. */
  add(sequence: LossSequence, sums: Float64Array): void;
}

/** Where a surrogate is evaluated: one token. */
export interface SurrogatePoint {
  /** logprob − oldLogprob. */
  logRatio: number;
  logprob: number;
  advantage: number;
}

/** The value of a surrogate and its derivative by the log-prob. */
export interface SurrogateValue {
  loss: number;
  slope: number;
}

/** The policy's own term, token by token. */
export interface Surrogate extends Pick<LossTerm, 'device' | 'stopsGradient'> {
  at(point: Readonly<SurrogatePoint>, out: SurrogateValue): void;
  /** Which bound of the clip decides the value, where one does. */
  clipped?(point: Readonly<SurrogatePoint>): 'low' | 'high' | undefined;
}

/**
 * Weight of one unmasked token in the step's loss.
 * @param tokens  unmasked tokens of its completion, at least 1
 */
export type Aggregation = (tokens: number, sizes: StepSizes) => number;

/** What a controller may change. */
export interface Levers extends StepContext {
  /** Makes the weights as they are now the reference. */
  copyToReference(): Promise<void>;
}

export interface Controller extends Stateful {
  afterStep?(metrics: StepMetrics, levers: Levers): Promise<void>;
  afterEvaluation?(evaluation: Evaluation, levers: Levers): Promise<void>;
}

/** What an evaluation saw of one held-out problem. */
export interface ProblemRecord {
  readonly key: string;
  /** Weight in the means over all problems, above 0. */
  readonly weight: number;
  readonly greedy: Verdict;
  readonly samples: readonly Verdict[];
}

export interface EvaluationFigure {
  /** In metrics.jsonl, behind `eval_`. */
  readonly name: string;
  of(problems: readonly ProblemRecord[]): Estimate;
}
