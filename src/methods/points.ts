/**
 * The thirteen points at which a method enters a step, in the order in which a step meets them.
 *
 *   prompts   1 PromptSource        which problems are asked, and how often each
 *   sampling  2 RolloutStrategy     what happens around plain sampling: refill, and programs of several phases
 *             3 TokenControl        ends a completion, heats it, or puts tokens into it, while it is sampled
 *             4 GroupStep           what becomes of sampled groups before they are credited
 *   credit    5 AdvantageEstimator  rewards → advantages; says which groups are dead
 *             6 CreditStep          shapes and masks what was credited
 *   loss      7 Ratio               what the policy's ratio is of: a token, … (TRL's key: importance_sampling_level)
 *             8 Objective           what the policy's own term makes of ratio and advantage
 *             9 TokenWeight         weighs and masks that term alone, at each update
 *            10 LossTerm            the policy's own and further terms, which add up to the loss
 *            11 Aggregation         the weight of a token in the step's loss
 *   after    12 Controller          acts on the run after a step
 *            13 EvaluationFigure    one number of an evaluation
 *
 * Those of the loss are in loss_points.ts, that of the tokens in token_control.ts.
 *
 * A part computes in float64 on plain arrays of whole completions. None sees the policy or a kernel; what the engine
 * computes by itself (`device`) is said in settings.
 */

import type { EpisodeState, EpisodeStep, Player } from '../data/environment.ts';
import type { TaskItem } from '../data/task.ts';
import type { Rng } from '../kernels/philox.ts';
import type { Verdict } from '../rewards/verdict.ts';
import type { GroupRequest } from './group_request.ts';
import type { Aggregation, LossTerm, Objective, Ratio, TokenWeight, TrainedText } from './loss_points.ts';
import type { ParameterSet, ScoredSet } from './parameter_sets.ts';
import type { CreditedGroup, Evaluation, Rollout, RolloutGroup, StepMetrics, Turn } from './records.ts';
import type { MethodPoint } from './stage.ts';
import type { Stateful } from './stateful.ts';
import type { Estimate } from './statistics.ts';
import type { FollowUpTurn, StepContext } from './step_context.ts';
import type { TokenControl } from './token_control.ts';

export type { GroupRequest } from './group_request.ts';
export type {
  Aggregation,
  BatchObserver,
  CompletionPlace,
  Coupling,
  DeviceObjective,
  LossContext,
  LossGradient,
  LossSequence,
  LossTerm,
  Measures,
  Meter,
  Objective,
  Ratio,
  RatioSequence,
  ScoredText,
  StepSizes,
  Surrogate,
  SurrogatePoint,
  SurrogateValue,
  TextSources,
  TokenWeight,
  TokenWeights,
  TrainedText,
  UpdateSeen,
} from './loss_points.ts';
export type { PartialCompletion, TokenControl } from './token_control.ts';

/** The next problems of the source before this one; of the first, of the task's endless training stream. */
export type DrawItems = (count: number) => Promise<readonly TaskItem[]>;

/** What a prompt source may ask for while it chooses problems. */
export interface SourceTools extends StepContext {
  /** The same problem under another prompt; undefined where its task cannot say it otherwise. */
  twin(item: TaskItem): TaskItem | undefined;
  /** A right answer as a completion has it; undefined where the task knows none, or is answered in several turns. */
  solutionText(item: TaskItem): string | undefined;
  /**
   * The gradient of the likelihood of right answers on a slice of the parameters, always the same one; nothing is trained. Of a
   * method that uses `solutionGradients`.
   */
  solutionGradient(items: readonly TaskItem[]): Promise<Float32Array>;
  /** The verdicts of texts, as if they had been sampled and had ended; nothing is trained on them. */
  judge(answers: readonly { readonly item: TaskItem; readonly text: string }[]): Promise<readonly Verdict[]>;
  /**
   * [items][samples] verdicts of completions that are not trained on: sampled as the stage samples, or the one greedy
   * completion. Their tokens count as sampled.
   */
  attempt(
    items: readonly TaskItem[],
    how: { readonly samples: number } | 'greedy',
  ): Promise<readonly (readonly Verdict[])[]>;
}

/** Point 1: which problems are asked. Several form a chain; the first draws from the task's endless stream. */
export interface PromptSource extends Stateful {
  /** The next `count` problems. Of several sources in a row, each draws from the one before it, more than it asks perhaps. */
  next(count: number, draw: DrawItems, tools: SourceTools): readonly TaskItem[] | Promise<readonly TaskItem[]>;
  /** It gives what the one before it gives, as it comes: which problems are next is known before they are drawn. */
  readonly isStream?: true;
}

/** Samples, verifies and rewards the requests: one group each, in order. */
export type RollOut = (requests: readonly GroupRequest[]) => Promise<readonly RolloutGroup[]>;

/** A token that a policy might write, and how likely it is. */
export interface TokenChoice {
  readonly token: number;
  readonly probability: number;
}

/** What a rollout strategy may ask for. Texts are given in tokens of the run's codec. */
export interface RolloutTools extends StepContext {
  /** Requests for the next `count` problems of the stage's prompt sources. */
  draw(count: number): Promise<readonly GroupRequest[]>;
  /**
   * Says before a round is sampled that about `count` further problems will be drawn after it: who samples elsewhere may begin
   * with them meanwhile. It decides no bit, and need not be right.
   */
  expect(count: number): void;
  /** A right answer in tokens, without an end; none of it where the task knows none. */
  solution(item: TaskItem): Int32Array;
  /** Right answers in tokens, that one first; not all of them where there are many. */
  solutions(item: TaskItem): readonly Int32Array[];
  /** What helps with a problem, from little to much, in tokens; none where its task gives no hints. */
  hints(item: TaskItem): readonly Int32Array[];
  /** The same problem under another prompt; undefined where its task cannot say it otherwise. */
  twin(item: TaskItem): TaskItem | undefined;
  /** The problem's prompt, showing these texts besides: `shownTexts`. */
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
  /**
   * [completions][tokens] log-probs of completions after a prompt, under the policy as it is.
   * @param supports  [completions] see `Rollout.support`; absent: all tokens could be sampled
   */
  logprobs(
    prompt: Int32Array,
    completions: readonly Int32Array[],
    supports?: readonly (Uint8Array | undefined)[],
  ): Promise<readonly Float32Array[]>;
  /**
   * [completions][tokens] the likeliest tokens at each place of completions after a prompt, the first first, under the policy
   * as it is: `likeliestTokens`.
   */
  likeliest(
    prompt: Int32Array,
    completions: readonly Int32Array[],
    count: number,
  ): Promise<readonly (readonly (readonly TokenChoice[])[])[]>;
  /** The prompt that continues after answers, each without its end and followed by a word: `replies`. */
  followUp(item: TaskItem, ...turns: readonly FollowUpTurn[]): Int32Array;
  /** One of its `words` as the policy writes it. */
  said(word: string): string;
  /** The group with other rollouts; dead where a group step has said so, or where the stage's estimator now does. */
  regroup(group: RolloutGroup, rollouts: readonly Rollout[]): RolloutGroup;
}

/** Point 2: how completions come about. Strategies are a chain around plain sampling. */
export interface RolloutStrategy extends Stateful {
  /** @param next  the strategy after this one; the last is plain sampling. May be called any number of times */
  rollOut(requests: readonly GroupRequest[], next: RollOut, tools: RolloutTools): Promise<readonly RolloutGroup[]>;
  /** The groups, of all that were drawn, that reach the update; by default all. */
  select?(groups: readonly RolloutGroup[]): readonly RolloutGroup[];
  /** `select` leaves out dead groups, so that nothing need be kept of them for the update. */
  readonly dropsDead?: true;
}

/** Point 4: changes the rewards of groups that were sampled, before advantages are made of them. */
export interface GroupStep extends Stateful {
  /**
   * `group`: after each round of sampling, before "dead" is asked, with random numbers of its own; what it logs is
   * averaged over the groups of all rounds. `batch`: once, over the groups that reach the update, of which a dead one
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
  apply(groups: readonly CreditedGroup[], context: StepContext): readonly CreditedGroup[];
}

/** What a controller may change. What is set holds from the next step to the end of the stage, also over a resume. */
export interface Levers extends StepContext {
  /** Makes the weights as they are now the reference. */
  copyToReference(): Promise<void>;
  /** Moves the reference towards the weights: share·weights + (1 − share)·reference. */
  mixIntoReference(share: number): Promise<void>;
  /** Moves one parameter set towards another: to = share·from + (1 − share)·to; a share of 1 copies. */
  mix(to: ParameterSet, from: ParameterSet | 'policy', share: number): Promise<void>;
  /** Moves the weights towards a parameter set: share·set + (1 − share)·weights. @returns by how much, as a root mean square */
  mixIntoPolicy(from: ParameterSet, share: number): Promise<number>;
  /** Zeroes the optimizer's moments; its bias correction starts over. */
  resetMoments(): Promise<void>;
  /**
   * `temperature`, `learning_rate` (the peak of its schedule), or a number among the options of the stage's methods, as
   * `kl-loss.beta`; `beta` alone where one method takes it.
   *
   * @throws RangeError where there is none of that name, or several
   */
  get(key: string): number;
  /** Sets what `get` reads. @throws RangeError where there is none of that name, and for a value that its rule refuses */
  set(key: string, value: number): void;
  /** Ends the stage after this step. @param reason  as a sentence continues: `the stage ended after step 40: …` */
  endStage(reason: string): void;
}

/** What a controller may also do right after an optimizer step. */
export interface StepLevers extends Levers {
  /** Optimizer steps that the rollouts at hand still have to give. */
  readonly stepsLeft: number;
  /** Leaves out these steps: the next one samples again. */
  dropRollouts(): void;
  /**
   * KL(sampler‖set) per token, k3 on the tokens of the step: how far the policy that sampled them is from a parameter set,
   * or from the policy as it is now. One scoring pass.
   */
  kl(to: ScoredSet | 'policy'): Promise<number>;
  /** The groups of the step, as they were credited. */
  readonly groups: readonly CreditedGroup[];
  /** Gradient, weights and update of the step just taken, layer by layer; copies all that is trained. */
  layerNorms(): Promise<readonly LayerNorms[]>;
}

/** Euclidean norms of what is trained in one layer. */
export interface LayerNorms {
  /** Its number from 0, or `other`: embedding, head and the last norm. */
  readonly layer: string;
  /** Before it is clipped. */
  readonly gradient: number;
  readonly weights: number;
  /** The difference that the step has made to the weights; 0 where the moments were zeroed since. */
  readonly update: number;
}

/** Point 12: acts on the run after a step or an evaluation. */
export interface Controller extends Stateful {
  afterStep?(metrics: StepMetrics, levers: StepLevers): Promise<void>;
  /** Called for the baseline, too, before the first step. */
  afterEvaluation?(evaluation: Evaluation, levers: Levers): Promise<void>;
  /** Temperature of the sampling of the next step, instead of the stage's own. */
  readonly temperature?: number;
}

/** What an evaluation saw of one held-out problem. */
export interface ProblemRecord {
  readonly key: string;
  /** Weight in the means over all problems, above 0. */
  readonly weight: number;
  readonly prompt: string;
  /** A right answer, as its task writes it. */
  readonly answer: string;
  /** Label of its task, and its level, where it has them. */
  readonly task?: string;
  readonly level?: number;
  readonly greedy: Verdict;
  readonly samples: readonly Verdict[];
  /** [samples] their turns; one where a problem is answered by one text. */
  readonly turns: readonly (readonly Turn[])[];
  /** What was written: the greedy answer, and each of the samples. */
  readonly greedyAnswer: Answer;
  readonly answers: readonly SampledAnswer[];
}

/** An answer of an evaluation, as it was written. */
export interface Answer {
  readonly text: string;
  /** Ids of the tokens that the policy wrote, of all its turns; its end included. */
  readonly tokens: Int32Array;
}

/** A sampled answer of an evaluation, with how likely it was. */
export interface SampledAnswer extends Answer {
  /** Log-prob of these tokens together under the policy that sampled them, in nats. */
  readonly logprob: number;
  /** Chance that the policy gives the first of a figure's `asks.replies` and not the second, in [0, 1]. */
  readonly affirmed?: number;
}

/** Point 13: a further figure of an evaluation, over all held-out problems. */
export interface EvaluationFigure {
  /** In metrics.jsonl, after `eval_`. */
  readonly name: string;
  /** It reads what environments know of their states: `Turn.before` and `Turn.after`. */
  readonly readsStates?: true;
  /** Words of its `words` that the policy is asked with after each sampled answer: `SampledAnswer.affirmed`. */
  readonly asks?: { readonly question: string; readonly replies: readonly [yes: string, no: string] };
  of(problems: readonly ProblemRecord[]): Estimate;
}

/** The one point of a supervised stage: what it learns of a problem that is played in turns, and how much each token counts. */
export interface DemonstrationSource {
  /** Pure in what it is given. Undefined: there is nothing to learn here, and its task's demonstration is shown. */
  show?(problem: PlayedProblem): TrainedText | undefined;
  /** [tokens] of a demonstration: what each counts in the loss, 0 or more. Default: all alike. Pure in what it is given. */
  weigh?(shown: Pick<TrainedText, 'tokens' | 'labels'>, textOf: (tokens: Int32Array) => string): Float64Array;
}

/** A problem of a supervised stage that is played in turns. */
export interface PlayedProblem {
  readonly item: TaskItem;
  readonly prompt: Int32Array;
  readonly rng: Rng;
  /** Tokens after the prompt, at most. */
  readonly mostTokens: number;
  /** Episodes of it; those of different numbers have chance of their own. */
  episode(number: number): PlayedOnce;
  tokensOf(text: string): Int32Array;
  /** An action as the policy writes it, with its end. */
  action(text: string): Int32Array;
  /** What an action is answered with. */
  answer(step: EpisodeStep): Int32Array;
  /** A word of its `words` in tokens. */
  word(name: string): Int32Array;
}

/** One episode. */
export interface PlayedOnce {
  start(): EpisodeState;
  /** What another than the policy does there. @param draw  another number, another draw of his */
  act(player: Player, at: EpisodeState, draw?: number): string;
  step(at: EpisodeState, action: string): EpisodeStep;
}

/** What the methods of each point make. */
export interface PointParts extends Record<MethodPoint, unknown> {
  promptSource: PromptSource;
  rolloutStrategies: RolloutStrategy;
  tokenControls: TokenControl;
  groupSteps: GroupStep;
  advantageEstimator: AdvantageEstimator;
  creditSteps: CreditStep;
  ratio: Ratio;
  objective: Objective;
  tokenWeights: TokenWeight;
  lossTerms: LossTerm;
  aggregation: Aggregation;
  controllers: Controller;
  evaluationFigures: EvaluationFigure;
}

/**
 * What a source logs the share of a batch's places as that it filled with problems other than it looks for, or with the
 * same ones again: the diagnostics read it.
 */
export const STARVED = 'starved';
