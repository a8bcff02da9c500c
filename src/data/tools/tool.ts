/** A tool that a policy may call: its card, as chat templates show it, and a pure function. */
import type { Rng } from '../../kernels/philox.ts';
import type { Json } from '../../options/json.ts';
import type { ToolSchema } from '../../text/codec.ts';
import type { EnvironmentStep } from '../environment.ts';

/** A parameter of a tool, in the words of JSON Schema. */
export interface ToolParameter {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description?: string;
  /** The values that it may have. */
  readonly enum?: readonly string[];
  /** A call may leave it out. */
  readonly optional?: true;
}

/** What a tool takes, by name. */
export type ToolParameters = Readonly<Record<string, ToolParameter>>;

type ValueOf<P extends ToolParameter> = P['type'] extends 'string'
  ? string
  : P['type'] extends 'boolean'
    ? boolean
    : number;

/** The arguments of a call, as they were declared. */
export type ToolArguments<P extends ToolParameters> = {
  readonly [N in keyof P]: ValueOf<P[N]> | (P[N] extends { readonly optional: true } ? undefined : never);
};

/** Those of any call, by name. */
export type ToolValues = Readonly<Record<string, string | number | boolean>>;

/** What a call leads to: an observation, and a verdict only where the call ends the episode. */
export interface ToolAnswer<S> extends Omit<EnvironmentStep<S>, 'from' | 'illegal'> {
  /** Why this cannot be done, in place of an observation. */
  readonly flaw?: string;
}

/** A tool over states S, which are plain JSON. */
export interface Tool<S extends Json = Json> {
  /** Letters, digits and underscores. */
  readonly name: string;
  /** What it does, in a sentence: a model reads it. */
  readonly description: string;
  readonly parameters: ToolParameters;
  /** Pure: chance is `rng` alone, and the state is not changed. */
  call(given: ToolValues, state: S, rng: Rng): ToolAnswer<S>;
}

/** A tool whose arguments have the types of its parameters. */
interface TypedTool<S extends Json, P extends ToolParameters> extends Omit<Tool<S>, 'parameters' | 'call'> {
  readonly parameters: P;
  call(given: ToolArguments<P>, state: S, rng: Rng): ToolAnswer<S>;
}

/** A tool as it is, written with arguments that are typed by its parameters. */
export function tool<S extends Json, const P extends ToolParameters>(declared: TypedTool<S, P>): Tool<S> {
  return declared as unknown as Tool<S>; // arguments are read by its parameters before it is called
}

/** A tool as chat templates take it. */
export function toolSchema({
  name,
  description,
  parameters,
}: Pick<Tool, 'name' | 'description' | 'parameters'>): ToolSchema {
  const properties = Object.entries(parameters).map(
    ([key, { optional: _, ...schema }]) => [key, schema as Json] as const,
  );
  const required = Object.keys(parameters).filter((key) => parameters[key].optional !== true);
  const schema = { type: 'object', properties: Object.fromEntries(properties), required };
  return { type: 'function', function: { name, description, parameters: schema } };
}

/** Arguments that fit a tool, or what is wrong with them. */
export type ArgumentsReading =
  | { readonly ok: true; readonly values: ToolValues }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads the arguments of a call.
 *
 * @param given  an object, as JSON gives it; or a text, whose words are the values in the order of the parameters: the
 *   last one takes what is left
 */
export function readArguments({ parameters }: Pick<Tool, 'parameters'>, given: unknown): ArgumentsReading {
  const named = typeof given === 'string' ? byPosition(parameters, given) : given;
  if (typeof named !== 'object' || named === null || Array.isArray(named)) return wrong('its arguments are no object');
  const unknown = Object.keys(named).find((key) => !Object.hasOwn(parameters, key));
  if (unknown !== undefined) return wrong(`it has no parameter ${unknown.slice(0, LONGEST_NAME)}`);
  const values: Record<string, string | number | boolean> = {};
  for (const [key, parameter] of Object.entries(parameters)) {
    const value: unknown = Object.hasOwn(named, key) ? (named as Record<string, unknown>)[key] : undefined;
    if (value === undefined && parameter.optional) continue;
    if (value === undefined) return wrong(`${key} is missing`);
    const read = typeof given === 'string' ? fromText(parameter, String(value)) : value;
    if (!isOfType(read, parameter))
      return wrong(`${key} is ${parameter.enum ? `one of ${parameter.enum.join(', ')}` : OF_TYPE[parameter.type]}`);
    values[key] = read;
  }
  return { ok: true, values };
}

const LONGEST_NAME = 24;

const OF_TYPE: Readonly<Record<ToolParameter['type'], string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

const wrong = (reason: string): ArgumentsReading => ({ ok: false, reason });

function byPosition(parameters: ToolParameters, text: string): Record<string, string> {
  const names = Object.keys(parameters);
  const words = text.split(' ');
  const values = names.map((name, i) => [name, words.slice(i, i === names.length - 1 ? undefined : i + 1).join(' ')]);
  return Object.fromEntries(values.filter(([, value], i) => value !== '' || (i < words.length && text !== '')));
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

function fromText({ type }: ToolParameter, text: string): unknown {
  if (type === 'string') return text;
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  return NUMBER.test(text) ? Number(text) : undefined;
}

function isOfType(value: unknown, { type, enum: words }: ToolParameter): value is string | number | boolean {
  if (words !== undefined && !words.includes(String(value))) return false;
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}
