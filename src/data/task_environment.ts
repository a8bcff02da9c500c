/** The problems of a set of tasks as episodes, in the tokens of its codec. */
import { PluginError } from '../errors.ts';
import type { FinishReason } from '../rewards/verdict.ts';
import type { Codec, Message } from '../text/codec.ts';
import { TOKEN } from '../token_kinds.ts';
import type { Environment, PlayedEpisode, PlayedTurn, TurnLimits } from './environment.ts';
import { ENVIRONMENT_TURN, POLICY_TURN, questionOf } from './environment.ts';
import type { TaskItem } from './problem.ts';
import type { Demonstration } from './prompts/dialogue_tokens.ts';
import { observationTokens } from './prompts/observation_tokens.ts';
import { withOpening } from './prompts/style.ts';
import type { Task } from './task.ts';

/** The tasks of a set, and their limits. */
export interface Played {
  readonly codec: Codec;
  taskOf(item: TaskItem): Task;
  /** Episode limits of each task; undefined if its problems have a single answer. */
  readonly turns: ReadonlyMap<Task, TurnLimits | undefined>;
  /** Most tokens of a single answer. */
  maxCompletionTokens(): number;
}

/** The environment of a set of tasks. */
export function environmentOf({ codec, taskOf, turns, maxCompletionTokens }: Played): Environment {
  const longest = longestOf([...turns.values()].flatMap((limits) => limits ?? []));
  const played = (item: TaskItem): Pick<Environment, 'start' | 'step' | 'act'> => {
    const { name, environment } = taskOf(item);
    if (environment === undefined)
      throw new RangeError(`${name} is answered by one text, or played elsewhere: ask its verify()`);
    return environment;
  };
  return {
    maxTurns: longest?.maxTurns ?? 1,
    ...(longest && { longest }),
    prompt(item) {
      const { opening, tools } = taskOf(item);
      return withTools(withOpening(opening, questionOf(item)), tools);
    },
    plays(item) {
      const { environment, distant } = taskOf(item);
      return (environment ?? distant) !== undefined;
    },
    distant: (item) => taskOf(item).distant,
    start: (item, stream) => played(item).start(item, stream),
    step: (item, ...rest) => played(item).step(item, ...rest),
    act: (player, item, ...rest) => played(item).act(player, item, ...rest),
    turnTokens: (item) => turns.get(taskOf(item))?.actionTokens ?? maxCompletionTokens(),
    observationTokens(item, { observation = '', from = ENVIRONMENT_TURN, actions = 1, calls = 1 }, finishReason) {
      const task = taskOf(item);
      const most = actions * (turns.get(task)?.observationTokens ?? 0);
      const prefix = `task "${task.name}": step() says ${JSON.stringify(observation)}`;
      const tokensOf = (text: string): Int32Array => written(codec, { text, from, finishReason }, prefix);
      let tokens = tokensOf(observation);
      if (tokens.length <= most) return tokens;
      // A tool's answer may repeat what the policy wrote, multi-token characters included, and the policy decides how
      // often it calls, so the answer is cut to its room.
      if (task.language.turns?.observationCharacters !== undefined || calls > 1) {
        for (let left = observation.length; left > 0 && tokens.length > most; ) {
          left = Math.max(0, left - (tokens.length - most));
          tokens = tokensOf(observation.slice(0, left));
        }
        if (tokens.length <= most) return tokens;
      }
      const limit = task.language.limitsAreTokens
        ? `observation_tokens is ${most}; raise it`
        : `turnLimits() says at most ${most}; raise observationTokens there`;
      const rule = `that is ${tokens.length} tokens, and ${limit}`;
      throw new PluginError('task-failed', `${prefix}: ${rule}, or say it in fewer.`, { observation, most });
    },
  };
}

interface Said {
  readonly text: string;
  readonly from: string;
  readonly finishReason: FinishReason;
}

/** @throws PluginError if the vocabulary cannot write it */
function written(codec: Codec, { text, from, finishReason }: Said, prefix: string): Int32Array {
  try {
    return observationTokens(codec, text, from, finishReason);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PluginError('task-failed', `${prefix}, which cannot be written: ${reason}`, { observation: text });
  }
}

/**
 * An episode as a supervised stage learns it: only the policy's turns have a loss. @param learnErrors whether the
 * teacher's errors have a loss too; an episode of only errors always has one
 */
export function episodeDemonstration(
  codec: Codec,
  prompt: Int32Array,
  { turns }: PlayedEpisode,
  learnErrors: boolean,
): Demonstration {
  const tokens: number[] = [];
  const labels: number[] = [];
  const isRight = ({ from, errs }: PlayedTurn): boolean => from === POLICY_TURN && errs === undefined;
  const skipsErrors = !learnErrors && turns.some(isRight);
  for (const turn of turns) {
    const { from, text } = turn;
    const isAction = from === POLICY_TURN;
    const turnTokens = isAction
      ? [...codec.encode(text), codec.eosTokenId]
      : observationTokens(codec, text, from, 'eos');
    const label = isAction && (isRight(turn) || !skipsErrors) ? TOKEN.reference : TOKEN.given;
    for (const token of turnTokens) {
      tokens.push(token);
      labels.push(label);
    }
  }
  const end = labels.lastIndexOf(TOKEN.reference) + 1;
  return {
    prompt,
    tokens: Int32Array.from(tokens.slice(0, end)),
    labels: Uint8Array.from(labels.slice(0, end)),
  };
}

/** A conversation in which tools may be called. */
export function withTools(messages: readonly Message[], tools: Message['tools']): readonly Message[] {
  const [first, ...rest] = messages;
  return tools === undefined || first === undefined ? messages : [{ ...first, tools }, ...rest];
}

/** Adds room for longer texts than the measured ones. */
export function withRoom(tokens: number): number {
  return Math.ceil(tokens * 1.25) + 4;
}

/** Turn limits in a pretrained model's tokens, which no task knows, measured on a teacher's episodes. */
export function measuredTurns(codec: Codec, limits: TurnLimits, episodes: readonly PlayedEpisode[]): TurnLimits {
  const { maxTurns, observationCharacters: most } = limits;
  let actionTokens = 1;
  // A text has no more tokens than characters, and the template's around it.
  let observed = most === undefined ? 1 : most + observationTokens(codec, '?', ENVIRONMENT_TURN, 'length').length;
  for (const { turns } of episodes) {
    for (const { from, text } of turns) {
      if (from === POLICY_TURN) actionTokens = Math.max(actionTokens, codec.encode(text).length + 1);
      else observed = Math.max(observed, observationTokens(codec, text, from, 'length').length);
    }
  }
  return { maxTurns, actionTokens: withRoom(actionTokens), observationTokens: withRoom(observed) };
}

/** Limits that cover the episodes of every task. */
function longestOf(limits: readonly TurnLimits[]): TurnLimits | undefined {
  if (limits.length === 0) return undefined;
  const most = (limitOf: (limit: TurnLimits) => number): number => Math.max(...limits.map(limitOf));
  return {
    maxTurns: most(({ maxTurns }) => maxTurns),
    actionTokens: most(({ actionTokens }) => actionTokens),
    observationTokens: most((limit) => limit.observationTokens),
  };
}
