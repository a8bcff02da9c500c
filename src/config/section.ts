/** One section of the file (the model, a stage, the run) read through its table of keys. */
import type { KeyTable, Values } from '../options/keys.ts';
import { readKey } from '../options/read.ts';
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
    this.#problems.add(given?.path ?? this.#prefix + yaml, given?.value ?? this.#valueOf(name) ?? MISSING, rule);
  }

  #valueOf(name: keyof T): unknown {
    return (this.values as Readonly<Record<PropertyKey, unknown>>)[name]; // a name of the table
  }

  #read(name: string): unknown {
    const key = this.#table[name];
    const { yaml } = key;
    const given = this.#given.get(yaml);
    const result = readKey(key, given?.value);
    if (result.ok) return result.value;
    this.#broken.add(name);
    const { path, value, rule } = result.problem;
    this.#problems.add([given?.path ?? this.#prefix + yaml, ...path].join('.'), value, rule);
    return undefined;
  }
}
