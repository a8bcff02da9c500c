/**
 * How an option is declared, be it a key of the config, a knob of a task, or an option of a reward or a method: one
 * entry gives its spelling, its type, its rule, its default and its text.
 *
 * A table `{ camelName: key('yaml_name', schema.default(x).describe('…')) }` is the single source: `Values` derives
 * the TypeScript type from it, `readOptions` and the config's `Section` validate with it, JSON Schema, help, docs and
 * the page's controls are made of it. The schemas below carry the two messages of an error as `rule; remedy`.
 */
import type { OptionSchema, Schema } from './option_schema.ts';
import { type RealRange, type WholeRange, withNewBounds } from './ranges.ts';
import * as schemas from './schemas.ts';

export type { Plugin, RealRange, WholeRange } from './ranges.ts';

/** One key: as the YAML spells it, and the schema of its value (default and description included). */
export interface Key<Value = unknown> {
  readonly yaml: string;
  readonly schema: Schema<Value>;
  /** Schema of a schedule, for a number that may be given as one. */
  readonly schedule?: Schema<unknown>;
  /** Its default is not written out: configs from before it have the same hash. */
  readonly isLater?: true;
  /** Its former YAML key, which is still read, and written out if it was used. */
  readonly oldYaml?: string;
}

/** Keys of one section of the file, under the names they have in TypeScript. */
export type KeyTable = Readonly<Record<string, Key>>;

type ValueOf<K extends Key> = K['schema']['_output'];

type OptionalName<T extends KeyTable, N extends keyof T> = undefined extends ValueOf<T[N]> ? N : never;

/** The validated values of a table; those without a default may be absent. */
export type Values<T extends KeyTable> = {
  readonly [N in keyof T as Exclude<N, OptionalName<T, N>>]: ValueOf<T[N]>;
} & {
  readonly [N in keyof T as OptionalName<T, N>]?: Exclude<ValueOf<T[N]>, undefined>;
};

/** Declares a key. */
export function key<Value>(yaml: string, schema: Schema<Value>): Key<Value> {
  return { yaml, schema };
}

/** Declares an option added later: its default keeps the earlier behaviour. */
export function laterKey<Value>(yaml: string, schema: Schema<Value>): Key<Value> {
  return { yaml, schema, isLater: true };
}

/** Declares a key that had another name before, which is still read for one version. */
export function renamedKey<Value>(oldYaml: string, yaml: string, schema: Schema<Value>): Key<Value> {
  return { yaml, schema, oldYaml };
}

/** The spelling of a key that is given: the old one where it alone is there. */
export function spellingIn({ yaml, oldYaml }: Key, isGiven: (spelling: string) => boolean): string {
  return oldYaml !== undefined && isGiven(oldYaml) && !isGiven(yaml) ? oldYaml : yaml;
}

/**
 * Declares options that the YAML spells with underscores: `keys({ maxLength: integer(…) })` reads `max_length`. One that is
 * spelled otherwise is given as a key.
 */
export function keys<const S extends Readonly<Record<string, Schema<unknown> | Key>>>(declared: S) {
  const entries = Object.entries(declared).map(([name, entry]): [string, Key] => {
    if ('schema' in entry) return [name, entry];
    return [
      name,
      key(
        name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        entry,
      ),
    ];
  });
  return Object.fromEntries(entries) as { readonly [N in keyof S]: S[N] extends Schema<infer V> ? Key<V> : S[N] }; // the same names
}

/** Declares options whose names in TypeScript are those of the YAML: `options({ max_length: integer(…).default(8) })`. */
export function options<S extends Readonly<Record<string, Schema<unknown>>>>(
  declared: S,
): { [N in keyof S]: Key<S[N]['_output']> } {
  const entries = Object.entries(declared).map(([name, schema]) => [name, key(name, schema)]);
  return Object.fromEntries(entries) as { [N in keyof S]: Key<S[N]['_output']> }; // the same names
}

/** A whole number of a range. */
export function integer(range: WholeRange): OptionSchema<number> {
  return schemas.integer(withNewBounds(range));
}

/** A finite real number of a range. */
export function number(range: RealRange): OptionSchema<number> {
  return schemas.number(withNewBounds(range));
}

/** true or false. */
export function flag(): OptionSchema<boolean> {
  return schemas.flag();
}

/** One of a few words; `rule` replaces the part of the message before the list. */
export function choice<const W extends readonly [string, ...string[]]>(
  words: W,
  rule?: string,
): OptionSchema<W[number]> {
  return schemas.choice(words, rule);
}

/** A text that is not empty. */
export function text(example: string): OptionSchema<string> {
  return schemas.text(example);
}

/** The same key with `null` allowed and meaning "not given", as TRL's None. */
export function optional<Value>(schema: Schema<Value>): OptionSchema<NonNullable<Value> | undefined> {
  return schemas.optional(schemas.zodOf(schema)) as unknown as OptionSchema<NonNullable<Value> | undefined>; // null is gone
}
