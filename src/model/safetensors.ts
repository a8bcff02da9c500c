/**
 * The safetensors file format, as Hugging Face defines it: weights in, weights out, and the tensors of a checkpoint.
 *
 *   8 bytes      header length, little-endian u64
 *   header       JSON: name → { dtype, shape, data_offsets: [begin, end] }, and `__metadata__` (string → string);
 *                padded with spaces, so that the data begins at a multiple of 8
 *   data         row-major little-endian tensors, without holes, in the order given
 *
 * Written: F32, I32, U32. Read: those, and F16 and BF16, widened to F32 without loss.
 * Runs in browsers: no `node:` import, no Buffer. Assumes a little-endian machine, as every JavaScript engine we run on.
 *
 * @see https://huggingface.co/docs/safetensors
 */
import { CheckpointError } from '../errors.ts';
import { fromBfloat } from '../kernels/bfloat.ts';
import { fromHalf } from '../kernels/half.ts';

/** Elements of a tensor, row-major. F16 and BF16 files arrive as Float32Array. */
export type TensorData = Float32Array | Int32Array | Uint32Array;

/** One tensor to write: `data.length` is the product of `shape`; a scalar has shape []. */
export interface TensorRecord {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** Element types that can be read. */
export type TensorDtype = 'F32' | 'F16' | 'BF16' | 'I32' | 'U32';

/** Those of data in memory. */
type DataDtype = 'F32' | 'I32' | 'U32';

/** One tensor as read: `dtype` is the file's, `data` is widened to 4 bytes per element. */
export interface DecodedTensor {
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** A file as read: tensors in the order of their data. */
export interface DecodedSafetensors {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: Map<string, DecodedTensor>;
}

const METADATA_KEY = '__metadata__';
const LENGTH_BYTES = 8;
const ALIGNMENT_BYTES = 8;
/** The limit of the reference implementation: a longer header is a damaged length, not a model. */
const MAX_HEADER_BYTES = 100_000_000;
const ELEMENT_BYTES: Readonly<Record<TensorDtype, number>> = { F32: 4, F16: 2, BF16: 2, I32: 4, U32: 4 };

/**
 * The bytes of a safetensors file holding `tensors` in the order given. Copies: the tensors may change afterwards.
 *
 * @param metadata  written as `__metadata__`; left out when empty or absent
 * @throws CheckpointError `safetensors-invalid` for a name used twice or reserved, or a shape that does not fit its data
 *
 * @example
 * const bytes = encodeSafetensors([{ name: 'weight', shape: [2, 1], data: new Float32Array([1, 2]) }]);
 * decodeSafetensors(bytes).tensors.get('weight')?.data; // Float32Array [1, 2]
 */
export function encodeSafetensors(
  tensors: readonly TensorRecord[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  assertWritable(tensors);
  const described = tensors.map(({ name, shape, data }) => ({ name, shape, dtype: dtypeOf(data) }));
  const { file, dataBegin } = allocateSafetensors(described, metadata);
  let offset = dataBegin;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    offset += data.byteLength;
  }
  return file;
}

/** One tensor of a file whose data is still to come; elements have 4 bytes. */
export interface TensorDescription {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: TensorDtype;
}

/** The file of these tensors with zeros for data, which goes to `dataBegin` and on, one tensor after the other. */
export function allocateSafetensors(
  tensors: readonly TensorDescription[],
  metadata: Readonly<Record<string, string>> = {},
): { readonly file: Uint8Array<ArrayBuffer>; readonly dataBegin: number } {
  const head = safetensorsHead(tensors, metadata);
  const file = new Uint8Array(head.length + tensors.reduce((sum, tensor) => sum + bytesOf(tensor), 0));
  file.set(head);
  return { file, dataBegin: head.length };
}

/** Everything before the data of such a file, for writing it in pieces. */
export function safetensorsHead(
  tensors: readonly TensorDescription[],
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array<ArrayBuffer> {
  const header = encodeHeader(tensors, metadata);
  const head = new Uint8Array(LENGTH_BYTES + header.length);
  new DataView(head.buffer).setBigUint64(0, BigInt(header.length), true);
  head.set(header, LENGTH_BYTES);
  return head;
}

/**
 * Reads a safetensors file. A tensor of 4-byte elements is a view into `bytes` where alignment allows, else a copy.
 *
 * @throws CheckpointError `safetensors-malformed`, naming the first thing that is wrong: a truncated file, a header that
 *   is not JSON, an unknown dtype, offsets that overlap, leave holes or exceed the file, a shape that does not fit
 */
export function decodeSafetensors(bytes: Uint8Array): DecodedSafetensors {
  const length = headerLength(bytes, bytes.byteLength);
  const { metadata, places } = parseHeader(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length), bytes.byteLength);
  const tensors = new Map<string, DecodedTensor>();
  for (const [name, { dtype, shape, begin, end }] of places) {
    tensors.set(name, { dtype, shape, data: decodeElements(dtype, bytes.subarray(begin, end)) });
  }
  return { metadata, tensors };
}

/** Where a tensor lies in a file: bytes [begin, end). */
export interface TensorPlace {
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

/**
 * Where the tensors of a file lie, in the order of their data: reads the header and no more.
 *
 * @param read  bytes [begin, end) of the file, all of them
 * @throws CheckpointError as `decodeSafetensors`
 */
export async function readTensorPlaces(
  read: (begin: number, end: number) => Promise<Uint8Array>,
  fileBytes: number,
): Promise<ReadonlyMap<string, TensorPlace>> {
  return (await readHeader(read, fileBytes)).places;
}

/** The same, with the `__metadata__` of the file. */
export async function readHeader(
  read: (begin: number, end: number) => Promise<Uint8Array>,
  fileBytes: number,
): Promise<{
  readonly metadata: Readonly<Record<string, string>>;
  readonly places: ReadonlyMap<string, TensorPlace>;
}> {
  const length = headerLength(await read(0, Math.min(LENGTH_BYTES, fileBytes)), fileBytes);
  return parseHeader(await read(LENGTH_BYTES, LENGTH_BYTES + length), fileBytes);
}

/** The result of reading a file; an error names the file. @param remedy  appended to the error */
export async function namingFile<T>(file: string, reading: Promise<T>, remedy = ''): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof CheckpointError) || error.code !== 'safetensors-malformed') throw error;
    throw new CheckpointError(error.code, `${file}: ${error.message}${remedy}`, { file, ...error.facts });
  }
}

/** Bytes of an element in a file. */
export function elementBytes(dtype: TensorDtype): number {
  return ELEMENT_BYTES[dtype];
}

/** Whole elements of a tensor: a view where their width and alignment allow, else a copy. */
export function decodeElements(dtype: TensorDtype, bytes: Uint8Array): TensorData {
  const size = ELEMENT_BYTES[dtype];
  const length = bytes.byteLength / size;
  const { buffer, byteOffset } = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer, byteOffset, length);
    case 'I32':
      return new Int32Array(buffer, byteOffset, length);
    case 'U32':
      return new Uint32Array(buffer, byteOffset, length);
    case 'F16':
      return fromHalf(new Uint16Array(buffer, byteOffset, length));
    case 'BF16':
      return fromBfloat(new Uint16Array(buffer, byteOffset, length));
    default: {
      const unreachable: never = dtype;
      return unreachable;
    }
  }
}

/** One line of the header; offsets in bytes from the start of the data. */
interface HeaderEntry {
  readonly name: string;
  readonly dtype: TensorDtype;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

function assertWritable(tensors: readonly TensorRecord[]): void {
  const names = new Set<string>();
  for (const { name, shape, data } of tensors) {
    const elements = elementCount(shape);
    const reason =
      name === METADATA_KEY
        ? 'the name is reserved'
        : names.has(name)
          ? 'the name is used twice'
          : elements !== data.length
            ? `shape [${shape.join(', ')}] needs ${elements ?? 'a valid number of'} elements, the data has ${data.length}`
            : undefined;
    if (reason !== undefined) {
      throw new CheckpointError('safetensors-invalid', `Tensor "${name}" cannot be written: ${reason}.`, {
        name,
        reason,
      });
    }
    names.add(name);
  }
}

/** Built by hand, since an object would move integer-like names to the front. */
function encodeHeader(tensors: readonly TensorDescription[], metadata: Readonly<Record<string, string>>): Uint8Array {
  const lines: string[] = [];
  if (Object.keys(metadata).length > 0) lines.push(`"${METADATA_KEY}":${JSON.stringify(metadata)}`);
  let offset = 0;
  for (const tensor of tensors) {
    const { name, shape, dtype } = tensor;
    const end = offset + bytesOf(tensor);
    lines.push(`${JSON.stringify(name)}:${JSON.stringify({ dtype, shape, data_offsets: [offset, end] })}`);
    offset = end;
  }
  const json = new TextEncoder().encode(`{${lines.join(',')}}`);
  const padded = new Uint8Array(Math.ceil(json.length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES).fill(0x20);
  padded.set(json);
  return padded;
}

function bytesOf({ shape, dtype }: TensorDescription): number {
  return shape.reduce((count, dimension) => count * dimension, ELEMENT_BYTES[dtype]);
}

function dtypeOf(data: TensorData): DataDtype {
  if (data instanceof Float32Array) return 'F32';
  return data instanceof Int32Array ? 'I32' : 'U32';
}

/** @param start  the file's first bytes, at least those of the length where it has as many */
function headerLength(start: Uint8Array, fileBytes: number): number {
  if (fileBytes < LENGTH_BYTES) throw malformed(`${fileBytes} bytes are too few for a header length`);
  const declared = new DataView(start.buffer, start.byteOffset, start.byteLength).getBigUint64(0, true);
  if (declared > BigInt(MAX_HEADER_BYTES) || declared > BigInt(fileBytes - LENGTH_BYTES)) {
    throw malformed(`header length ${declared} is beyond the file (${fileBytes} bytes)`);
  }
  return Number(declared);
}

function parseHeader(
  json: Uint8Array,
  fileBytes: number,
): { readonly metadata: Record<string, string>; readonly places: Map<string, TensorPlace> } {
  const entries: HeaderEntry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseJsonObject(json))) {
    if (name === METADATA_KEY) metadata = parseMetadata(value);
    else entries.push(parseEntry(name, value));
  }
  const dataBegin = LENGTH_BYTES + json.byteLength;
  const sorted = entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  assertContiguous(sorted, fileBytes - dataBegin);
  const places = sorted.map(({ name, dtype, shape, begin, end }): [string, TensorPlace] => [
    name,
    { dtype, shape, begin: dataBegin + begin, end: dataBegin + end },
  ]);
  return { metadata, places: new Map(places) };
}

function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isRecord(value)) return value;
  } catch (error) {
    throw malformed(`the header is not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  throw malformed('the header is not a JSON object');
}

function parseMetadata(value: unknown): Record<string, string> {
  if (!isRecord(value)) throw malformed(`${METADATA_KEY} is not an object`);
  const pairs = Object.entries(value).map(([key, text]): [string, string] => {
    if (typeof text !== 'string') throw malformed(`${METADATA_KEY}.${key} is not a string`);
    return [key, text];
  });
  return Object.fromEntries(pairs);
}

function parseEntry(name: string, value: unknown): HeaderEntry {
  if (!isRecord(value)) throw malformed(`the entry of tensor "${name}" is not an object`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (!isDtype(dtype)) {
    const dtypes = Object.keys(ELEMENT_BYTES).join(', ');
    throw malformed(`tensor "${name}" has the dtype ${JSON.stringify(dtype)}, which cannot be read (known: ${dtypes})`);
  }
  const elements = isNaturals(shape) ? elementCount(shape) : undefined;
  if (!isNaturals(shape) || elements === undefined) throw malformed(`tensor "${name}" has no valid shape`);
  if (!isNaturals(offsets) || offsets.length !== 2 || offsets[0] > offsets[1]) {
    throw malformed(`tensor "${name}" has no valid data_offsets`);
  }
  const [begin, end] = offsets;
  const expected = elements * ELEMENT_BYTES[dtype];
  if (end - begin !== expected) {
    const facts = `${dtype} of shape [${shape.join(', ')}] needs ${expected} bytes, its offsets hold ${end - begin}`;
    throw malformed(`tensor "${name}": ${facts}`);
  }
  return { name, dtype, shape, begin, end };
}

/** The format's own rule: the tensors tile the data exactly. Catches overlaps, holes, truncation and trailing bytes. */
function assertContiguous(sorted: readonly HeaderEntry[], dataBytes: number): void {
  let position = 0;
  for (const { name, begin, end } of sorted) {
    if (end > dataBytes) throw malformed(`tensor "${name}" ends at byte ${end} of ${dataBytes} bytes of data`);
    if (begin < position)
      throw malformed(`tensor "${name}" overlaps another (begins at ${begin}, expected ${position})`);
    if (begin > position) throw malformed(`bytes ${position} to ${begin} before tensor "${name}" belong to no tensor`);
    position = end;
  }
  if (position !== dataBytes)
    throw malformed(`${dataBytes - position} bytes after the last tensor belong to no tensor`);
}

/** Product of the dimensions; undefined when it is no exact integer. */
function elementCount(shape: readonly number[]): number | undefined {
  const product = shape.reduce((count, dimension) => count * dimension, 1);
  return isNaturals(shape) && Number.isSafeInteger(product) ? product : undefined;
}

function isNaturals(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
}

function isDtype(value: unknown): value is TensorDtype {
  return typeof value === 'string' && Object.hasOwn(ELEMENT_BYTES, value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function malformed(reason: string): CheckpointError {
  const message = `Not a readable safetensors file: ${reason}. Copy or download the file again.`;
  return new CheckpointError('safetensors-malformed', message, { reason });
}
