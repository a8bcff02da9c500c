/** One section of the file (the model, a stage, the run) read through its table of keys. */
import type { z } from 'zod';
import type { KeyTable, Values } from '../options/keys.ts';
import { meantBy } from './meant_value.ts';
import { MISSING, type Problems } from './problems.ts';

/** A value that the file or `--set` gives for a key, and the dotted path it was written at. */
export interface Given {
  readonly path: string;
  readonly value: unknown;
}

/** What is written for a section, by YAML key. */
export type GivenKeys = ReadonlyMap<string, Given>;

/**
 * Validates every key of `table` and fills in the defaults. A value that breaks its rule is reported and counts as
 * not sound; rules that combine several keys ask `sound` first, so that one mistake is not reported twice.
 */
export class Section<T extends KeyTable> {
  readonly values: Values<T>;
  readonly #table: T;
  readonly #given: GivenKeys;
  readonly #prefix: string;
  readonly #problems: Problems;
  readonly #broken = new Set<keyof T>();

  constructor(table: T, given: GivenKeys, prefix: string, problems: Problems) {
    this.#table = table;
    this.#given = given;
    this.#prefix = prefix;
    this.#problems = problems;
    const values: Record<string, unknown> = {};
    for (const name of Object.keys(table)) {
      const value = this.#read(name);
      if (value !== undefined) values[name] = value;
    }
    // Each entry came out of the schema that the type was derived from; a broken one never leaves `parseConfig`.
    this.values = values as Values<T>;
  }

  /** Whether these keys all hold valid values (given or default). */
  sound(...names: readonly (keyof T)[]): boolean {
    return names.every((name) => !this.#broken.has(name));
  }

  /** Reports the key's value as a mistake. */
  refuse(name: keyof T, rule: string): void {
    const { yaml } = this.#table[name];
    const given = this.#given.get(yaml);
    this.#broken.add(name);
    this.#problems.add(given?.path ?? this.#prefix + yaml, given?.value ?? this.values[name] ?? MISSING, rule);
  }

  #read(name: string): unknown {
    const { yaml, schema } = this.#table[name];
    const given = this.#given.get(yaml);
    const result = schema.safeParse(given?.value);
    if (result.success) return result.data;
    this.#broken.add(name);
    const issue = innermost(result.error.issues[0]);
    const path = [given?.path ?? this.#prefix + yaml, ...issue.path].join('.');
    this.#problems.add(path, valueAt(given?.value, issue.path), remedied(issue, given?.value, schema));
    return undefined;
  }
}

interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Of a union (`name` or `{name, …}`), the mistake inside the mapping, where there is one. */
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
  const meant = typeof text === 'string' ? meantBy(text) : undefined;
  if (meant === undefined || !schema.safeParse(replacedAt(value, path, meant.value)).success) return message;
  return `${message.split(';', 1)[0]}; write ${meant.written}, as ${meant.because}`;
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
