/**
 * Keys of a stage whose value is in its record as it is written, under the same name. Such a key is declared in its table
 * and in the record's type (`methods/stage.ts`); reading it and writing it back follow from the declaration.
 */
import type { Key, KeyTable, Values } from '../options/keys.ts';
import { zodOf } from '../options/schemas.ts';

/** Where a value is: in the stage itself, or in one of its parts. */
export type RecordPart = 'stage' | 'sampling' | 'evaluation';

export interface RecordedKey<Part extends RecordPart> {
  readonly recordedIn: Part;
}

/** A key whose value goes into that part as it is. The default of a `laterKey` is left out. */
export function recorded<Part extends RecordPart, Value>(part: Part, key: Key<Value>): Key<Value> & RecordedKey<Part> {
  return { ...key, recordedIn: part };
}

/** Whether a value is the default of a `laterKey`: a record from before the key has none of it, and the same hash. */
export function isLeftOut({ isLater, schema }: Pick<Key, 'isLater' | 'schema'>, value: unknown): boolean {
  return isLater === true && value === zodOf(schema).safeParse(undefined).data;
}

type NamesIn<T extends KeyTable, Part extends RecordPart> = {
  [N in keyof T]: T[N] extends RecordedKey<Part> ? N : never;
}[keyof T];

/** The values that a part has as they are written; absent ones stay absent. */
export function recordedValues<T extends KeyTable, Part extends RecordPart>(
  table: T,
  part: Part,
  values: Values<T>,
): Pick<Values<T>, NamesIn<T, Part> & keyof Values<T>> {
  const held = values as Readonly<Record<string, unknown>>; // looked up by the table's own names
  const kept = namesIn(table, part).filter((name) => held[name] !== undefined && !isLeftOut(table[name], held[name]));
  const entries = kept.map((name) => [name, held[name]]);
  return Object.fromEntries(entries) as Pick<Values<T>, NamesIn<T, Part> & keyof Values<T>>; // those names
}

/** The same values of a record by their YAML spelling. */
export function spelledRecord(table: KeyTable, part: RecordPart, record: object): Record<string, unknown> {
  const held = record as Readonly<Record<string, unknown>>; // looked up by the table's own names
  const written = namesIn(table, part).filter((name) => held[name] !== undefined);
  return Object.fromEntries(written.map((name) => [table[name].yaml, held[name]]));
}

function namesIn(table: KeyTable, part: RecordPart): string[] {
  return Object.keys(table).filter((name) => (table[name] as Partial<RecordedKey<RecordPart>>).recordedIn === part);
}
