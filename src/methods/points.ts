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
import type { SearchSpace } from '../data/search_text.ts';
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
  TeacherScores,
  TextSources,
  TokenWeight,
  TokenWeights,
  TrainedText,
  UpdateSeen,
} from './loss_points.ts';
export type { PartialCompletion, TokenControl } from './token_control.ts';

/** Draws the next problems from the source before this one, or from the task's endless training stream. */
export type DrawItems = (count: number) => Promise<readonly TaskItem[]>;

/** What a prompt source may ask for while it chooses problems. */
export interface SourceTools extends StepContext {
  /** The same problem under another prompt; undefined where its task cannot say it otherwise. */
  twin(item: TaskItem): TaskItem | undefined;
  /** A right answer as a completion; undefined if the task knows none, or has several turns. */
  solutionText(item: TaskItem): string | undefined;
  /**
   * The gradient of the likelihood of right answers on a fixed slice of the parameters, without training. For a method
   * that uses `solutionGradients`.
   */
  solutionGradient(items: readonly TaskItem[]): Promise<Float32Array>;
  /** The verdicts on texts, as if they were sampled and ended; they are not trained on. */
  judge(answers: readonly { readonly item: TaskItem; readonly text: string }[]): Promise<readonly Verdict[]>;
  /**
   * [items][samples] verdicts on completions that are not trained on: sampled as the stage samples, or a greedy one.
   * Their tokens count as sampled.
   */
  attempt(
    items: readonly TaskItem[],
    how: { readonly samples: number } | 'greedy',
  ): Promise<readonly (readonly Verdict[])[]>;
}

/** Point 1: which problems are asked. Several form a chain; the first draws from the task's endless stream. */
export interface PromptSource extends Stateful {
  /** The next `count` problems. In a chain each source draws from the one before it, perhaps more than `count`. */
  next(count: number, draw: DrawItems, tools: SourceTools): readonly TaskItem[] | Promise<readonly TaskItem[]>;
  /** It passes on its source unchanged, so that the next problems are known before they are drawn. */
  readonly isStream?: true;
}

/** Samples, verifies and rewards the requests: one group each, in order. */
export type RollOut = (requests: readonly GroupRequest[]) => Promise<readonly RolloutGroup[]>;

/** A token that a policy might write, and how likely it is. */
export interface TokenChoice {
  readonly token: number;
  readonly probability: number;
}

/** Tools for rollout strategies. Texts are tokens of the run's codec. */
export interface RolloutTools extends StepContext {
  /** Requests for the next `count` problems of the stage's prompt sources. */
  draw(count: number): Promise<readonly GroupRequest[]>;
  /**
   * Announces, before a round is sampled, that about `count` further problems will be drawn after it, so that a remote
   * sampler may start on them. It decides no bit, and may be wrong.
   */
  expect(count: number): void;
  /** A right answer in tokens, without EOS; empty if the task knows none. */
  solution(item: TaskItem): Int32Array;
  /** Right answers in tokens, that one first; possibly incomplete. */
  solutions(item: TaskItem): readonly Int32Array[];
  /** Hints at a problem in tokens, from little to much help; empty if its task has none. */
  hints(item: TaskItem): readonly Int32Array[];
  /** The same problem under another prompt; undefined where its task cannot say it otherwise. */
  twin(item: TaskItem): TaskItem | undefined;
  /** The problem's prompt with these texts shown: needs `shownTexts`. */
  shown(item: TaskItem, ...texts: readonly Int32Array[]): Int32Array;
  tokensOf(text: string): Int32Array;
  /** A completion of these tokens, with EOS if completions end with one. */
  ended(tokens: Int32Array): Int32Array;
  /** An empty prompt: the EOS of a text. */
  readonly end: Int32Array;
  /**
   * Rollouts of given answers with EOS, judged and rewarded as if sampled: of kind `reference`, off-policy, with
   * log-probs 0.
   */
  references(item: TaskItem, answers: readonly Int32Array[]): Promise<readonly Rollout[]>;
  /** Tokens of a completion, at most, its end included. */
  readonly mostTokens: number;
  /**
   * [completions][tokens] log-probs of completions after a prompt, under the current policy.
   * @param supports  [completions] see `Rollout.support`; absent: all tokens could be sampled
   */
  logprobs(
    prompt: Int32Array,
    completions: readonly Int32Array[],
    supports?: readonly (Uint8Array | undefined)[],
  ): Promise<readonly Float32Array[]>;
  /**
   * [completions][tokens] the likeliest tokens at each position of completions after a prompt, best first, under the
   * current policy: needs `likeliestTokens`.
   */
  likeliest(
    prompt: Int32Array,
    completions: readonly Int32Array[],
    count: number,
  ): Promise<readonly (readonly (readonly TokenChoice[])[])[]>;
  /** The prompt that continues after answers, each without EOS and followed by a word: needs `replies`. */
  followUp(item: TaskItem, ...turns: readonly FollowUpTurn[]): Int32Array;
  /** One of its `words` as the policy writes it. */
  said(word: string): string;
  /** The group with other rollouts; dead if a group step said so, or the stage's estimator now does. */
  regroup(group: RolloutGroup, rollouts: readonly Rollout[]): RolloutGroup;
}

/** Point 2: how completions are made. Strategies form a chain around plain sampling. */
export interface RolloutStrategy extends Stateful {
  /** @param next  the strategy after this one; the last is plain sampling. May be called any number of times */
  rollOut(requests: readonly GroupRequest[], next: RollOut, tools: RolloutTools): Promise<readonly RolloutGroup[]>;
  /** Selects the groups that reach the update; by default all. */
  select?(groups: readonly RolloutGroup[]): readonly RolloutGroup[];
  /** `select` leaves out dead groups, so that the update needs nothing of them. */
  readonly dropsDead?: true;
}

/** Point 4: changes the rewards of sampled groups, before advantages are computed. */
export interface GroupStep extends Stateful {
  /**
   * `group`: after each round of sampling, before dead groups are determined, with its own random numbers; logged
   * values are averaged over the groups of all rounds. `batch`: once, over the groups that reach the update, where dead
   * ones stay dead.
   */
  readonly scope: 'group' | 'batch';
  /** The groups with changed rewards; a group that it returns as `dead` has no advantage, whatever its rewards. */
  apply(groups: readonly RolloutGroup[], context: StepContext): readonly RolloutGroup[];
}

/** Point 5: rewards to advantages. A stage has one. */
export interface AdvantageEstimator extends Stateful {
  /** [groups]; float64 inside. `rollouts`: the same with `values` and `returns`, where it has a value head. */
  estimate(
    groups: readonly RolloutGroup[],
    context: StepContext,
  ): readonly (Pick<CreditedGroup, 'advantages' | 'tokenAdvantages'> & Partial<Pick<CreditedGroup, 'rollouts'>>)[];
  /** Whether a group gives no gradient; by default: all of its rewards are equal, exactly. */
  isDead?(group: RolloutGroup): boolean;
  /** The engine's own kernel computes the same, dividing by the deviation of the group, of the batch, or by 1. */
  readonly device?: 'group' | 'batch' | 'none';
}

/** Point 6: shapes or masks advantages, by completion or by token. Steps of a stage follow each other. */
export interface CreditStep extends Stateful {
  apply(groups: readonly CreditedGroup[], context: StepContext): readonly CreditedGroup[];
}

/** What a controller may change. Settings apply from the next step to the end of the stage, also after a resume. */
export interface Levers extends StepContext {
  /** Copies the current weights to the reference. */
  copyToReference(): Promise<void>;
  /** Moves the reference towards the weights: share·weights + (1 − share)·reference. */
  mixIntoReference(share: number): Promise<void>;
  /** Moves one parameter set towards another: to = share·from + (1 − share)·to; a share of 1 copies. */
  mix(to: ParameterSet, from: ParameterSet | 'policy', share: number): Promise<void>;
  /**
   * Moves the weights towards a parameter set: share·set + (1 − share)·weights. @returns the change, as a root mean
   * square
   */
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

/** Further levers right after an optimizer step. */
export interface StepLevers extends Levers {
  /** Optimizer steps left on the rollouts at hand. */
  readonly stepsLeft: number;
  /** Skips these steps, so that the next one samples again. */
  dropRollouts(): void;
  /**
   * KL(sampler‖set) per token, k3 on the tokens of the step: the distance of the policy that sampled them from a
   * parameter set, or from the current policy. One scoring pass.
   */
  kl(to: ScoredSet | 'policy'): Promise<number>;
  /** The credited groups of the step. */
  readonly groups: readonly CreditedGroup[];
  /** Gradient, weights and update of the step just taken, layer by layer; copies all that is trained. */
  layerNorms(): Promise<readonly LayerNorms[]>;
}

/** Euclidean norms of a layer's trained parameters. */
export interface LayerNorms {
  /** Its number from 0, or `other`: embedding, head and the last norm. */
  readonly layer: string;
  /** Before it is clipped. */
  readonly gradient: number;
  readonly weights: number;
  /** Change of the weights by the step; 0 if the moments were zeroed since; undefined with `optim: muon`. */
  readonly update?: number | undefined;
}

/** Point 12: acts on the run after a step or an evaluation. */
export interface Controller extends Stateful {
  afterStep?(metrics: StepMetrics, levers: StepLevers): Promise<void>;
  /** Called for the baseline too, before the first step. */
  afterEvaluation?(evaluation: Evaluation, levers: Levers): Promise<void>;
  /** Temperature of the sampling of the next step, instead of the stage's own. */
  readonly temperature?: number;
}

/** An evaluation's record of one held-out problem. */
export interface ProblemRecord {
  readonly key: string;
  /** Weight in the means over all problems, above 0. */
  readonly weight: number;
  readonly prompt: string;
  /** A right answer, as its task writes it. */
  readonly answer: string;
  /** Label of its task, and its level, if any. */
  readonly task?: string;
  readonly level?: number;
  readonly greedy: Verdict;
  readonly samples: readonly Verdict[];
  /** [samples] their turns; one for a single answer. */
  readonly turns: readonly (readonly Turn[])[];
  /** The greedy answer, and each of the samples. */
  readonly greedyAnswer: Answer;
  readonly answers: readonly SampledAnswer[];
}

/** An answer of an evaluation, as it was written. */
export interface Answer {
  readonly text: string;
  /** Ids of the tokens that the policy wrote, over all its turns, EOS included. */
  readonly tokens: Int32Array;
}

/** A sampled answer of an evaluation, with how likely it was. */
export interface SampledAnswer extends Answer {
  /** Log-prob of these tokens together under the policy that sampled them, in nats. */
  readonly logprob: number;
  /** Probability that the policy gives the first of a figure's `asks.replies` rather than the second, in [0, 1]. */
  readonly affirmed?: number;
}

/** Point 13: a further figure of an evaluation, over all held-out problems. */
export interface EvaluationFigure {
  /** In metrics.jsonl, after `eval_`. */
  readonly name: string;
  /** It reads facts about states: `Turn.before` and `Turn.after`. */
  readonly readsStates?: true;
  /** Its `words` with which the policy is asked after each sampled answer: `SampledAnswer.affirmed`. */
  readonly asks?: { readonly question: string; readonly replies: readonly [yes: string, no: string] };
  /** @param spaceAt  what is searched in the answers to problem i; undefined where they do not search */
  of(problems: readonly ProblemRecord[], spaceAt?: (i: number) => SearchSpace<unknown> | undefined): Estimate;
}

/** The only point of a supervised stage: what it learns of a multi-turn problem, and the weight of each token. */
export interface DemonstrationSource {
  /** Completions of a further model that are shown in the place of all demonstrations. */
  taught?(): TaughtDemonstrations;
  /** Pure. Undefined: the task's demonstration is shown instead. */
  show?(problem: PlayedProblem): TrainedText | undefined;
  /** [tokens] weights of a demonstration's tokens in the loss, 0 or more. Default: equal. Pure. */
  weigh?(shown: Pick<TrainedText, 'tokens' | 'labels'>, textOf: (tokens: Int32Array) => string): Float64Array;
}

/** How a further model of the run writes demonstrations. */
export interface TaughtDemonstrations {
  /** Its name under `models`. */
  readonly model: string;
  readonly temperature: number;
  /** Those that are not right are replaced by answers to other problems. */
  readonly verified: boolean;
}

/** A multi-turn problem of a supervised stage. */
export interface PlayedProblem {
  readonly item: TaskItem;
  readonly prompt: Int32Array;
  readonly rng: Rng;
  /** Most tokens after the prompt. */
  readonly mostTokens: number;
  /** An episode of it; different numbers have independent random draws. */
  episode(number: number): PlayedOnce;
  tokensOf(text: string): Int32Array;
  /** An action as the policy writes it, with its end. */
  action(text: string): Int32Array;
  /** The answer to an action. */
  answer(step: EpisodeStep): Int32Array;
  /** A word of its `words` in tokens. */
  word(name: string): Int32Array;
}

/** One episode. */
export interface PlayedOnce {
  start(): EpisodeState;
  /** The action of another player. @param draw  different numbers are independent draws */
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
