/** Tables that are a single JSON value: a list of rows, `{"data": [rows]}`, or columns as lists or by their index, as pandas has them. */
import type { Json } from '../../../../src/options/json.ts';
import type { ParsedJson } from './parsed_json.ts';

type Members = Readonly<Record<string, Json>>;

/** Members that hold the rows of an object which has other members beside them. */
const ROWS = ['data', 'rows', 'examples', 'instances'];
/** Members of a message: a list of such objects is a conversation, and no rows. */
const TURN = ['role', 'from', 'type'];

/** Undefined for an object that is itself a row. */
export function rowsWithin({ value, asWritten }: ParsedJson): readonly ParsedJson[] | undefined {
  const [rows, cells] = [rowsOf(value), rowsOf(asWritten)];
  return rows?.map((row, i) => ({ value: row, asWritten: cells?.[i] ?? row }));
}

function rowsOf(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  const named = ROWS.filter((name) => isTable(value[name]));
  if (named.length === 1) return value[named[0]] as readonly Json[];
  const names = Object.keys(value);
  const columns = names.map((name) => cellsOf(value[name]));
  const [first] = columns;
  if (first === undefined || columns.some((column) => column?.length !== first.length)) return undefined;
  return first.map((_, i) => Object.fromEntries(names.map((name, n) => [name, columns[n]?.[i] ?? null])));
}

function isTable(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((row) => isObject(row) && !isTurn(row));
}

function cellsOf(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value.some(isTurn) ? undefined : value;
  return isObject(value) && Object.keys(value).every((key) => /^[0-9]+$/.test(key)) ? Object.values(value) : undefined;
}

function isTurn(value: Json): boolean {
  return isObject(value) && TURN.some((name) => name in value);
}

function isObject(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
