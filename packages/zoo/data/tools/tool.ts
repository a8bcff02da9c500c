/** A tool that a policy may call: its card, as chat templates show it, and a pure function. */
import type { EnvironmentStep } from '../../../../src/data/environment.ts';
import { RlvrError } from '../../../../src/errors.ts';
import type { Rng } from '../../../../src/kernels/philox.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { ToolSchema } from '../../../../src/text/codec.ts';

/** The types of JSON Schema. */
export const VALUE_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];

/** A parameter of a tool, in the words of JSON Schema. */
export interface ToolParameter {
  /** Several: a value of any of them. */
  readonly type: ValueType | readonly ValueType[];
  readonly description?: string;
  /** The values that it may have. */
  readonly enum?: readonly string[];
  /** A call may leave it out. */
  readonly optional?: true;
  /** What a model is shown of it, where JSON Schema says more than these. */
  readonly schema?: Json;
}

/** What a tool takes, by name. */
export type ToolParameters = Readonly<Record<string, ToolParameter>>;

interface Values {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
  readonly array: readonly Json[];
  readonly object: { readonly [key: string]: Json };
  readonly null: null;
}

type ValueOf<P extends ToolParameter> = Values[P['type'] extends readonly ValueType[]
  ? P['type'][number]
  : P['type'] & ValueType];

/** The arguments of a call, as they were declared. */
export type ToolArguments<P extends ToolParameters> = {
  readonly [N in keyof P]: ValueOf<P[N]> | (P[N] extends { readonly optional: true } ? undefined : never);
};

/** Those of any call, by name. */
export type ToolValues = Readonly<Record<string, Json>>;

/** What a call leads to: an observation, and a verdict only where the call ends the episode. */
export interface ToolAnswer<S> extends Omit<EnvironmentStep<S>, 'from' | 'illegal'> {
  /** Why this cannot be done, in place of an observation: a call like this breaks the rules. */
  readonly flaw?: string;
  /** It breaks no rule: the tool itself failed, as where it throws an `Error`. */
  readonly isFailure?: true;
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
    ([key, { optional: _, schema, ...plain }]) => [key, schema ?? (plain as Json)] as const,
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
 * @param areTexts  the values of an object are texts, which are read by the types of their parameters
 */
export function readArguments(
  { parameters }: Pick<Tool, 'parameters'>,
  given: unknown,
  areTexts = typeof given === 'string',
): ArgumentsReading {
  const named = typeof given === 'string' ? byPosition(parameters, given) : given;
  if (typeof named !== 'object' || named === null || Array.isArray(named)) return wrong('its arguments are no object');
  const unknown = Object.keys(named).find((key) => !Object.hasOwn(parameters, key));
  if (unknown !== undefined) return wrong(`it has no parameter ${unknown.slice(0, LONGEST_NAME)}`);
  const values: Record<string, Json> = {};
  for (const [key, parameter] of Object.entries(parameters)) {
    const value: unknown = Object.hasOwn(named, key) ? (named as Record<string, unknown>)[key] : undefined;
    if (value === undefined && parameter.optional) continue;
    if (value === undefined) return wrong(`${key} is missing`);
    const read = areTexts ? fromText(parameter, String(value)) : value;
    if (!isOfType(read, parameter)) {
      const types = typesOf(parameter).map((type) => OF_TYPE[type]);
      return wrong(`${key} is ${parameter.enum ? `one of ${parameter.enum.join(', ')}` : types.join(' or ')}`);
    }
    values[key] = read;
  }
  return { ok: true, values };
}

const LONGEST_NAME = 24;

const OF_TYPE: Readonly<Record<ValueType, string>> = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function typesOf({ type }: ToolParameter): readonly ValueType[] {
  return typeof type === 'string' ? [type] : type;
}

const wrong = (reason: string): ArgumentsReading => ({ ok: false, reason });

function byPosition(parameters: ToolParameters, text: string): Record<string, string> {
  const names = Object.keys(parameters);
  const words = text.split(' ');
  const values = names.map((name, i) => [name, words.slice(i, i === names.length - 1 ? undefined : i + 1).join(' ')]);
  return Object.fromEntries(values.filter(([, value], i) => value !== '' || (i < words.length && text !== '')));
}

const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** A value by its types, where a text may be one only if it is nothing else. Words of Python are those of JSON. */
function fromText(parameter: ToolParameter, text: string): unknown {
  const types = typesOf(parameter);
  const value = types.map((type) => READ[type](text)).find((read) => read !== undefined);
  return value === undefined && types.includes('string') ? text : value;
}

const numberIn = (text: string): number | undefined => (NUMBER.test(text) ? Number(text) : undefined);
const wordsIn =
  (words: Readonly<Record<string, Json>>) =>
  (text: string): Json | undefined =>
    Object.hasOwn(words, text) ? words[text] : undefined;

const READ: Readonly<Record<ValueType, (text: string) => Json | undefined>> = {
  string: () => undefined,
  integer: numberIn,
  number: numberIn,
  boolean: wordsIn({ true: true, True: true, false: false, False: false }),
  array: jsonIn,
  object: jsonIn,
  null: wordsIn({ null: null, None: null }),
};

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives
  } catch {
    return undefined;
  }
}

function isOfType(value: unknown, parameter: ToolParameter): value is Json {
  const { enum: words } = parameter;
  return (
    typesOf(parameter).some((type) => IS[type](value)) && (words === undefined || words.includes(wordOf(value as Json)))
  );
}

const IS: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  null: (value) => value === null,
};

/** A value in a call that has texts alone. */
export function wordOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What a language throws where code is wrong. */
const MISTAKES = [TypeError, ReferenceError, RangeError, SyntaxError, RlvrError];

/** What an error of a tool says to the policy. @throws it again where it is no `Error`, or a mistake in the tool's code */
export function failureOf(thrown: unknown): string {
  if (!(thrown instanceof Error) || MISTAKES.some((kind) => thrown instanceof kind)) throw thrown;
  return thrown.message;
}
