/**
 * A task with tools: an action that is a call is answered by the tool, and an action without one is the final answer, which
 * the task judges. Made on top of `environmentTask`.
 */
import type { EnvironmentStep } from '../../../../src/data/environment.ts';
import type { Knobs, TaskCard, TaskDefinition } from '../../../../src/data/task.ts';
import { type Rng, rngFor } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import { key } from '../../../../src/options/keys.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import { type EnvironmentTask, environmentTask } from '../environment_task.ts';
import {
  CALL_FORMATS,
  type CallFormat,
  callFormatOf,
  type ReadCall,
  showsTools,
  type ToolCall,
  toolsInWords,
} from './call_formats.ts';
import { failureOf, readArguments, type Tool, type ToolAnswer, toolSchema } from './tool.ts';
import { toolsKnob } from './tools_knob.ts';

/** An episode with tools under way. */
export type ToolState<I extends Json, S extends Json> = {
  readonly identity: I;
  /** What the tools work on. */
  readonly state: S;
  /** What those that were answered have given so far, in order. */
  readonly results: readonly string[];
  /** Calls so far, those that could not be answered included. */
  readonly made: number;
};

/** What an environment with tools says of itself. */
export interface ToolEnvironment<I extends Json, S extends Json, K extends Knobs>
  extends Omit<
    EnvironmentTask<I, ToolState<I, S>, K>,
    'start' | 'step' | 'expert' | 'random' | 'teacher' | 'longest' | 'calls'
  > {
  readonly tools: readonly Tool<S>[];
  /** What the tools work on before the first call. */
  start(identity: I, knobs: K, rng: Rng): S;
  /** Judges a final answer. */
  verify(episode: ToolState<I, S>, answer: string, knobs: K): Verdict;
  /** A call, or the final answer, of a perfect player; `tools` of the knobs are those that he has. */
  expert(episode: ToolState<I, S>, knobs: K, rng: Rng): ToolCall | string;
  /** One that knows the rules alone. */
  random(episode: ToolState<I, S>, knobs: K, rng: Rng): ToolCall | string;
  /** One of the teacher of a warm start, who errs. Default: the expert's in 7 of 10 turns, and a random one. */
  teacher?(episode: ToolState<I, S>, knobs: K, rng: Rng): ToolCall | string;
  /** Most turns with calls, and most characters of a prompt, of the values of a call, of what a tool gives, and of an answer. */
  longest(knobs: K): {
    readonly calls: number;
    readonly prompt: number;
    readonly values: number;
    readonly observation: number;
    readonly answer: number;
    readonly question?: number;
  };
}

/** What a call that cannot be answered reads in a closed vocabulary. */
const REFUSED = '?';
/** Characters of what one reads in words. */
const ERROR_CHARACTERS = 120;
const [TAGS] = CALL_FORMATS;

/** A definition of a card and of what only the environment knows. Its knob `tools` says which tools the policy has. */
export function toolEnvironment<I extends Json, S extends Json, K extends Knobs>(
  card: TaskCard<K>,
  definition: ToolEnvironment<I, S, K>,
): TaskDefinition<I, K> {
  const { tools, start, verify, expert, random, teacher, longest, characters, ...own } = definition;
  const names = tools.map(({ name }) => name);
  const [first, ...others] = names;
  const knobs =
    card.knobs.tools || first === undefined
      ? card.knobs
      : { ...card.knobs, tools: key('tools', toolsKnob([first, ...others])) };
  const has = ({ tools: given = names }: Knobs): readonly Tool<S>[] =>
    tools.filter(({ name }) => (given as readonly string[]).includes(name));
  const mostSaid = (given: K, isInWords: boolean): number =>
    Math.max(isInWords ? ERROR_CHARACTERS : REFUSED.length, longest(given).observation);
  type Player = (episode: ToolState<I, S>, knobs: K, rng: Rng) => ToolCall | string;

  const speaking = (format: CallFormat, isInWords: boolean) => {
    const acting =
      (player: Player) =>
      (episode: ToolState<I, S>, given: K, rng: Rng): string => {
        const action = player(episode, given, rng);
        if (typeof action === 'string') return action;
        const called = tools.find(({ name }) => name === action.call);
        return format.write(action, called?.parameters ?? {});
      };
    return {
      start: (identity: I, given: K, rng: Rng): ToolState<I, S> => ({
        identity,
        state: start(identity, given, rng),
        results: [],
        made: 0,
      }),
      step(episode: ToolState<I, S>, action: string, given: K, rng: Rng): EnvironmentStep<ToolState<I, S>> {
        const calls = format.read(action);
        if (calls.length === 0) {
          return { state: episode, verdict: verify(episode, isInWords ? action.trim() : action, given) };
        }
        return answered(episode, calls, has(given), rng, { isInWords, most: mostSaid(given, isInWords) });
      },
      expert: acting(expert),
      random: acting(random),
      ...(teacher && { teacher: acting(teacher) }),
    };
  };
  /** Calls that the expert makes one after the other until he answers. */
  const openCalls = (from: ToolState<I, S>, given: K): number => {
    const rng = rngFor('open calls');
    const room = { isInWords: false, most: mostSaid(given, false) };
    let at = from;
    for (let open = 0; ; open++) {
      const next = expert(at, given, rng);
      if (typeof next === 'string' || open === longest(given).calls) return open;
      at = answered(at, [{ name: next.call, given: next.arguments }], has(given), rng, room).state;
    }
  };
  const made = environmentTask<I, ToolState<I, S>, K>(
    { ...card, knobs },
    {
      ...own,
      ...speaking(TAGS, false),
      calls: (episode, given) => ({ made: episode.made, open: openCalls(episode, given) }),
      characters: `${characters}<call></call> ${REFUSED}${names.join('')}`,
      longest(given) {
        const { calls, prompt, values, answer, question } = longest(given);
        const lengths = has(given).map(({ name }) => '<call></call> '.length + name.length + values);
        return {
          turns: lengths.length === 0 ? 1 : calls + 1,
          prompt,
          action: Math.max(answer, ...lengths),
          observation: mostSaid(given, false),
          question,
        };
      },
    },
  );
  const environment = made.environment as NonNullable<typeof made.environment>; // environmentTask gives one
  const inWords = (template: string | undefined): typeof environment => ({
    ...environment,
    ...(speaking(callFormatOf(template), true) as unknown as Pick<
      typeof environment,
      'start' | 'step' | 'expert' | 'random' | 'teacher'
    >),
    turnLimits: (given) => ({
      ...environment.turnLimits(given),
      observationCharacters: mostSaid(given as K, true), // its own knobs
    }),
    introduction: (given) => {
      const own = has(given);
      if (own.length === 0) return {};
      return showsTools(template) ? { tools: own.map((one) => toolSchema(one)) } : { system: toolsInWords(own) };
    },
  });
  return {
    ...made,
    environment: { ...environment, toolNames: (given) => has(given).map(({ name }) => name), inWords },
  };
}

/**
 * What the calls of a turn lead to, one after the other: each is paid, and what they give is one text, in words a line each.
 * A call that cannot be answered leaves no result, and breaks the rules unless the tool itself failed.
 */
function answered<I extends Json, S extends Json>(
  episode: ToolState<I, S>,
  calls: readonly ReadCall[],
  tools: readonly Tool<S>[],
  rng: Rng,
  { isInWords, most }: { readonly isInWords: boolean; readonly most: number },
): EnvironmentStep<ToolState<I, S>> {
  let { state, made } = episode;
  const texts: string[] = [];
  const results: string[] = [];
  let step: Omit<EnvironmentStep<S>, 'state'> = {};
  for (const written of calls) {
    const { flaw, observation = '', state: after, isFailure, ...own } = answer(written, tools, state, rng);
    state = after;
    made++;
    texts.push(flaw === undefined ? observation : isInWords ? `error: ${flaw}` : REFUSED);
    if (flaw === undefined) results.push(observation);
    const isIllegal = step.illegal || (flaw !== undefined && !isFailure);
    const reward = own.reward === undefined ? step.reward : (step.reward ?? 0) + own.reward;
    step = { ...step, ...own, ...(reward !== undefined && { reward }), ...(isIllegal && { illegal: true }) };
    if (own.verdict !== undefined) break;
  }
  const observation = texts.join(isInWords ? '\n' : ' ').slice(0, most);
  return { ...step, state: { ...episode, state, results: [...episode.results, ...results], made }, observation };
}

/** What one call leads to: what is wrong with it where no tool can answer it. */
function answer<S extends Json>(
  written: ReadCall,
  tools: readonly Tool<S>[],
  state: S,
  rng: Rng,
): ToolAnswer<S> & { readonly from: string } {
  if (written.flaw !== undefined) return { from: TOOLS, state, flaw: written.flaw };
  const called = tools.find(({ name }) => name === written.name);
  if (called === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return { from: TOOLS, state, flaw: names === '' ? 'there are no tools' : `no such tool; there is ${names}` };
  }
  const read = readArguments(called, written.given, written.areTexts);
  if (!read.ok) return { from: called.name, state, flaw: read.reason };
  try {
    return { ...called.call(read.values, state, rng), from: called.name };
  } catch (thrown) {
    return { from: called.name, state, flaw: failureOf(thrown), isFailure: true };
  }
}

/** Who answers a call of no tool. */
const TOOLS = 'tools';
