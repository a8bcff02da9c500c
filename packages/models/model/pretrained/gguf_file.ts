/**
 * The GGUF file format, versions 2 and 3, little-endian: metadata, and where each tensor lies.
 *
 *   "GGUF", u32 version, u64 tensors, u64 pairs
 *   pairs    key, u32 type, value; strings are u64 length and UTF-8, arrays u32 type, u64 length, values
 *   tensors  name, u32 dimensions, u64 each (fastest first), u32 type, u64 offset from the data
 *   data     from the next multiple of general.alignment
 *
 * Only the header is read here.
 *
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
 */
import { CheckpointError } from '../../../../src/errors.ts';
import { type ModelFiles, readAll } from './source.ts';

export type GgufValue = number | boolean | string | readonly GgufValue[];

export interface GgufTensor {
  /** Row-major: slowest first, as everywhere here. */
  readonly shape: readonly number[];
  /** ggml's number of its element type. */
  readonly type: number;
  /** First byte in the file. */
  readonly begin: number;
}

export interface GgufFile {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
  readonly bytes: number;
}

const MAGIC = 0x46554747;
const STRING = 8;
const ARRAY = 9;
/** Bytes of the header that are tried first; a vocabulary of 150,000 tokens takes some 8 MB. */
const FIRST_BYTES = 4 * 1024 ** 2;
const DEFAULT_ALIGNMENT = 32;

/** @throws CheckpointError `gguf-malformed` */
export async function readGguf(files: ModelFiles, file: string): Promise<GgufFile> {
  const size = await files.size(file);
  if (size === undefined) throw new CheckpointError('no-model', `${file}: no such file.`, { file });
  for (let length = Math.min(size, FIRST_BYTES); ; length = Math.min(size, 4 * length)) {
    const bytes = await readAll(files, file, 0, length);
    try {
      return { ...parseHeader(bytes), bytes: size };
    } catch (error) {
      if (!(error instanceof EndOfBytes)) throw named(file, error);
      if (length === size) throw named(file, new Malformed('ends within its header'));
    }
  }
}

/** The bytes given end before the header does. */
class EndOfBytes extends Error {}

class Malformed extends Error {}

function named(file: string, error: unknown): unknown {
  if (!(error instanceof Malformed)) return error;
  const message = `${file}: not a readable GGUF file: ${error.message}. Copy or fetch it again.`;
  return new CheckpointError('gguf-malformed', message, { file, reason: error.message });
}

function parseHeader(bytes: Uint8Array): Omit<GgufFile, 'bytes'> {
  const cursor = new Cursor(bytes);
  if (cursor.u32() !== MAGIC) throw new Malformed('it does not begin with "GGUF"');
  const version = cursor.u32();
  if (version !== 2 && version !== 3)
    throw new Malformed(`it is of version ${version}; 2 and 3 are read, little-endian`);
  const numTensors = cursor.count();
  const numPairs = cursor.count();
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < numPairs; i++) {
    const key = cursor.string();
    metadata.set(key, cursor.value(cursor.u32()));
  }
  const places: [string, GgufTensor][] = [];
  for (let i = 0; i < numTensors; i++) {
    const name = cursor.string();
    const shape = Array.from({ length: cursor.u32() }, () => cursor.count()).reverse();
    places.push([name, { shape, type: cursor.u32(), begin: cursor.count() }]);
  }
  const alignment = metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT;
  if (typeof alignment !== 'number' || alignment < 1) throw new Malformed(`general.alignment is ${String(alignment)}`);
  const dataBegin = Math.ceil(cursor.offset / alignment) * alignment;
  const tensors = new Map(
    places.map(([name, tensor]): [string, GgufTensor] => [name, { ...tensor, begin: dataBegin + tensor.begin }]),
  );
  if (tensors.size !== numTensors) throw new Malformed('a tensor is there twice');
  return { metadata, tensors };
}

class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #text = new TextDecoder('utf-8', { ignoreBOM: true }); // a token may begin with U+FEFF
  offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @returns where the next `length` bytes begin */
  #take(length: number): number {
    const at = this.offset;
    if (at + length > this.#bytes.length) throw new EndOfBytes();
    this.offset = at + length;
    return at;
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  /** A u64 that a number holds. */
  count(): number {
    const value = this.#view.getBigUint64(this.#take(8), true);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Malformed(`a length of ${value}`);
    return Number(value);
  }

  string(): string {
    const length = this.count();
    const at = this.#take(length);
    return this.#text.decode(this.#bytes.subarray(at, at + length));
  }

  value(type: number): GgufValue {
    switch (type) {
      case 0:
        return this.#view.getUint8(this.#take(1));
      case 1:
        return this.#view.getInt8(this.#take(1));
      case 2:
        return this.#view.getUint16(this.#take(2), true);
      case 3:
        return this.#view.getInt16(this.#take(2), true);
      case 4:
        return this.u32();
      case 5:
        return this.#view.getInt32(this.#take(4), true);
      case 6:
        return this.#view.getFloat32(this.#take(4), true);
      case 7:
        return this.#view.getUint8(this.#take(1)) !== 0;
      case STRING:
        return this.string();
      case ARRAY: {
        const of = this.u32();
        const length = this.count();
        const values: GgufValue[] = [];
        for (let i = 0; i < length; i++) values.push(this.value(of));
        return values;
      }
      case 10:
        return this.count();
      case 11:
        return Number(this.#view.getBigInt64(this.#take(8), true));
      case 12:
        return this.#view.getFloat64(this.#take(8), true);
      default:
        throw new Malformed(`a value of the unknown type ${type}`);
    }
  }
}
