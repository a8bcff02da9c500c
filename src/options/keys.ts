/**
 * How an option is declared, be it a key of the config, a knob of a task, or an option of a reward or a method: one
 * entry gives its spelling, its type, its rule, its default and its text.
 *
 * A table `{ camelName: key('yaml_name', schema.default(x).describe('…')) }` is the single source: `Values` derives
 * the TypeScript type from it, `readOptions` and the config's `Section` validate with it, JSON Schema, help, docs and
 * the page's controls are made of it. The schemas below carry the two messages of an error as `rule; remedy`.
 */

import { z } from 'zod';
import type { Json } from './json.ts';
import { nearestKey } from './nearest_name.ts';

/** One key: as the YAML spells it, and the schema of its value (default and description included). */
export interface Key<S extends z.ZodType = z.ZodType> {
  readonly yaml: string;
  readonly schema: S;
}

/** Keys of one section of the file, under the names they have in TypeScript. */
export type KeyTable = Readonly<Record<string, Key>>;

type OptionalName<T extends KeyTable, N extends keyof T> = undefined extends z.output<T[N]['schema']> ? N : never;

/** The validated values of a table; those without a default may be absent. */
export type Values<T extends KeyTable> = {
  readonly [N in keyof T as Exclude<N, OptionalName<T, N>>]: z.output<T[N]['schema']>;
} & {
  readonly [N in keyof T as OptionalName<T, N>]?: Exclude<z.output<T[N]['schema']>, undefined>;
};

/** A plug-in with its options: `countdown` or `{name: countdown, numbers: 3}` in the YAML. */
export type Plugin = { readonly name: string } & { readonly [option: string]: Json };

/** Declares a key. */
export function key<S extends z.ZodType>(yaml: string, schema: S): Key<S> {
  return { yaml, schema };
}

/** Declares options whose names in TypeScript are those of the YAML: `options({ max_length: whole(…).default(8) })`. */
export function options<S extends Readonly<Record<string, z.ZodType>>>(schemas: S): { [N in keyof S]: Key<S[N]> } {
  const entries = Object.entries(schemas).map(([name, schema]) => [name, key(name, schema)]);
  return Object.fromEntries(entries) as { [N in keyof S]: Key<S[N]> }; // the same names
}

/** A whole number in [least, most]; `rule` replaces the message for one outside the range. */
export function whole(range: { least: number; most?: number; example: number; rule?: string }) {
  const most = range.most ?? Number.MAX_SAFE_INTEGER;
  const bounds = range.most === undefined ? `${range.least} or more` : `from ${range.least} to ${range.most}`;
  const rule = range.rule ?? `must be ${bounds}; for example ${range.example}`;
  const error = `must be a whole number; for example ${range.example}`;
  return z
    .number({ error })
    .int({ error })
    .min(range.least, { error: rule })
    .max(most, { error: rule })
    .meta({ examples: [range.example] });
}

/** A finite real number; `above`/`below` exclude their bound, `least`/`most` include it. */
export function real(range: { above?: number; least?: number; below?: number; most?: number; example: number }) {
  const rule = `must be ${boundsText(range)}; for example ${range.example}`;
  let schema = z.number({ error: `must be a finite number; for example ${range.example}` });
  if (range.above !== undefined) schema = schema.gt(range.above, { error: rule });
  if (range.least !== undefined) schema = schema.gte(range.least, { error: rule });
  if (range.below !== undefined) schema = schema.lt(range.below, { error: rule });
  if (range.most !== undefined) schema = schema.lte(range.most, { error: rule });
  return schema.meta({ examples: [range.example] });
}

function boundsText(range: { above?: number; least?: number; below?: number; most?: number }): string {
  const low = range.above !== undefined ? `greater than ${range.above}` : `at least ${range.least}`;
  if (range.below !== undefined) return `${low} and less than ${range.below}`;
  return range.most !== undefined ? `${low} and at most ${range.most}` : low;
}

/** true or false. */
export function flag() {
  return z.boolean({ error: 'must be true or false; write it without quotes' });
}

/** One of a few words; `rule` replaces the part of the message before the list. */
export function choice<const W extends readonly [string, ...string[]]>(words: W, rule = 'not one of the choices') {
  const list = words.join(', ');
  const remedy = (nearest: string | undefined): string =>
    nearest === undefined ? `use ${list}` : `the nearest of ${list} is ${nearest}`;
  return z.enum(words, {
    error: ({ input }) => `${rule}; ${remedy(typeof input === 'string' ? nearestKey(input, words) : undefined)}`,
  });
}

/** A text that is not empty. */
export function text(example: string) {
  const error = `must be a non-empty text; for example ${example}`;
  return z
    .string({ error })
    .min(1, { error })
    .meta({ examples: [example] });
}

/** Any plain data: an option of a plug-in, whose own schema checks it later. */
export function plainData() {
  const error = 'must be plain data with finite numbers; use numbers, texts, true, false, null, lists or mappings';
  return z.custom<Json>(isPlainData, { error });
}

function isPlainData(value: unknown): value is Json {
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  return typeof value === 'object' && Object.values(value).every(isPlainData);
}

/** A name, or a mapping with a `name` and options; resolves to the mapping. */
export function plugin(example: string) {
  const error = `must be a name, or a mapping with a name; for example ${example}`;
  const mapping = z.object({ name: text(example) }, { error }).catchall(plainData());
  return z.union([text(example).transform((name): Plugin => ({ name })), mapping], { error });
}

/** The same key with `null` allowed and meaning "not given", as TRL's None. */
export function unset<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}
