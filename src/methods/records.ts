/**
 * The records of a step: rollouts, groups that share a prompt, their credit, and the results of steps and evaluations.
 */
import type { KnownState } from '../data/environment.ts';
import type { TaskItem } from '../data/task.ts';
import type { ExtraValue } from '../rewards/reward_log.ts';
import type { FinishReason, Verdict } from '../rewards/verdict.ts';
import type { Estimate } from './statistics.ts';

/** One sampled completion, decoded, with its verdict. */
export interface VerifiedCompletion {
  /** As sampled; trained on as they are, never re-tokenised. */
  readonly tokens: Int32Array;
  /** [tokens] tempered, full vocabulary or among `support`, under the policy that sampled them. */
  readonly logprobs: Float32Array;
  /** [tokens] nats. */
  readonly entropies: Float32Array;
  /** [tokens] log of the probability mass that top-k, top-p and min-p kept; 0 where they are off. */
  readonly keptLogMass: Float32Array;
  readonly finishReason: FinishReason;
  /** [tokens] of TOKEN; absent: all sampled. */
  readonly labels?: Uint8Array;
  /**
   * [tokens × bytes] the tokens that could be sampled at each, as bits, where not all could (`TokenControl.allowed`): log-probs
   * and entropies are among these.
   */
  readonly support?: Uint8Array;
  /** Decoded, final EOS stripped: what the verifier read; of several turns, their texts one after the other. */
  readonly text: string;
  /** Its turns, in order, if there are several; `turnsOf` gives those of any completion. */
  readonly turns?: readonly Turn[];
  readonly verdict: Verdict;
  /** The steps of its verdict by tokens, in order, if a method needs them and the task gives some. */
  readonly steps?: readonly TokenStep[];
}

/** A turn: an action of the policy, or another party's answer, which the policy observes. */
export interface Turn {
  /** A view of the completion's tokens, following the previous turn's. */
  readonly tokens: Int32Array;
  /** The author: `policy`, or another's name. Others' tokens are of kind `given`, without a loss. */
  readonly label: string;
  readonly text: string;
  /** The environment's reward of this turn alone, for turns of the policy. */
  readonly reward?: number;
  /** Progress towards winning after this turn, in [0, 1], if the environment knows it: 1 is won. */
  readonly potential?: number;
  /** The action broke the rules. */
  readonly illegal?: true;
  /** A guard denied the action, which was not taken. */
  readonly denied?: true;
  /** Facts about the state before and after the action, if a method uses `states`; kept until credit. */
  readonly before?: KnownState;
  readonly after?: KnownState;
}

/** A step of a solution: the tokens [from, to). */
export interface TokenStep {
  readonly from: number;
  readonly to: number;
  /** In [0, 1], as the verifier gave it. */
  readonly score: number;
}

/** The rewards of a completion. */
export interface GivenRewards {
  /** One per reward function; null where it does not apply. */
  readonly rewardParts: readonly (number | null)[];
  /** Weighted sum; null where no reward function applies. */
  readonly reward: number | null;
}

/** A figure of a rollout: one number, or one per token. */
export type FigureValue = number | Float32Array;

/** One sampled completion with everything known about it. Its rewards are the ones trained on. */
export interface Rollout extends VerifiedCompletion, GivenRewards {
  /** The reward functions' rewards, in a stage whose group steps may change them. */
  readonly given?: GivenRewards;
  /** What the reward functions have logged of it, by column. */
  readonly extra?: Readonly<Record<string, ExtraValue>>;
  /** Its origin if it was not sampled plainly: `hinted`, `branch`, `replay`. */
  readonly origin?: string;
  /** Optimizer steps since it was sampled, for a replay. */
  readonly age?: number;
  /** Optimizer steps that the weights had taken when it was sampled; absent: unknown. */
  readonly weightsVersion?: number;
  /**
   * Its log-probs are not those of the policy before the update at the stage's temperature, so its ratio is not 1 even
   * at the first update.
   */
  readonly isOffPolicy?: true;
  /** The prompt that it is trained under, if not the group's. */
  readonly prompt?: Int32Array;
  /** The prompt that it was sampled under, if it is trained under another one; it is then off-policy. */
  readonly sampledUnder?: Int32Array;
  /** false: its reward does not count in the group's baseline; its advantage is then 0. */
  readonly inBaseline?: false;
  /** false: none of its tokens carries a loss. */
  readonly inLoss?: false;
  /**
   * [tokens] under the policy before the first step on its batch, if it is off-policy and a method uses
   * `proximalLogprobs`: the denominator of its ratio.
   */
  readonly proximalLogprobs?: Float32Array;
  /** [tokens] what an estimator with a value head expected before each token, and what came; 0 where it was put in. */
  readonly values?: Float32Array;
  readonly returns?: Float32Array;
  /**
   * [tokens] a strategy's rewards for single tokens; a token is credited with the sum from it onwards. Kept until
   * credit.
   */
  readonly tokenRewards?: Float32Array;
  /** Figures that methods use, by id; kept until credit. */
  readonly figures?: Readonly<Record<string, FigureValue>>;
}

/** All rollouts of one problem. */
export interface RolloutGroup {
  readonly item: TaskItem;
  /** The problem's prompt; a rollout may have been sampled, or be trained, under another one. */
  readonly prompt: Int32Array;
  readonly rollouts: readonly Rollout[];
  /** It gives no gradient, according to a group step or the stage's estimator. */
  readonly dead: boolean;
  /** A group step made it dead, whatever its rewards are. */
  readonly ruledOut?: true;
  /** Reward of the greedy completion, where an estimator uses `greedyRewards`. */
  readonly greedyReward?: number | null;
  /** What was asked, if not to solve the problem: `verify`, `judge`. */
  readonly kind?: string;
}

/** Groups with their advantages, ready for an update. */
export interface CreditedGroup extends RolloutGroup {
  /** [rollouts]; 0 for a rollout without a reward. */
  readonly advantages: Float32Array;
  /** [rollouts][tokens] if credit differs by token. */
  readonly tokenAdvantages?: readonly Float32Array[];
  /** [rollouts][tokens] weight of the policy's own term, 0 masks; absent: 1. */
  readonly tokenWeights?: readonly Float32Array[];
  /** [rollouts][tokens] 0 where neither the policy's own term nor the entropy bonus acts, else 1; absent: 1. */
  readonly tokenSelection?: readonly Float32Array[];
}

export interface Collected {
  /** Every group that was drawn, in order. */
  readonly groups: readonly RolloutGroup[];
  /**
   * What the policy sampled unaided, under the problems' own prompts from the first token on, before strategies changed
   * it; absent: `groups`.
   */
  readonly unaided?: readonly RolloutGroup[];
  /** Rounds of sampling, the first included. */
  readonly rounds: number;
  /** Completions that a failed reward excluded from baseline and loss, and why; absent: none. */
  readonly excluded?: { readonly count: number; readonly reasons: readonly string[] };
  /** Means of the reward functions' logged metrics; absent: nothing. */
  readonly logged?: Readonly<Record<string, number>>;
  /** Prompts dropped for their length; absent if that is an error. */
  readonly dropped?: number;
}

/** Wall-clock by activity. */
export interface Seconds {
  sft: number;
  rollout: number;
  verify: number;
  update: number;
  eval: number;
}

/** Results of a policy on held-out problems: greedy, and sampled. */
export interface Evaluation {
  /** Share of problems whose greedy completion is correct. */
  readonly accuracy: Estimate;
  /** Figures of each task, by label; absent if there is only one. */
  readonly byTask?: Readonly<Record<string, Pick<Evaluation, 'accuracy' | 'meanAtK'>>>;
  /** Samples per problem. */
  readonly samples: number;
  /** Share of sampled completions that are correct: sampled accuracy. */
  readonly meanAtK: Estimate;
  /** k → share of problems that k samples solve, for k = 1, 2, 4, … and K. */
  readonly passAtK: Readonly<Record<number, Estimate>>;
  /** Mean tokens of the sampled completions. */
  readonly meanLength: number;
  /** What the samples solve, in problems; absent from older checkpoints. */
  readonly reach?: Reach;
  /** Further figures that the stage asks for, by name. */
  readonly figures?: Readonly<Record<string, Estimate>>;
  /** Greedy completions of the first problems. */
  readonly examples: readonly Example[];
}

/** Problems of an evaluation, and how many of them the policy's samples solve at least once, and each time. */
export interface Reach {
  readonly problems: number;
  readonly once: number;
  readonly always: number;
}

/** One completion with its verdict, for people. */
export interface Example {
  readonly prompt: string;
  readonly completion: string;
  readonly verdict: Verdict;
}

/** One line of metrics.jsonl: TRL's names where TRL has one. */
export type StepMetrics = Readonly<Record<string, number | string>>;

/** A supervised step. */
export interface SupervisedResult {
  /** Nats per completion token. */
  readonly loss: number;
  readonly entropy: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  readonly completionTokens: number;
  /** As in `Collected`. */
  readonly dropped?: number;
}

/** An optimizer step of the policy objective. */
export interface UpdateResult {
  readonly learningRate: number;
  /** Before clipping. */
  readonly gradNorm: number;
  readonly totals: UpdateTotals;
}

export interface UpdateTotals {
  /** Sum of the rows' losses: the step's loss, entropy bonus included. */
  loss: number;
  /** Loss rows that are not masked. */
  rows: number;
  /** Share of the entropy bonus in the loss, negative; undefined where there is none. */
  entropyBonus: number | undefined;
  /** Sum of the entropies of the rows that the policy's own term acts on, and their number. */
  selectedEntropy: number;
  selectedRows: number;
  /** What the terms of the loss measure, by the name of the metric. */
  readonly measured: Readonly<Record<string, number>>;
  /** |log-prob of the scorer − log-prob of the sampler|: its largest value and its sum. */
  logprobDifferenceMax: number;
  logprobDifferenceSum: number;
  /** The largest difference of their entropies. */
  entropyDifferenceMax: number;
  /** The same of off-policy completions too. */
  movedMax: number;
  movedSum: number;
  /** Sum of the ratios of the policy to the sampler, over the same rows. */
  ratioSum: number;
  /** Loss rows of replays, and the sum of |log-prob now − log-prob when sampled| over them. */
  replayedRows: number;
  replayDifferenceSum: number;
}
