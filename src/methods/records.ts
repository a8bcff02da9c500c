/** What flows through a step: rollouts, the groups that share a prompt, their credit, and what a step and an evaluation give. */
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
  /** Its turns, in order, where there are several: `turnsOf` gives those of any completion. */
  readonly turns?: readonly Turn[];
  readonly verdict: Verdict;
  /** The steps of its verdict by tokens, in order; there where a method needs them and the task gives some. */
  readonly steps?: readonly TokenStep[];
}

/** What one party wrote before another did: the policy its actions, others what it observes. */
export interface Turn {
  /** A view of the completion's own, next to that of the turn before. */
  readonly tokens: Int32Array;
  /** Who wrote it: `policy`, or another's name. Tokens of others are of kind `given`: they carry no loss. */
  readonly label: string;
  readonly text: string;
  /** What its environment paid for this turn alone; the policy's turns may have one. */
  readonly reward?: number;
  /** How far the episode is from won after this turn, in [0, 1], where its environment knows: 1 is won. */
  readonly potential?: number;
  /** The action broke the rules. */
  readonly illegal?: true;
  /** A guard denied the action, which was not taken. */
  readonly denied?: true;
  /** What is known of the state before the action and after it, where a method uses `states`: until it is credited. */
  readonly before?: KnownState;
  readonly after?: KnownState;
}

/** A step of a solution: the tokens from `from` up to `to`, which is not one of them. */
export interface TokenStep {
  readonly from: number;
  readonly to: number;
  /** In [0, 1], as the verifier gave it. */
  readonly score: number;
}

/** What one completion is rewarded with. */
export interface GivenRewards {
  /** One per reward function; null where it does not apply. */
  readonly rewardParts: readonly (number | null)[];
  /** Weighted sum; null where no reward function applies. */
  readonly reward: number | null;
}

/** What is known of a rollout: a number, or one of each token. */
export type FigureValue = number | Float32Array;

/** One sampled completion with everything that is known about it. Its rewards are those that are trained on. */
export interface Rollout extends VerifiedCompletion, GivenRewards {
  /** As the reward functions gave them, in a stage whose group steps may change them. */
  readonly given?: GivenRewards;
  /** What the reward functions have logged of it, by column. */
  readonly extra?: Readonly<Record<string, ExtraValue>>;
  /** How it came to be where it was not sampled plainly: `hinted`, `branch`, `replay`. */
  readonly origin?: string;
  /** Optimizer steps since it was sampled, where it is a replay. */
  readonly age?: number;
  /** Optimizer steps that the weights had taken when it was sampled; absent: unknown. */
  readonly weightsVersion?: number;
  /**
   * Its log-probs are not those of the policy that is about to change, at the stage's temperature: its ratio is not 1 at
   * the first update either.
   */
  readonly isOffPolicy?: true;
  /** Trained under this prompt, where that is not the group's. */
  readonly prompt?: Int32Array;
  /** Sampled under this prompt, where it is trained under another one: off-policy then. */
  readonly sampledUnder?: Int32Array;
  /** false: its reward does not count in the group's baseline; its advantage is then 0. */
  readonly inBaseline?: false;
  /** false: none of its tokens carries a loss. */
  readonly inLoss?: false;
  /**
   * [tokens] under the policy as it was before the first step on its batch, where it is off-policy and a method uses
   * `proximalLogprobs`: what its ratio is then to.
   */
  readonly proximalLogprobs?: Float32Array;
  /** [tokens] what a strategy pays for single tokens; a token is credited with what comes from it on. Until it is credited. */
  readonly tokenRewards?: Float32Array;
  /** What methods asked to know of it before it is credited, by the id of the figure: until it is credited. */
  readonly figures?: Readonly<Record<string, FigureValue>>;
}

/** All rollouts of one problem. */
export interface RolloutGroup {
  readonly item: TaskItem;
  /** As the problem is asked; a rollout may have been sampled, or be trained, under another one. */
  readonly prompt: Int32Array;
  readonly rollouts: readonly Rollout[];
  /** It gives no gradient, as a group step or the stage's estimator says. */
  readonly dead: boolean;
  /** By the word of a group step, whatever its rewards are. */
  readonly ruledOut?: true;
  /** Reward of the greedy completion, where an estimator uses `greedyRewards`. */
  readonly greedyReward?: number | null;
  /** What was asked, where it was not to solve the problem: `verify`, `judge`. */
  readonly kind?: string;
}

/** Groups with their advantages, ready for an update. */
export interface CreditedGroup extends RolloutGroup {
  /** [rollouts]; 0 for a rollout without a reward. */
  readonly advantages: Float32Array;
  /** [rollouts][tokens] where credit differs by token. */
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
   * What the policy did by itself, under the problems' own prompts and from the first token on, whatever strategies made of
   * it; absent: `groups`.
   */
  readonly unaided?: readonly RolloutGroup[];
  /** Rounds of sampling, the first included. */
  readonly rounds: number;
  /** Completions that a failed reward left out of baseline and loss, and why; absent: none. */
  readonly excluded?: { readonly count: number; readonly reasons: readonly string[] };
  /** What the reward functions have logged of the batch, by metric: the mean; absent: nothing. */
  readonly logged?: Readonly<Record<string, number>>;
  /** Prompts that were too long and left out; absent where such are an error. */
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

/** How a policy answers held-out problems: greedy, and sampled. */
export interface Evaluation {
  /** Share of problems whose greedy completion is correct. */
  readonly accuracy: Estimate;
  /** Figures of each task by itself, by its label; absent where there is one task alone. */
  readonly byTask?: Readonly<Record<string, Pick<Evaluation, 'accuracy' | 'meanAtK'>>>;
  /** Samples per problem. */
  readonly samples: number;
  /** Share of sampled completions that are correct: sampled accuracy. */
  readonly meanAtK: Estimate;
  /** k → share of problems that k samples solve, for k = 1, 2, 4, … and K. */
  readonly passAtK: Readonly<Record<number, Estimate>>;
  /** Mean tokens of the sampled completions. */
  readonly meanLength: number;
  /** Further figures that the stage asks for, by name. */
  readonly figures?: Readonly<Record<string, Estimate>>;
  /** Greedy completions of the first problems. */
  readonly examples: readonly Example[];
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
  /** Sum of the entropies of the rows that the policy's own term acts on, and how many these are. */
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
  /** Sum of the ratios of the policy to what sampled, of the same rows. */
  ratioSum: number;
  /** Loss rows of replays, and the sum of |log-prob now − log-prob when sampled| over them. */
  replayedRows: number;
  replayDifferenceSum: number;
}
