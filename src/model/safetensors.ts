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

/** One tensor as read: `dtype` is the file's, `data` is widened to 4 bytes an element. */
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
  const header = encodeHeader(tensors, metadata);
  const dataBytes = tensors.reduce((sum, tensor) => sum + tensor.data.byteLength, 0);
  const file = new Uint8Array(LENGTH_BYTES + header.length + dataBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, LENGTH_BYTES);
  let offset = LENGTH_BYTES + header.length;
  for (const { data } of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    offset += data.byteLength;
  }
  return file;
}

/**
 * Reads a safetensors file. A tensor of 4-byte elements is a view into `bytes` where alignment allows, else a copy.
 *
 * @throws CheckpointError `safetensors-malformed`, naming the first thing that is wrong: a truncated file, a header that
 *   is not JSON, an unknown dtype, offsets that overlap, leave holes or exceed the file, a shape that does not fit
 */
export function decodeSafetensors(bytes: Uint8Array): DecodedSafetensors {
  const { entries, metadata, dataBegin } = parseHeader(bytes);
  const sorted = entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  assertContiguous(sorted, bytes.byteLength - dataBegin);
  const tensors = new Map<string, DecodedTensor>();
  for (const { name, dtype, shape, begin, end } of sorted) {
    tensors.set(name, { dtype, shape, data: readElements(bytes, dtype, dataBegin + begin, dataBegin + end) });
  }
  return { metadata, tensors };
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

/** Built by hand: an object literal would move names that look like integers to the front. */
function encodeHeader(tensors: readonly TensorRecord[], metadata: Readonly<Record<string, string>>): Uint8Array {
  const lines: string[] = [];
  if (Object.keys(metadata).length > 0) lines.push(`"${METADATA_KEY}":${JSON.stringify(metadata)}`);
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    const entry = { dtype: dtypeOf(data), shape, data_offsets: [offset, offset + data.byteLength] };
    lines.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`);
    offset += data.byteLength;
  }
  const json = new TextEncoder().encode(`{${lines.join(',')}}`);
  const padded = new Uint8Array(Math.ceil(json.length / ALIGNMENT_BYTES) * ALIGNMENT_BYTES).fill(0x20);
  padded.set(json);
  return padded;
}

function dtypeOf(data: TensorData): TensorDtype {
  if (data instanceof Float32Array) return 'F32';
  return data instanceof Int32Array ? 'I32' : 'U32';
}

function parseHeader(bytes: Uint8Array): {
  entries: HeaderEntry[];
  metadata: Record<string, string>;
  dataBegin: number;
} {
  if (bytes.byteLength < LENGTH_BYTES) throw malformed(`${bytes.byteLength} bytes are too few for a header length`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const declared = view.getBigUint64(0, true);
  if (declared > BigInt(MAX_HEADER_BYTES) || declared > BigInt(bytes.byteLength - LENGTH_BYTES)) {
    throw malformed(`header length ${declared} is beyond the file (${bytes.byteLength} bytes)`);
  }
  const dataBegin = LENGTH_BYTES + Number(declared);
  const header = parseJsonObject(bytes.subarray(LENGTH_BYTES, dataBegin));
  const entries: HeaderEntry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(header)) {
    if (name === METADATA_KEY) metadata = parseMetadata(value);
    else entries.push(parseEntry(name, value));
  }
  return { entries, metadata, dataBegin };
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
    const known = Object.keys(ELEMENT_BYTES).join(', ');
    throw malformed(`tensor "${name}" has the dtype ${JSON.stringify(dtype)}, which cannot be read (known: ${known})`);
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

function readElements(bytes: Uint8Array, dtype: TensorDtype, begin: number, end: number): TensorData {
  const size = ELEMENT_BYTES[dtype];
  const length = (end - begin) / size;
  const aligned = (bytes.byteOffset + begin) % size === 0 ? bytes.subarray(begin, end) : bytes.slice(begin, end);
  const { buffer, byteOffset } = aligned;
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
      return widenBfloat(new Uint16Array(buffer, byteOffset, length));
    default: {
      const unreachable: never = dtype;
      return unreachable;
    }
  }
}

/** bfloat16 is the upper half of a binary32. */
function widenBfloat(bits: Uint16Array): Float32Array {
  const widened = new Uint32Array(bits.length);
  for (let i = 0; i < bits.length; i++) widened[i] = bits[i] << 16;
  return new Float32Array(widened.buffer);
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
