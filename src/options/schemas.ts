/**
 * The schemas of options in zod's own types, for tables inside the package that combine them further: lists, unions,
 * mappings. They carry the two messages of an error as `rule; remedy`. Declarations elsewhere take those of `keys.ts`.
 */
import { z } from 'zod';
import type { Json } from './json.ts';
import { nearestKey } from './nearest_name.ts';
import type { Schema } from './option_schema.ts';
import type { Plugin, RealRange, WholeRange } from './ranges.ts';

/** A schema as what it is: zod alone makes them. */
export function zodOf<Value>(schema: Schema<Value>): z.ZodType<Value> {
  return schema as z.ZodType<Value>;
}

/** A whole number in [min, max]; `rule` replaces the message for one below. */
export function integer(range: WholeRange) {
  const max = range.max ?? Number.MAX_SAFE_INTEGER;
  const bounds = range.max === undefined ? `${range.min} or more` : `from ${range.min} to ${range.max}`;
  const rule = `must be ${bounds}; for example ${range.example}`;
  const error = `must be a whole number; for example ${range.example}`;
  return z
    .number({ error })
    .int({ error })
    .min(range.min, { error: range.rule ?? rule })
    .max(max, { error: rule })
    .meta({ examples: [range.example] });
}

/** A finite real number; `above`/`below` exclude their bound, `min`/`max` include it. */
export function number(range: RealRange) {
  const rule = `must be ${boundsText(range)}; for example ${range.example}`;
  let schema = z.number({ error: `must be a finite number; for example ${range.example}` });
  if (range.above !== undefined) schema = schema.gt(range.above, { error: rule });
  if (range.min !== undefined) schema = schema.gte(range.min, { error: rule });
  if (range.below !== undefined) schema = schema.lt(range.below, { error: rule });
  if (range.max !== undefined) schema = schema.lte(range.max, { error: rule });
  return schema.meta({ examples: [range.example] });
}

function boundsText(range: RealRange): string {
  const low = range.above !== undefined ? `greater than ${range.above}` : `at least ${range.min}`;
  if (range.below !== undefined) return `${low} and less than ${range.below}`;
  return range.max !== undefined ? `${low} and at most ${range.max}` : low;
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

/** Characters of a name or a path. */
const LONGEST_TEXT = 4096;

/** A text that is not empty. */
export function text(example: string) {
  const error = `must be a non-empty text; for example ${example}`;
  return z
    .string({ error })
    .min(1, { error })
    .max(LONGEST_TEXT, { error: `must be at most ${LONGEST_TEXT} characters; for example ${example}` })
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
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}
