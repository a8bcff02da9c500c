/**
 * An environment in which a policy acts over several turns. It is pure: plain JSON states go in and out, so that a
 * resume or a tree search can copy them, and chance comes from a given generator. A task with a single answer is an
 * environment of one turn.
 */
import type { AnswerFiles } from '../http/servers.ts';
import type { Rng } from '../kernels/philox.ts';
import type { Json } from '../options/json.ts';
import type { FinishReason, Verdict } from '../rewards/verdict.ts';
import type { Message, ToolSchema } from '../text/codec.ts';
import type { Knobs, TaskItem, VerifyContext } from './problem.ts';

/** Label of a turn that the policy wrote. */
export const POLICY_TURN = 'policy';

/** Label of a turn that an expert played in the policy's place. */
export const EXPERT_TURN = 'expert';

/** Label of an answer whose speaker the environment does not name. */
export const ENVIRONMENT_TURN = 'environment';

/**
 * Who plays instead of the policy: `expert` may know what the policy does not, `teacher` plays warm starts, `random`
 * knows only the rules.
 */
export type Player = 'expert' | 'teacher' | 'random';

/** How long an episode may become. */
export interface TurnLimits {
  /** Turns of the policy, at least 1. An episode that has not ended with the last of them is lost. */
  readonly maxTurns: number;
  /** Most tokens of an action, with the EOS that ends it. */
  readonly actionTokens: number;
  /** Most tokens of an answer to an action. */
  readonly observationTokens: number;
  /** Most characters of an answer, if a pretrained model may read more than a teacher does. */
  readonly observationCharacters?: number;
}

/** The result of an action. */
export interface EnvironmentStep<S> {
  readonly state: S;
  /** What the policy reads before its next action. */
  readonly observation?: string;
  /** Who answers: `environment` (the default), or the name of a tool. */
  readonly from?: string;
  /**
   * The action breaks the rules, as the observation says. The state should be unchanged; three such actions end the
   * episode.
   */
  readonly illegal?: true;
  /** Reward of this action alone, where single actions are paid. */
  readonly reward?: number;
  /** Progress of the state towards winning, in [0, 1], if the environment knows it: 1 is won. */
  readonly potential?: number;
  /** Verdict on the whole episode, which it ends. */
  readonly verdict?: Verdict;
}

/** A state and its goal, cell by cell: fields of a record, squares of a board. */
export interface ComparedState {
  readonly cells: readonly string[];
  /** [cells] */
  readonly goal: readonly string[];
}

/** Calls of tools in an episode. */
export interface ToolCalls {
  /** Calls so far, including those that no tool could answer. */
  readonly made: number;
  /** Calls that an expert would still make before answering, for facts that are still unknown. */
  readonly open: number;
}

/** Optional facts about a state, named as the environment's members that compute them. */
export const STATE_FACTS = ['distance', 'milestones', 'compared', 'guard', 'calls'] as const;
/** An optional fact about a state. */
export type StateFact = (typeof STATE_FACTS)[number];

/** The facts about a state. */
export interface KnownState {
  /** Equal for equal states. */
  readonly key: string;
  readonly distance?: number;
  readonly milestones?: readonly boolean[];
  readonly compared?: ComparedState;
  readonly calls?: ToolCalls;
}

/**
 * How a problem is played: I is its identity, S a state, both plain JSON. Only `rng` is random; it is keyed by problem,
 * rollout and turn, so the same actions lead to the same states.
 */
export interface EnvironmentDefinition<I extends Json, S extends Json, K extends Knobs> {
  /** The state before the first action. The task's `prompt` asks the policy. */
  start(identity: I, knobs: K, rng: Rng): S;
  /** Total: any text is an action. Changes nothing. */
  step(state: S, action: string, knobs: K, rng: Rng): EnvironmentStep<S>;
  /** An action that a perfect player takes here, which may know what the policy does not. */
  expert(state: S, knobs: K, rng: Rng): string;
  /** An action of a player who knows only the rules. */
  random(state: S, knobs: K, rng: Rng): string;
  /** An action of a warm start's teacher, who errs. Default: the expert's in 7 of 10 turns, otherwise a random one. */
  teacher?(state: S, knobs: K, rng: Rng): string;
  turnLimits(knobs: K): TurnLimits;
  /** Fewest actions from a state to won; undefined: none lead there. */
  distance?(state: S, knobs: K): number | undefined;
  /** Milestones on the way to winning, and whether a state has reached them: the same list throughout an episode. */
  milestones?(state: S, knobs: K): readonly boolean[];
  /** The state compared with the winning one. */
  compared?(state: S, knobs: K): ComparedState;
  /** Calls of tools before and after a state. */
  calls?(state: S, knobs: K): ToolCalls;
  /** Why a legal action should not be taken: the policy reads this instead of the action's effect. */
  guard?(state: S, action: string, knobs: K): string | undefined;
  /** Whether chance can make the best player lose; absent: an expert wins every episode. */
  chanceDecides?(knobs: K): boolean;
  /** Names of the tools that may be called, where it has some. */
  toolNames?(knobs: K): readonly string[];
  /** The same environment as a pretrained model plays it, in words. @param template  its chat template, as Jinja */
  inWords?(template: string | undefined): EnvironmentDefinition<I, S, K>;
  /** The tools as a pretrained model reads them; `system` for chat templates without a place for tools. */
  introduction?(knobs: K): { readonly system?: string; readonly tools?: readonly ToolSchema[] };
}

/** Most tokens of an episode: all but the last action are answered. */
export function mostEpisodeTokens({ maxTurns, actionTokens, observationTokens }: TurnLimits): number {
  return maxTurns * actionTokens + (maxTurns - 1) * observationTokens;
}

/** An episode under way, as plain JSON. */
export interface EpisodeState {
  readonly state: Json;
  /** Number of the next action, from 0. */
  readonly turn: number;
  /** Actions so far that broke the rules. */
  readonly illegal: number;
}

/** What an action led to in an episode. */
export interface EpisodeStep extends Omit<EnvironmentStep<Json>, 'state'> {
  readonly next: EpisodeState;
  /** Actions taken in the turn, whose answers the observation joins; absent: one. */
  readonly actions?: number;
  /** Calls in the turn, whose answers share the room of one; absent: one. */
  readonly calls?: number;
  /** A guard denied the action, which was not taken. */
  readonly denied?: true;
  /** Facts about the states before and after it, if the context `wantsStates`. */
  readonly before?: KnownState;
  readonly after?: KnownState;
}

/** An environment that runs elsewhere: its answers take time, and may differ when asked again. */
export interface DistantEnvironment {
  /** Most episodes that may be under way at once. */
  readonly mostAtOnce: number;
  /**
   * A new episode.
   *
   * @param stream  as `Environment.start` has it
   * @param weightsVersion  of the policy that plays it: with problem and stream, it tells this episode from all others
   * of a run
   */
  play(item: TaskItem, stream: string, weightsVersion: number): DistantEpisode;
  /** Records every answer from now on with the run, and replays recorded ones instead of asking. */
  recordIn(files: AnswerFiles): Promise<void>;
  /** Called after a checkpoint: answers from before the newest `keep` checkpoints may be removed. */
  checkpointed(weightsVersion: number, keep: number): Promise<void>;
  /** Ends its connections; the next episode opens new ones. */
  close(): void;
}

/** A turn as it was sampled: of all tokens of its episode so far those from `begin`. Valid until it is answered. */
export interface SampledTurn {
  readonly tokens: Int32Array;
  readonly begin: number;
  /** [tokens] as `Completion` has them. */
  readonly logprobs: Float32Array;
  readonly keptLogMass: Float32Array;
}

/** An episode in a distant environment. */
export interface DistantEpisode {
  /** As `Environment.step`. @throws PluginError if no usable answer comes */
  step(
    before: EpisodeState,
    action: string,
    context: VerifyContext & { readonly sampled?: SampledTurn },
  ): Promise<EpisodeStep>;
  /** Ends or abandons it. @throws what recording its answers throws */
  end(): Promise<void>;
}

/** The problems of a task, or of a set of them, as episodes. */
export interface Environment {
  /** Most turns of the policy in an episode; 1: every problem has a single answer. */
  readonly maxTurns: number;
  /** Length limits over all tasks; absent: every problem has a single answer. */
  readonly longest?: TurnLimits;
  /** Ids of the forms in which turns are written; absent: a turn is an action. */
  readonly forms?: readonly string[];
  /** The prompt as turns of a conversation. */
  prompt(item: TaskItem): readonly Message[];
  /** Whether a problem is played in turns; the others have a single answer, which their task's `verify` judges. */
  plays(item: TaskItem): boolean;
  /** @param stream  keys the random draws: different for each rollout, the same in a replay */
  start(item: TaskItem, stream: string): EpisodeState;
  /** @param action  the text of a turn, its end stripped */
  step(item: TaskItem, before: EpisodeState, action: string, stream: string, context: VerifyContext): EpisodeStep;
  /** The action of another player. @param stream  keys its random draws */
  act(player: Player, item: TaskItem, at: EpisodeState, stream: string): string;
  /** The distant environment of a problem, which replaces `start` and `step`; undefined: it is local. */
  distant(item: TaskItem): DistantEnvironment | undefined;
  /** Most tokens of one turn of the policy, its end included. */
  turnTokens(item: TaskItem): number;
  /**
   * The tokens that the policy reads after a turn. @param finishReason why its turn ended @throws PluginError if it
   * exceeds its task's limit, or cannot be written
   */
  observationTokens(item: TaskItem, step: EpisodeStep, finishReason: FinishReason): Int32Array;
}

/** A task's environment at its knobs. */
export interface BoundEnvironment extends Pick<Environment, 'start' | 'step' | 'act'> {
  /** The facts that it knows about its states. */
  readonly knows: readonly StateFact[];
}

/** One turn of a played episode. */
export interface PlayedTurn {
  /** `policy`, or the speaker of the answer. */
  readonly from: string;
  readonly text: string;
  /** A teacher's action that differs from the expert's. */
  readonly errs?: true;
}

/** An episode that was played to its end, or until its player stopped. */
export interface PlayedEpisode {
  /** In turns: an action, its answer, the next action, …; the last one is an action. */
  readonly turns: readonly PlayedTurn[];
  readonly verdict: Verdict;
  /** Sum of the single actions' rewards. */
  readonly reward: number;
}

/** What an item asks, as turns. */
export function questionOf({ messages, prompt }: TaskItem): readonly Message[] {
  return messages ?? [{ role: 'user', content: prompt }];
}
