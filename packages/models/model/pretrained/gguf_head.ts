/** The head of a GGUF file, version 3, as `gguf_file.ts` describes it: what is said of the model, and where its tensors lie. */
import { GGUF_TYPES } from './gguf_blocks.ts';

/** A value of the metadata: a whole number is written as u32, a list of numbers as i32 or f32. */
export type GgufEntry =
  | string
  | number
  | boolean
  | { readonly float32: number }
  | readonly string[]
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>;

export interface DescribedTensor {
  readonly name: string;
  /** Row-major: slowest first. */
  readonly shape: readonly number[];
  /** ggml's number of its element type. */
  readonly type: number;
}

const VERSION = 3;
const ALIGNMENT = 32;
const encoder = new TextEncoder();

/** ggml's numbers of the types of values. */
const VALUE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 } as const;

/** Everything before the data of the first tensor. The data of each is followed by `padding` of its length. */
export function ggufHead(metadata: ReadonlyMap<string, GgufEntry>, tensors: readonly DescribedTensor[]): Uint8Array {
  const writer = new Writer();
  writer.bytes(encoder.encode('GGUF'));
  writer.u32(VERSION);
  writer.u64(tensors.length);
  writer.u64(metadata.size);
  for (const [key, entry] of metadata) {
    writer.string(key);
    writer.entry(entry);
  }
  let begin = 0;
  for (const tensor of tensors) {
    const { name, shape, type } = tensor;
    writer.string(name);
    writer.u32(shape.length);
    for (const size of [...shape].reverse()) writer.u64(size);
    writer.u32(type);
    writer.u64(begin);
    const bytes = tensorBytes(tensor);
    begin += bytes + padding(bytes).length;
  }
  writer.bytes(padding(writer.length));
  return writer.all();
}

/** Zeros up to where the next tensor may begin. */
export function padding(bytes: number): Uint8Array {
  return new Uint8Array((ALIGNMENT - (bytes % ALIGNMENT)) % ALIGNMENT);
}

function tensorBytes({ shape, type: number }: DescribedTensor): number {
  const type = GGUF_TYPES.get(number);
  if (type === undefined) throw new RangeError(`no element type of GGUF has the number ${number}`);
  return (shape.reduce((product, size) => product * size, 1) / type.values) * type.bytes;
}

class Writer {
  readonly #parts: Uint8Array[] = [];
  length = 0;

  bytes(bytes: Uint8Array): void {
    this.#parts.push(bytes);
    this.length += bytes.length;
  }

  u32(value: number): void {
    this.bytes(new Uint8Array(Uint32Array.of(value).buffer));
  }

  u64(value: number): void {
    this.bytes(new Uint8Array(BigUint64Array.of(BigInt(value)).buffer));
  }

  string(text: string): void {
    const bytes = encoder.encode(text);
    this.u64(bytes.length);
    this.bytes(bytes);
  }

  entry(entry: GgufEntry): void {
    if (typeof entry === 'string') {
      this.u32(VALUE.string);
      this.string(entry);
    } else if (typeof entry === 'number') {
      this.u32(VALUE.u32);
      this.u32(entry);
    } else if (typeof entry === 'boolean') {
      this.u32(VALUE.bool);
      this.bytes(Uint8Array.of(Number(entry)));
    } else if (entry instanceof Int32Array || entry instanceof Float32Array) {
      this.u32(VALUE.array);
      this.u32(entry instanceof Int32Array ? VALUE.i32 : VALUE.f32);
      this.u64(entry.length);
      this.bytes(new Uint8Array(entry.buffer, entry.byteOffset, entry.byteLength));
    } else if ('float32' in entry) {
      this.u32(VALUE.f32);
      this.bytes(new Uint8Array(Float32Array.of(entry.float32).buffer));
    } else {
      this.u32(VALUE.array);
      this.u32(VALUE.string);
      this.u64(entry.length);
      for (const text of entry) this.string(text);
    }
  }

  all(): Uint8Array {
    const all = new Uint8Array(this.length);
    let at = 0;
    for (const part of this.#parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}
