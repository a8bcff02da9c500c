/**
 * Classes of the form that TRL's `environment_factory` takes, as tasks: `reset(row)` begins an episode and may say something
 * below the prompt, every other public method is a tool, and `get_reward()` judges the end.
 *
 * An object of such a class changes; the states of an episode may not. So a state is the row and the calls so far, and each
 * step makes an object of them again, which has to depend on nothing else.
 */
import { correct } from '../../../../src/data/judge.ts';
import { canonicalJSON } from '../../../../src/data/split.ts';
import type { Knobs, TaskDefinition } from '../../../../src/data/task.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import { options } from '../../../../src/options/keys.ts';
import { wrongValue } from '../../../../src/rewards/reject.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import type { ToolCall } from './call_formats.ts';
import {
  failureOf,
  type Tool,
  type ToolAnswer,
  type ToolParameter,
  type ToolParameters,
  type ToolValues,
} from './tool.ts';
import { toolEnvironment } from './tool_environment.ts';

/** An object of such a class. */
export interface FactoryObject {
  /** @returns what is said below the prompt, if anything is */
  reset(row: never): unknown;
  /** From 0 to 1. @param answer  the final answer, which TRL does not give */
  get_reward(answer: string): number;
}

/** A class of that form. `tools` says of its methods what docstrings and type hints say in Python. */
export interface EnvironmentClass {
  new (): FactoryObject;
  readonly tools: Readonly<Record<string, { readonly description: string; readonly parameters?: ToolParameters }>>;
}

/** A row of the data set, its prompt among the columns. */
export type FactoryRow = { readonly prompt: string } & { readonly [column: string]: Json };

/** How a class of TRL's form becomes a task: its rows, and what bounds its episodes. */
export interface FactoryOptions<R extends FactoryRow> {
  readonly name: string;
  /** The data set: a fifth of it is held out. */
  readonly rows: readonly R[];
  /** A call or an answer of somebody who knows the row, after these results; without it there is nothing to warm-start from. */
  expert?(row: R, results: readonly string[]): ToolCall | string;
  /** The characters of a closed vocabulary. Default: those of a keyboard. */
  readonly characters?: string;
  /** Most turns with calls; default 8. */
  readonly calls?: number;
  /** Most characters of the values of a call, of what a tool says, and of an answer. Default 32, 128 and 32. */
  readonly longest?: { readonly values?: number; readonly observation?: number; readonly answer?: number };
  /** How often a player wins who knows nothing; default 0.5. */
  readonly chance?: number;
}

/** The row and the calls so far. */
type Played<R> = { readonly row: R; readonly calls: readonly { readonly name: string; readonly given: ToolValues }[] };

const KEYBOARD = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

/**
 * The task of a class, for the default export of a file:
 *
 * ```ts
 * export default environmentFactory(Counter, { name: 'counter', rows: [{ prompt: 'Count to 3.', goal: 3 }, …] });
 * ```
 *
 * What a method throws as an `Error` is an observation, as in TRL; a mistake in its code (a TypeError and the like) is not.
 *
 * @throws TypeError where the class is not of that form
 */
export function environmentFactory<R extends FactoryRow>(
  Class: EnvironmentClass,
  given: FactoryOptions<R>,
): TaskDefinition<R, Knobs> {
  requireForm(Class, given.name);
  const { name, rows, expert, calls = 8, longest = {}, chance = 0.5, characters = `${KEYBOARD}\n` } = given;
  const { values = 32, observation = 128, answer = 32 } = longest;
  const tools = Object.entries(Class.tools).map(([method, card]) => methodTool<R>(Class, method, card));
  const prompt = (row: R): string => begun(Class, row).prompt;
  const card = { name, version: 1, category: 'own', tier: 1, knobs: options({}), levels: [] } as const;
  const made = toolEnvironment<R, Played<R>, Knobs>(card, {
    family: name,
    characters,
    tools,
    generate: (rng) => rng.pick(rows),
    enumerate: () => rows,
    key: (row) => `${name}|${canonicalJSON(row)}`,
    prompt,
    question: prompt,
    start: (row) => ({ row, calls: [] }),
    verify: ({ state }, said) => verdictOf(replayed(Class, state), said, name),
    expert: ({ identity, results }) => expert?.(identity, results) ?? '',
    random: (_, __, rng) => randomCall(tools, rng),
    chance: () => chance,
    ...(expert === undefined && { chanceDecides: () => true }),
    longest: () => ({
      calls,
      prompt: Math.max(1, ...rows.map((row) => prompt(row).length)),
      values,
      observation,
      answer,
    }),
  });
  return made;
}

/** An object at the beginning of an episode, and the whole prompt. */
function begun(Class: EnvironmentClass, row: FactoryRow): { readonly object: FactoryObject; readonly prompt: string } {
  const object = new Class();
  const said = object.reset(row as never);
  if (said !== undefined && said !== null && typeof said !== 'string') {
    throw new TypeError(`reset() gave ${kindOf(said)}; give a text, or nothing`);
  }
  return { object, prompt: said ? `${row.prompt}${said}` : row.prompt };
}

/** An object after the calls of a state; what they threw was an observation, and they are made again all the same. */
function replayed<R extends FactoryRow>(Class: EnvironmentClass, { row, calls }: Played<R>): FactoryObject {
  const { object } = begun(Class, row);
  for (const { name, given } of calls) said(object, name, given);
  return object;
}

/** What a method says: a text, or why it cannot. */
function said(
  object: FactoryObject,
  method: string,
  given: ToolValues,
): Pick<ToolAnswer<never>, 'observation' | 'flaw' | 'isFailure'> {
  const call = (object as unknown as Record<string, (values: ToolValues) => unknown>)[method];
  let value: unknown;
  try {
    value = call.call(object, structuredClone(given)); // it may keep a list, and change it
  } catch (thrown) {
    return { flaw: failureOf(thrown), isFailure: true };
  }
  if (typeof value === 'string') return { observation: value };
  const isSaid = value !== undefined && typeof value !== 'function' && !(value instanceof Promise);
  const text = isSaid ? JSON.stringify(value) : undefined;
  if (text !== undefined) return { observation: text };
  throw new TypeError(`${method}() gave ${kindOf(value)}; give a text, or what JSON can hold`);
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return 'a Promise';
  return value === null || value === undefined ? String(value) : `a value of type ${typeof value}`;
}

function methodTool<R extends FactoryRow>(
  Class: EnvironmentClass,
  name: string,
  { description, parameters = {} }: EnvironmentClass['tools'][string],
): Tool<Played<R>> {
  return {
    name,
    description,
    parameters,
    call(given, state): ToolAnswer<Played<R>> {
      const next = { ...state, calls: [...state.calls, { name, given }] };
      return { state: next, ...said(replayed(Class, state), name, given) };
    },
  };
}

function verdictOf(object: FactoryObject, answer: string, name: string): Verdict {
  const reward: unknown = object.get_reward(answer);
  if (typeof reward !== 'number' || !(reward >= 0 && reward <= 1)) {
    throw new TypeError(`get_reward() of ${name} gave ${String(reward)}; give a number from 0 to 1`);
  }
  return reward === 1
    ? correct('its reward is 1', answer)
    : { ...wrongValue(`its reward is ${reward}`), score: reward };
}

function randomCall(tools: readonly Pick<Tool, 'name' | 'parameters'>[], rng: Rng): ToolCall | string {
  if (tools.length === 0 || rng.float() < 0.2) return String(rng.int(0, 9));
  const { name, parameters } = rng.pick(tools);
  const values = Object.entries(parameters).map(([key, parameter]) => [key, randomValue(parameter, rng)] as const);
  return { call: name, arguments: Object.fromEntries(values) };
}

function randomValue({ type, enum: words }: ToolParameter, rng: Rng): Json {
  if (words !== undefined) return rng.pick(words);
  const numbers = (): number[] => Array.from({ length: rng.int(0, 3) }, () => rng.int(0, 99));
  switch (typeof type === 'string' ? type : rng.pick(type)) {
    case 'string':
      return String(rng.int(0, 99));
    case 'boolean':
      return rng.float() < 0.5;
    case 'array':
      return numbers();
    case 'object':
      return {};
    case 'null':
      return null;
    default:
      return rng.int(0, 99);
  }
}

/** @throws TypeError naming what is missing */
function requireForm(Class: EnvironmentClass, name: string): void {
  const refuse = (rule: string): never => {
    throw new TypeError(`environmentFactory of ${name}: ${rule}`);
  };
  if (typeof Class !== 'function') refuse('it takes a class, as TRL does; give the class itself, not an object of it');
  const own = Object.getOwnPropertyNames(Class.prototype).filter((method) => !/^(?:constructor|_.*)$/.test(method));
  for (const needed of ['reset', 'get_reward']) {
    if (!own.includes(needed)) refuse(`its class lacks ${needed}(); add it`);
  }
  const methods = own.filter((method) => method !== 'reset' && method !== 'get_reward');
  const declared = Object.keys(Class.tools ?? {});
  const unknown = declared.find((tool) => !methods.includes(tool));
  if (unknown !== undefined)
    refuse(`static tools names ${unknown}, which is no public method of it; add the method, or leave it out`);
  const silent = methods.find((method) => !declared.includes(method));
  if (silent !== undefined) {
    refuse(
      `static tools says nothing of the method ${silent}(); add {description, parameters}, or begin its name with # or _`,
    );
  }
}
