/**
 * What a policy acts in over several turns. Pure: a state goes in and a state comes out, as plain JSON, so that a resume and
 * a tree search can copy it, and chance comes from a generator that is given. A task whose problem is answered by one text
 * is an environment of one turn.
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

/** Who answers the policy where the environment does not say. */
export const ENVIRONMENT_TURN = 'environment';

/** Who plays in the policy's place: one who may know what it does not, the teacher of a warm start, one who knows the rules. */
export type Player = 'expert' | 'teacher' | 'random';

/** How long an episode may become. */
export interface TurnLimits {
  /** Turns of the policy, at least 1. An episode that has not ended with the last of them is lost. */
  readonly maxTurns: number;
  /** Most tokens of an action, with the EOS that ends it. */
  readonly actionTokens: number;
  /** Most tokens of what an action is answered with. */
  readonly observationTokens: number;
  /** Most characters of it, where a pretrained model may read more than a teacher does. */
  readonly observationCharacters?: number;
}

/** What an action leads to. */
export interface EnvironmentStep<S> {
  readonly state: S;
  /** What the policy reads before its next action. */
  readonly observation?: string;
  /** Who says it: `environment`, which is the default, or the name of a tool. */
  readonly from?: string;
  /** The action breaks the rules, as the observation says; three of them end the episode, and the state should be as before. */
  readonly illegal?: true;
  /** Reward of this action alone, where single actions are paid. */
  readonly reward?: number;
  /** How far the state is from won, in [0, 1], where the environment knows: 1 is won. */
  readonly potential?: number;
  /** On the whole episode, which is over where there is one. */
  readonly verdict?: Verdict;
}

/** A state beside what it should be, cell by cell: fields of a record, places of a board. */
export interface ComparedState {
  readonly cells: readonly string[];
  /** [cells] */
  readonly goal: readonly string[];
}

/** Calls of tools in an episode. */
export interface ToolCalls {
  /** So far, those that no tool could answer included. */
  readonly made: number;
  /** Those that an expert would still make before he answers: facts that are not known yet. */
  readonly open: number;
}

/** What may be known of a state besides how far it is from won, by the member of the environment that knows it. */
export const STATE_FACTS = ['distance', 'milestones', 'compared', 'guard', 'calls'] as const;
/** What an environment may know of a state, beside how it is played. */
export type StateFact = (typeof STATE_FACTS)[number];

/** What an environment knows of a state. */
export interface KnownState {
  /** The same for two states where they are the same. */
  readonly key: string;
  readonly distance?: number;
  readonly milestones?: readonly boolean[];
  readonly compared?: ComparedState;
  readonly calls?: ToolCalls;
}

/**
 * How a problem is played: I is its identity, S a state, both plain JSON. Chance is `rng` alone, which is keyed by problem,
 * rollout and turn: the same actions lead to the same states.
 */
export interface EnvironmentDefinition<I extends Json, S extends Json, K extends Knobs> {
  /** The state before the first action. What the policy is asked is `prompt` of the task. */
  start(identity: I, knobs: K, rng: Rng): S;
  /** Total: any text is an action. Changes nothing. */
  step(state: S, action: string, knobs: K, rng: Rng): EnvironmentStep<S>;
  /** An action that a perfect player takes here, which may know what the policy does not. */
  expert(state: S, knobs: K, rng: Rng): string;
  /** An action that a player takes who knows the rules alone. */
  random(state: S, knobs: K, rng: Rng): string;
  /** An action of the teacher of a warm start, who errs. Default: the expert's in 7 of 10 turns, and a random one. */
  teacher?(state: S, knobs: K, rng: Rng): string;
  turnLimits(knobs: K): TurnLimits;
  /** Fewest actions from a state to won; undefined: none lead there. */
  distance?(state: S, knobs: K): number | undefined;
  /** Parts of the way to won, reached in a state or not: the same ones in the same order all through an episode. */
  milestones?(state: S, knobs: K): readonly boolean[];
  /** The state beside the one that wins. */
  compared?(state: S, knobs: K): ComparedState;
  /** Calls of tools up to a state, and from there on. */
  calls?(state: S, knobs: K): ToolCalls;
  /** Why an action that the rules allow should not be taken: what the policy then reads in the place of its effect. */
  guard?(state: S, action: string, knobs: K): string | undefined;
  /** Whether the best player may lose, as chance decides too; absent: an expert wins every episode. */
  chanceDecides?(knobs: K): boolean;
  /** Names of the tools that may be called, where it has some. */
  toolNames?(knobs: K): readonly string[];
  /** The same environment as a pretrained model plays it, in words. @param template  its chat template, as Jinja */
  inWords?(template: string | undefined): EnvironmentDefinition<I, S, K>;
  /** What a pretrained model reads of the tools: a system message, where its chat template has no place for them. */
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
  /** Actions of the turn that were taken, whose answers the observation joins; absent: one. */
  readonly actions?: number;
  /** Calls of the turn, whose answers have the room of one together; absent: one. */
  readonly calls?: number;
  /** A guard denied the action, which was not taken. */
  readonly denied?: true;
  /** What is known of the states before and after it, where the context `wantsStates`. */
  readonly before?: KnownState;
  readonly after?: KnownState;
}

/** What answers turns from elsewhere: its answers take time, and need not be the same when it is asked again. */
export interface DistantEnvironment {
  /** Most episodes that may be under way at once. */
  readonly mostAtOnce: number;
  /**
   * An episode that nobody has acted in yet.
   *
   * @param stream  as `Environment.start` has it
   * @param weightsVersion  of the policy that plays it: with problem and stream, it tells this episode from all others of a run
   */
  play(item: TaskItem, stream: string, weightsVersion: number): DistantEpisode;
  /** Keeps every answer from now on with the run, and gives those that are there in the place of asking. */
  recordIn(files: AnswerFiles): Promise<void>;
  /** A checkpoint was saved; answers that no checkpoint of the newest `keep` goes back to may be forgotten. */
  checkpointed(weightsVersion: number, keep: number): Promise<void>;
  /** Ends its connections; the next episode opens new ones. */
  close(): void;
}

/** An episode that is answered from elsewhere. */
export interface DistantEpisode {
  /** As `Environment.step`. @throws PluginError where no answer comes, or one that cannot be used */
  step(before: EpisodeState, action: string, context: VerifyContext): Promise<EpisodeStep>;
  /** It is over, or given up. @throws what keeping its answers throws */
  end(): Promise<void>;
}

/** The problems of a task, or of a set of them, as episodes. */
export interface Environment {
  /** Most turns of the policy in an episode; 1: every problem is answered by one text. */
  readonly maxTurns: number;
  /** How long an episode of any task may become; absent: every problem is answered by one text. */
  readonly longest?: TurnLimits;
  /** Ids of the forms in which turns are written; absent: a turn is an action. */
  readonly forms?: readonly string[];
  /** What the policy is asked, as turns of a conversation. */
  prompt(item: TaskItem): readonly Message[];
  /** Whether a problem is played in turns; the others are answered by one text, and `verify` of their task judges it. */
  plays(item: TaskItem): boolean;
  /** @param stream  keys what is drawn by chance: other for each rollout, the same wherever it is played again */
  start(item: TaskItem, stream: string): EpisodeState;
  /** @param action  the text of a turn, its end stripped */
  step(item: TaskItem, before: EpisodeState, action: string, stream: string, context: VerifyContext): EpisodeStep;
  /** What another than the policy does there. @param stream  keys what he draws by chance */
  act(player: Player, item: TaskItem, at: EpisodeState, stream: string): string;
  /** What answers a problem's turns in the place of `start` and `step`, where it is elsewhere. */
  distant(item: TaskItem): DistantEnvironment | undefined;
  /** Most tokens of one turn of the policy, its end included. */
  turnTokens(item: TaskItem): number;
  /**
   * What the policy reads after a turn, in tokens.
   * @param finishReason  why its turn ended
   * @throws PluginError where it is longer than its task says, or cannot be written
   */
  observationTokens(item: TaskItem, step: EpisodeStep, finishReason: FinishReason): Int32Array;
}

/** What a task says of its episodes, at its knobs. */
export interface BoundEnvironment extends Pick<Environment, 'start' | 'step' | 'act'> {
  /** What it knows of its states. */
  readonly knows: readonly StateFact[];
}

/** One turn of a played episode. */
export interface PlayedTurn {
  /** `policy`, or who answered it. */
  readonly from: string;
  readonly text: string;
  /** An action of a teacher where an expert takes another one. */
  readonly errs?: true;
}

/** An episode that was played to its end, or as far as its player went. */
export interface PlayedEpisode {
  /** In turns: an action, its answer, the next action, …; the last one is an action. */
  readonly turns: readonly PlayedTurn[];
  readonly verdict: Verdict;
  /** Sum of the rewards of single actions. */
  readonly reward: number;
}

/** What an item asks, as turns. */
export function questionOf({ messages, prompt }: TaskItem): readonly Message[] {
  return messages ?? [{ role: 'user', content: prompt }];
}
