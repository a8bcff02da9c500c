/**
 * The one reader of options: keys of the config, knobs of a task, options of a reward or a method.
 *
 * A table of `keys.ts` says what there is; the reader gives its values with every default filled in, or what is wrong
 * with what was written, in the form `key: value — rule; remedy`.
 */
import type { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { printable, thousands } from '../format.ts';
import { type Key, type KeyTable, spellingIn, type Values } from './keys.ts';
import { likelyValue } from './likely_value.ts';
import { nearestKey } from './nearest_name.ts';
import type { Schema } from './option_schema.ts';
import { zodOf } from './schemas.ts';

/** Problems that an error tells of. */
const MOST_SHOWN = 50;
/** Characters of a value that a line shows. */
const LONGEST_VALUE = 120;

/** Options as they are written, by the spelling of the YAML. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/** A mistake in one value; `path` leads from the option into a list or mapping, and is empty at the option itself. */
export interface ValueProblem {
  readonly path: readonly PropertyKey[];
  /** The written value; undefined if it is missing. */
  readonly value: unknown;
  /** `rule; remedy`. */
  readonly rule: string;
}

/** A problem with one option. */
export interface OptionProblem {
  /** Dotted: `task.digits`. */
  readonly path: string;
  /** The option, in the spelling of the YAML. */
  readonly key: string;
  /** Undefined where it is missing. */
  readonly value: unknown;
  /** `rule; remedy`. */
  readonly rule: string;
  readonly kind: 'unknown' | 'bad';
}

/** A rule that combines several options, and was broken: the option to be reported, and `rule; remedy`. */
export interface BrokenRule {
  readonly key: string;
  readonly rule: string;
}

/** Rules that combine several options; asked only where each value is sound. */
export type OptionRules<V> = (values: V, given: GivenOptions) => readonly BrokenRule[];

/** Whose options are read, for messages. */
export interface OptionSubject<V> {
  /** The key that holds the options: `task`, `reward_funcs.0`, `objective`. */
  readonly path: string;
  /** What the options belong to: `countdown`, `soft_overlong`, `cispo`. */
  readonly subject: string;
  /** The noun for them in messages; default `option`. */
  readonly noun?: string;
  /** Names next to them that belong to the caller (`name`, `weight`), which are only suggested for misspelled ones. */
  readonly beside?: readonly string[];
  readonly rules?: OptionRules<V>;
}

export type OptionsResult<V> =
  | { readonly ok: true; readonly values: V }
  | { readonly ok: false; readonly problems: readonly OptionProblem[] };

/** The values of a table with its defaults filled in, or all that is wrong with what was given. */
export function readOptions<T extends KeyTable>(
  table: T,
  given: GivenOptions,
  subject: OptionSubject<Values<T>>,
): OptionsResult<Values<T>> {
  const misspelled = unknownOptions(table, given, subject);
  const meant = new Set(misspelled.map(({ nearest }) => nearest));
  const problems: OptionProblem[] = misspelled.map(({ problem }) => problem);
  const read: Record<string, unknown> = {};
  for (const [name, key] of Object.entries(table)) {
    const yaml = spellingIn(key, (spelling) => Object.hasOwn(given, spelling));
    const result = readKey(key, Object.hasOwn(given, yaml) ? given[yaml] : undefined);
    if (!result.ok) {
      if (meant.has(yaml) && !Object.hasOwn(given, yaml)) continue; // it is there, misspelled
      const { path, value, rule } = result.problem;
      problems.push({ path: [subject.path, yaml, ...path].join('.'), key: yaml, value, rule, kind: 'bad' });
    } else if (result.value !== undefined) read[name] = result.value;
  }
  if (problems.length > 0) return { ok: false, problems };
  const values = read as Values<T>; // each entry came out of the schema that the type is derived from
  for (const { key, rule } of subject.rules?.(values, given) ?? []) {
    const value = given[key] ?? read[key];
    problems.push({ path: `${subject.path}.${key}`, key, value, rule, kind: 'bad' });
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, values };
}

/**
 * The values of a table with its defaults filled in.
 *
 * @throws ConfigError `unknown-option` or `bad-option`, one line per problem; `facts.problems` holds them all
 */
export function takeOptions<T extends KeyTable>(
  table: T,
  given: GivenOptions,
  subject: OptionSubject<Values<T>>,
): Values<T> {
  const result = readOptions(table, given, subject);
  if (result.ok) return result.values;
  const problems = result.problems.slice(0, MOST_SHOWN);
  const more = result.problems.length - problems.length;
  const [{ kind, key, value }] = problems;
  const lines = [...problems.map(problemLine), ...(more > 0 ? [`and ${thousands(more)} more.`] : [])];
  const code = kind === 'unknown' ? 'unknown-option' : 'bad-option';
  throw new ConfigError(code, lines.join('\n'), { problems, key, value });
}

/** `task.digits: 300 — must be from 2 to 9; for example 4.` */
export function problemLine({ path, value, rule }: OptionProblem): string {
  const written = value === undefined ? 'missing' : JSON.stringify(value);
  const shown = written.length > LONGEST_VALUE ? `${written.slice(0, LONGEST_VALUE - 1)}…` : written;
  return printable(`${path}: ${shown} — ${rule}.`);
}

interface Misspelled {
  readonly nearest: string | undefined;
  readonly problem: OptionProblem;
}

function unknownOptions<V>(table: KeyTable, given: GivenOptions, about: OptionSubject<V>): Misspelled[] {
  const { path, beside = [] } = about;
  const knownKeys = Object.values(table).map(({ yaml }) => yaml);
  const spellings = Object.values(table).map((key) => spellingIn(key, (spelling) => Object.hasOwn(given, spelling)));
  const unknown = Object.keys(given).filter((name) => !spellings.includes(name));
  return unknown.map((key) => {
    const nearest = nearestKey(key, [...knownKeys, ...beside]);
    const rule = unknownOptionRule(key, knownKeys, about);
    return { nearest, problem: { path: `${path}.${key}`, key, value: given[key], rule, kind: 'unknown' } };
  });
}

/** `rule; remedy` for an option that its subject does not have. */
export function unknownOptionRule(
  key: string,
  known: readonly string[],
  { subject, noun = 'option', beside = [] }: Pick<OptionSubject<never>, 'subject' | 'noun' | 'beside'>,
): string {
  const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
  const nearest = nearestKey(key, [...known, ...beside]);
  const remedy = nearest === undefined ? 'leave it out' : `the nearest is ${nearest}`;
  return `no such ${noun} of ${subject} (${takes}); ${remedy}`;
}

/** All that was wrong, where an error is one of `takeOptions`; else empty. */
export function optionProblems({
  facts,
}: {
  readonly facts: Readonly<Record<string, unknown>>;
}): readonly OptionProblem[] {
  return Array.isArray(facts.problems) ? facts.problems : [];
}

/** The value of a key: by its schema, or by that of a schedule where the key takes one and the value looks like it. */
export function readKey({ schema, schedule }: Key, value: unknown): ReturnType<typeof readValue> {
  const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value);
  return readValue(schedule !== undefined && isMapping ? schedule : schema, value);
}

/** One value through its schema; a mistake comes with its place inside the value, and with what was probably meant. */
export function readValue<Value>(
  schema: Schema<Value>,
  value: unknown,
): { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: ValueProblem } {
  const reader = zodOf(schema);
  const result = reader.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  // As TRL writes out its configs: null is "not given", where it is no value of its own.
  const absent = value === null ? reader.safeParse(undefined) : undefined;
  if (absent?.success) return { ok: true, value: absent.data };
  const mistake = innermost(result.error.issues[0]);
  const { path } = mistake;
  return { ok: false, problem: { path, value: valueAt(value, path), rule: remedied(mistake, value, reader) } };
}

interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The mistake inside the mapping of a union (`name` or `{name, …}`), where there is one. */
function innermost(issue: z.core.$ZodIssue): Mistake {
  if (issue.code !== 'invalid_union') return issue;
  for (const [first] of issue.errors) {
    const inner = first && innermost(first);
    if (inner && inner.path.length > 0) return { path: [...issue.path, ...inner.path], message: inner.message };
  }
  return issue;
}

/** The rule that was broken; the remedy is what the text was meant to be, where that would pass. */
function remedied({ message, path }: Mistake, value: unknown, schema: z.ZodType): string {
  const text = valueAt(value, path);
  const isInList = path.at(-1) === 'name' && typeof path.at(-2) === 'number';
  const named = isInList ? nameless(valueAt(value, path.slice(0, -1))) : undefined;
  if (named !== undefined) return `a mapping needs its name; write ${named}`;
  const likely = typeof text === 'string' ? likelyValue(text) : undefined;
  if (likely === undefined || !schema.safeParse(replacedAt(value, path, likely.value)).success) return message;
  return `${message.split(';', 1)[0]}; write ${likely.written}, as ${likely.because}`;
}

/** `[accuracy: 0.5]`: a reward and its weight, written as a key and its value. */
function nameless(mapping: unknown): string | undefined {
  const [[name, weight] = [], ...others] = Object.entries(mapping ?? {});
  if (others.length > 0 || typeof weight !== 'number' || name === 'weight') return undefined;
  return `{name: ${name}, weight: ${weight}}`;
}

/** A copy of plain data with another value at a path. */
function replacedAt(value: unknown, path: readonly PropertyKey[], replacement: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) }; // a path zod just walked
  (copy as Record<PropertyKey, unknown>)[step] = replacedAt(valueAt(value, [step]), rest, replacement);
  return copy;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const step of path) at = (at as Record<PropertyKey, unknown> | undefined)?.[step]; // a path zod just walked
  return at;
}
