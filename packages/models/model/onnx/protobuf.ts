/**
 * The wire format of Protocol Buffers, as far as ONNX needs it: fields of a number and a kind, one after the other.
 *
 *   tag        varint of field·8 + kind
 *   kind 0     varint: seven bits a byte, lowest first; a negative number as its 64 bits
 *   kind 2     varint of a length, and that number of bytes: text, bytes, another message
 *   kind 5     four bytes, little-endian
 *
 * @see https://protobuf.dev/programming-guides/encoding
 */

/** Bytes of a message that are made when it is written: the length is known before. */
export interface LaterBytes {
  readonly length: number;
  read(): Promise<Uint8Array>;
}

export type Part = Uint8Array | LaterBytes;

const encoder = new TextEncoder();

export class Message {
  readonly parts: Part[] = [];
  length = 0;

  integer(field: number, value: number): this {
    return this.#push(varint(field * 8)).#push(varint(value));
  }

  float(field: number, value: number): this {
    return this.#push(varint(field * 8 + 5)).#push(new Uint8Array(Float32Array.of(value).buffer));
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value));
  }

  bytes(field: number, value: Part): this {
    return this.#push(varint(field * 8 + 2))
      .#push(varint(value.length))
      .#push(value);
  }

  message(field: number, value: Message): this {
    this.#push(varint(field * 8 + 2)).#push(varint(value.length));
    for (const part of value.parts) this.#push(part);
    return this;
  }

  #push(part: Part): this {
    this.parts.push(part);
    this.length += part.length;
    return this;
  }
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.from([...bytes, Number(rest)]);
}

/** A field as it lies in a file: its number, and its value or the bytes [begin, end) of it. */
export interface Field {
  readonly field: number;
  readonly value: number;
  readonly begin: number;
  readonly end: number;
}

/** Most bytes of a tag and a length. */
const HEAD_BYTES = 20;

/**
 * The fields of the message in bytes [begin, end) of a file; what they hold is not read.
 *
 * @param read  bytes [begin, end) of the file, fewer where it ends before
 * @throws RangeError where it is no message
 */
export async function readFields(
  read: (begin: number, end: number) => Promise<Uint8Array>,
  begin: number,
  end: number,
): Promise<Field[]> {
  const fields: Field[] = [];
  for (let at = begin; at < end; ) {
    const head = await read(at, Math.min(end, at + HEAD_BYTES));
    const tag = varintAt(head, 0);
    const [field, kind] = [Math.floor(tag.value / 8), tag.value % 8];
    if (kind === 5) {
      fields.push({ field, value: 0, begin: at + tag.length, end: at + tag.length + 4 });
      at += tag.length + 4;
      continue;
    }
    if (kind !== 0 && kind !== 2) throw new RangeError(`a field of kind ${kind} at byte ${at}`);
    const second = varintAt(head, tag.length);
    const first = at + tag.length + second.length;
    at = kind === 2 ? first + second.value : first;
    if (at > end) throw new RangeError(`a field that ends at byte ${at}, beyond byte ${end}`);
    fields.push({ field, value: second.value, begin: first, end: at });
  }
  return fields;
}

function varintAt(bytes: Uint8Array, at: number): { readonly value: number; readonly length: number } {
  let value = 0;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    value += (byte & 127) * 2 ** (7 * (i - at));
    if (byte < 128) return { value, length: i + 1 - at };
  }
  throw new RangeError('a number without an end');
}
