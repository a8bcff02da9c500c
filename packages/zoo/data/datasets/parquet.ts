/**
 * Rows of a Parquet table, a row group at a time, as JSON has them: lists and structs as they are, dates as texts. Where the
 * config names the columns that are wanted, no other is read.
 */
import {
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetReadObjects,
  parquetSchema,
  type SchemaTree,
} from 'hyparquet';
import { badFile, rangeOf } from '../../../../src/data/data_files.ts';
import { RlvrError } from '../../../../src/errors.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { RowFile, RowReading } from './row.ts';

/** What hyparquet unpacks by itself; the code for others is loaded where a file needs it. */
const PLAIN_CODECS = ['UNCOMPRESSED', 'SNAPPY'];
/** Rows whose objects are in memory at a time: a writer may put a million into one row group, as pyarrow does. */
const BATCH = 50_000;

/** @throws DataError where it is damaged, or packed in a way that is not read */
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
  const tree = await orDamaged(path, async () => columnsOf(metadata, wanted));
  const columns = tree.map(({ element }) => element.name);
  const kinds = {
    dates: new Set(tree.filter(isDate).map(({ element }) => element.name)),
    scales: new Map(tree.filter(isDecimal).map(({ element }) => [element.name, element.scale ?? 0])),
  };
  const compressors = await orDamaged(path, () => compressorsFor(metadata, columns, path));
  let groupStart = 0;
  for (const group of metadata.row_groups) {
    const groupEnd = groupStart + Number(group.num_rows);
    for (let rowStart = groupStart; rowStart < groupEnd; rowStart += BATCH) {
      const rowEnd = Math.min(groupEnd, rowStart + BATCH);
      const rows = await orDamaged(path, () =>
        parquetReadObjects({ file, metadata, columns, rowStart, rowEnd, compressors, geoparquet: false, utf8: false }),
      );
      yield rows.map((row, i): RowReading => readRow(row, rowStart + i + 1, kinds));
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

/** The columns that are read. */
function columnsOf(metadata: FileMetaData, wanted: readonly string[] | undefined): SchemaTree[] {
  return parquetSchema(metadata).children.filter(({ element }) => wanted?.includes(element.name) ?? true);
}

function isDate({ element }: SchemaTree): boolean {
  return element.converted_type === 'DATE' || element.logical_type?.type === 'DATE';
}

function isDecimal({ element }: SchemaTree): boolean {
  return element.converted_type === 'DECIMAL' || element.logical_type?.type === 'DECIMAL';
}

/** Columns whose values do not say what they are. */
interface Kinds {
  readonly dates: ReadonlySet<string>;
  /** Decimal places by column. */
  readonly scales: ReadonlyMap<string, number>;
}

/**
 * What unpacks the columns; undefined where hyparquet does so by itself. Brotli, which few tables are packed by, would be
 * larger than all of this.
 *
 * @throws DataError where nothing unpacks them
 */
async function compressorsFor(
  metadata: FileMetaData,
  columns: readonly string[],
  path: string,
): Promise<Compressors | undefined> {
  const chunks = metadata.row_groups.flatMap((group) => group.columns.flatMap(({ meta_data: chunk }) => chunk ?? []));
  const read = chunks.filter(({ path_in_schema: [name] }) => columns.includes(name));
  const codecs = new Set(read.map(({ codec }) => codec).filter((codec) => !PLAIN_CODECS.includes(codec)));
  if (codecs.size === 0) return undefined;
  const packed = await import('hyparquet-compressors');
  const compressors: Compressors = {
    GZIP: packed.decompressGzip,
    LZ4: packed.decompressLz4,
    LZ4_RAW: packed.decompressLz4Raw,
    ZSTD: (input) => packed.decompressZstd(input),
  };
  const other = [...codecs].find((codec) => compressors[codec] === undefined);
  if (other === undefined) return compressors;
  throw badFile(path, `packed by ${other}; write it with compression zstd, snappy, gzip or none`);
}

function readRow(row: Readonly<Record<string, unknown>>, line: number, { dates, scales }: Kinds): RowReading {
  const values: Record<string, Json> = {};
  const written: Record<string, Json> = {};
  for (const [name, value] of Object.entries(row)) {
    const read = plainValue(value);
    if (read === undefined) {
      return {
        line,
        problem: `column "${name}" holds ${nameOf(oddIn(value))}, which JSON has no word for; leave it out`,
      };
    }
    values[name] = dates.has(name) && typeof read === 'string' ? read.slice(0, 10) : read;
    const scale = scales.get(name);
    if (scale === undefined || typeof read !== 'number') continue;
    if (Math.abs(read) * 10 ** scale > Number.MAX_SAFE_INTEGER) {
      return { line, problem: `column "${name}" holds a decimal of more than 15 digits; make it a text` };
    }
    written[name] = read.toFixed(scale);
  }
  return { line, row: values, ...(scales.size > 0 && { written }) };
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
  if (value instanceof Uint8Array) return textOf(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (Array.isArray(value)) {
    const items = value.map(plainValue);
    return items.every((item) => item !== undefined) ? items : undefined;
  }
  if (!isStruct(value)) return undefined;
  const members = Object.entries(value).map(([name, member]) => [name, plainValue(member)] as const);
  if (members.some(([, member]) => member === undefined)) return undefined;
  return Object.fromEntries(members) as Json; // checked in the line above
}

/** Older writers mark no column as text. Undefined where the bytes are none. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // it throws for nothing else
  }
}

function isStruct(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** The first value within another that JSON cannot say. */
function oddIn(value: unknown): unknown {
  const parts = Array.isArray(value) ? value : isStruct(value) ? Object.values(value) : [];
  const odd = parts.find((part) => plainValue(part) === undefined);
  return odd === undefined ? value : oddIn(odd);
}

function nameOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value instanceof Date) return 'a date that is none';
  return value instanceof Uint8Array ? 'bytes' : 'another kind of value';
}
