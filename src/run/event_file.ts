/**
 * TensorBoard's event files: TFRecord framing around messages of TensorFlow's event.proto and summary.proto.
 *
 *   record    length (uint64, little-endian) · masked CRC of the length · message · masked CRC of the message
 *   CRC       CRC-32C (Castagnoli); masked: rotated right by 15 bits, plus 0xa282ead8 (TFRecord's definition)
 *   Event     wall_time = 1 (double) · step = 2 (int64) · file_version = 3 · summary = 5 · session_log = 7
 *   Summary   value = 1, repeated: tag = 1 (string) · simple_value = 2 (float)
 */

/** One event: what is told, when (seconds since 1970) and of which step. */
export type TensorBoardEvent = { readonly wallSeconds: number; readonly step: number } & (
  | { readonly type: 'version' }
  /** A session begins: what earlier files say of this step and later ones is void. */
  | { readonly type: 'session' }
  /** [tag, value]; kept as float32, NaN and infinities included. */
  | { readonly type: 'scalars'; readonly scalars: readonly (readonly [string, number])[] }
);

const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
const SESSION_START = 1; // SessionLog.SessionStatus.START

/** The framed record of an event. */
export function encodeEvent(event: TensorBoardEvent): Uint8Array<ArrayBuffer> {
  return frame(
    joinBytes([
      field(
        1,
        'fixed64',
        fixed(8, (view) => view.setFloat64(0, event.wallSeconds, true)),
      ),
      event.step === 0 ? EMPTY : field(2, 'varint', varint(event.step)), // proto3 leaves defaults out
      content(event),
    ]),
  );
}

function content(event: TensorBoardEvent): Uint8Array {
  switch (event.type) {
    case 'version':
      return text(3, 'brain.Event:2');
    case 'session':
      return message(7, field(1, 'varint', varint(SESSION_START)));
    case 'scalars': {
      const values = event.scalars.map(([tag, value]) => message(1, joinBytes([text(1, tag), float(2, value)])));
      return message(5, joinBytes(values));
    }
  }
}

function frame(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = fixed(8, (view) => view.setBigUint64(0, BigInt(data.length), true));
  const checksum = (bytes: Uint8Array): Uint8Array => fixed(4, (view) => view.setUint32(0, maskedCrc32c(bytes), true));
  return joinBytes([length, checksum(length), data, checksum(data)]);
}

function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** [256] the remainder of each byte, for the reflected Castagnoli polynomial. */
const REMAINDERS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ 0x82f63b78 : remainder >>> 1;
  return remainder;
});

/** CRC-32C (RFC 3720, B.4) of some bytes. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = REMAINDERS[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const EMPTY = new Uint8Array(0);

function text(number: number, value: string): Uint8Array {
  return message(number, new TextEncoder().encode(value));
}

function float(number: number, value: number): Uint8Array {
  return field(
    number,
    'fixed32',
    fixed(4, (view) => view.setFloat32(0, value, true)),
  );
}

function message(number: number, bytes: Uint8Array): Uint8Array {
  return field(number, 'bytes', joinBytes([varint(bytes.length), bytes]));
}

function field(number: number, wire: keyof typeof WIRE, bytes: Uint8Array): Uint8Array {
  return joinBytes([varint(number * 8 + WIRE[wire]), bytes]);
}

/** Seven bits a byte, lowest first. Division, as shifts would cut a step at 32 bits. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

function fixed(length: number, write: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer));
  return bytes;
}

/** One after the other, copied. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
