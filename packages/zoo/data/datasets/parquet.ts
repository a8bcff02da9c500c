/**
 * Rows of a Parquet table, a row group at a time: flat columns of texts, numbers and truth values, and lists of texts.
 * Other columns are refused by name, unless the config names those that are wanted; then they are not read.
 */
import { type FileMetaData, parquetMetadataAsync, parquetReadObjects, parquetSchema, type SchemaTree } from 'hyparquet';
import { badFile, rangeOf } from '../../../../src/data/datasets/data_files.ts';
import type { RowFile, RowReading } from '../../../../src/data/datasets/row.ts';
import { RlvrError } from '../../../../src/errors.ts';
import type { Json } from '../../../../src/options/json.ts';

/** What is unpacked here; others would need further packages. */
const CODECS = ['UNCOMPRESSED', 'SNAPPY'];
/** Rows whose objects are in memory at a time: a writer may put a million into one row group, as pyarrow does. */
const BATCH = 50_000;

/** @throws DataError where it is damaged, packed otherwise, or has a nested column that is wanted */
export async function* readParquet({
  files,
  path,
  size,
  columns: wanted,
}: RowFile): AsyncGenerator<readonly RowReading[]> {
  const file = {
    byteLength: size,
    slice: (begin: number, end = size) => {
      const bytes = rangeOf(files, path, begin, end).then(({ buffer }) => buffer);
      bytes.catch(() => undefined); // of several that are read at once, the first to fail is waited for
      return bytes;
    },
  };
  const metadata = await orDamaged(path, () => parquetMetadataAsync(file, { geoparquet: false }));
  const columns = await orDamaged(path, async () => columnsOf(metadata, path, wanted));
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    for (let rowStart = groupStart; rowStart < groupEnd; rowStart += BATCH) {
      const rowEnd = Math.min(groupEnd, rowStart + BATCH);
      const rows = await orDamaged(path, () =>
        parquetReadObjects({ file, metadata, columns, rowStart, rowEnd, geoparquet: false }),
      );
      yield rows.map((row, i): RowReading => readRow(row, rowStart + i + 1));
    }
    groupStart = groupEnd;
  }
  if (groupStart === 0) throw badFile(path, 'a table without rows; give one that has some');
}

async function orDamaged<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RlvrError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw badFile(path, `damaged Parquet (${reason}); write it again`);
  }
}

/** Names of the columns that are read. */
function columnsOf(metadata: FileMetaData, path: string, wanted: readonly string[] | undefined): string[] {
  const columns = parquetSchema(metadata).children.filter(({ element }) => wanted?.includes(element.name) ?? true);
  const nested = columns.find((column) => !isFlat(column) && !isListOfTexts(column));
  if (nested !== undefined) {
    const { name } = nested.element;
    const rule = `column "${name}" is nested; flatten it, name the columns that are wanted by columns, or write JSON Lines`;
    throw badFile(path, rule);
  }
  const names = columns.map(({ element }) => element.name);
  const chunks = metadata.row_groups.flatMap((group) => group.columns.flatMap(({ meta_data: chunk }) => chunk ?? []));
  const packed = chunks.find(({ codec, path_in_schema: [name] }) => names.includes(name) && !CODECS.includes(codec));
  if (packed !== undefined) throw badFile(path, `packed by ${packed.codec}; write it with compression snappy or none`);
  return names;
}

function isFlat({ children, element }: SchemaTree): boolean {
  const isJson = element.converted_type === 'JSON' || element.converted_type === 'BSON';
  return children.length === 0 && element.repetition_type !== 'REPEATED' && !isJson;
}

/** `optional group column (LIST) { repeated group list { optional binary element } }`, or with a repeated leaf. */
function isListOfTexts({ children, element }: SchemaTree): boolean {
  if (element.repetition_type === 'REPEATED') return false;
  const [list] = children;
  if (children.length !== 1 || list?.element.repetition_type !== 'REPEATED') return false;
  const [leaf = list] = list.children;
  return list.children.length <= 1 && leaf.children.length === 0 && leaf.element.type === 'BYTE_ARRAY';
}

function readRow(row: Readonly<Record<string, unknown>>, line: number): RowReading {
  const values: Record<string, Json> = {};
  for (const [name, value] of Object.entries(row)) {
    const read = plainValue(value);
    if (read === undefined)
      return { line, problem: `column "${name}" holds ${nameOf(value)}; use texts, numbers or truth values` };
    values[name] = read;
  }
  return { line, row: values };
}

/** Undefined for what JSON cannot say. */
function plainValue(value: unknown): Json | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : undefined;
    case 'bigint':
      // As a text it keeps all of its digits.
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (value === null || value === undefined) return null;
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return value;
  return undefined;
}

function nameOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return 'a date';
  return value instanceof Uint8Array
    ? 'bytes'
    : Array.isArray(value)
      ? 'a list of other things than texts'
      : 'another kind of value';
}
