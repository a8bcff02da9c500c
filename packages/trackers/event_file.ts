/**
 * TensorBoard's event files: TFRecord framing around messages of TensorFlow's event.proto and summary.proto. What is here
 * writes them; `packages/compare/foreign/read_events.ts` reads the scalars of anybody's.
 *
 *   record    length (uint64, little-endian) · masked CRC of the length · message · masked CRC of the message
 *   CRC       CRC-32C (Castagnoli); masked: rotated right by 15 bits, plus 0xa282ead8 (TFRecord's definition)
 *   Event     wall_time = 1 (double) · step = 2 (int64) · file_version = 3 · summary = 5 · session_log = 7
 *   Summary   value = 1, repeated: tag = 1 (string) · simple_value = 2 (float) · tensor = 8 · metadata = 9
 *   metadata  plugin_data = 1: plugin_name = 1, content = 2 (a message of the plugin's) · data_class = 4
 *   content   of `text`: empty; of `hparams`: session_start_info = 3 or session_end_info = 4 (its plugin_data.proto)
 */
import type { Json } from '../../src/options/json.ts';
import { joinBytes } from '../../src/run/store/store.ts';

/** One event: what is logged, when (seconds since 1970) and of which step. */
export type TensorBoardEvent = { readonly wallSeconds: number; readonly step: number } & (
  | { readonly type: 'version' }
  /** A session begins: what earlier files say of this step and later ones is void. */
  | { readonly type: 'session' }
  /** [tag, value]; kept as float32, NaN and infinities included. */
  | { readonly type: 'scalars'; readonly scalars: readonly (readonly [string, number])[] }
  /** A table of Markdown texts, [rows][columns], each row as long as the first: for the page "Text". */
  | { readonly type: 'texts'; readonly tag: string; readonly rows: readonly (readonly string[])[] }
  /** What the run of this folder is made of: for the page "HParams". What is no number, boolean or text is shown as JSON. */
  | { readonly type: 'hparams'; readonly hparams: Readonly<Record<string, Json>> }
  /** The run of this folder has come to its end. */
  | { readonly type: 'hparams-end' }
);

export const WIRE = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;
export const SESSION_START = 1; // SessionLog.SessionStatus.START
const DATA_CLASS_TENSOR = 2;
const DT = { float: 1, string: 7 } as const;
const STATUS_SUCCESS = 1;

/** The framed record of an event. */
export function encodeEvent(event: TensorBoardEvent): Uint8Array<ArrayBuffer> {
  return frame(
    joinBytes([
      double(1, event.wallSeconds),
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
    case 'texts':
      return pluginValue(event.tag, 'text', EMPTY, textTensor(event.rows));
    case 'hparams': {
      const names = Object.keys(event.hparams).sort();
      const entries = names.map((name) =>
        message(1, joinBytes([text(1, name), message(2, value(event.hparams[name]))])),
      );
      return hparamsValue('session_start_info', message(3, joinBytes([...entries, double(5, event.wallSeconds)])));
    }
    case 'hparams-end': {
      const info = joinBytes([field(1, 'varint', varint(STATUS_SUCCESS)), double(2, event.wallSeconds)]);
      return hparamsValue('session_end_info', message(4, info));
    }
  }
}

/** A Summary with one value, which a plugin of TensorBoard reads. */
function pluginValue(tag: string, plugin: string, content: Uint8Array, tensor: Uint8Array): Uint8Array {
  const data = joinBytes([text(1, plugin), content.length === 0 ? EMPTY : message(2, content)]);
  const metadata = joinBytes([message(1, data), field(4, 'varint', varint(DATA_CLASS_TENSOR))]);
  return message(5, message(1, joinBytes([text(1, tag), message(8, tensor), message(9, metadata)])));
}

/** The plugin finds everything in the metadata; its tensor has no element. */
function hparamsValue(name: string, info: Uint8Array): Uint8Array {
  return pluginValue(`_hparams_/${name}`, 'hparams', info, joinBytes([dtype(DT.float), shape([0])]));
}

function textTensor(rows: readonly (readonly string[])[]): Uint8Array {
  const texts = rows.flatMap((row) => row.map((cell) => text(8, cell)));
  return joinBytes([dtype(DT.string), shape([rows.length, rows[0]?.length ?? 0]), ...texts]);
}

function dtype(type: number): Uint8Array {
  return field(1, 'varint', varint(type));
}

/** TensorShapeProto: dim = 2, repeated: size = 1, left out where it is 0. */
function shape(sizes: readonly number[]): Uint8Array {
  const dimensions = sizes.map((size) => message(2, size === 0 ? EMPTY : field(1, 'varint', varint(size))));
  return message(2, joinBytes(dimensions));
}

/** google.protobuf.Value: number_value = 2, string_value = 3, bool_value = 4; a member of a oneof is always written. */
function value(json: Json): Uint8Array {
  if (typeof json === 'number') return double(2, json);
  if (typeof json === 'boolean') return field(4, 'varint', varint(json ? 1 : 0));
  return text(3, typeof json === 'string' ? json : JSON.stringify(json));
}

function frame(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const length = fixed(8, (view) => view.setBigUint64(0, BigInt(data.length), true));
  const checksum = (bytes: Uint8Array): Uint8Array => fixed(4, (view) => view.setUint32(0, maskedCrc32c(bytes), true));
  return joinBytes([length, checksum(length), data, checksum(data)]);
}

export function maskedCrc32c(bytes: Uint8Array): number {
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

function double(number: number, value: number): Uint8Array {
  return field(
    number,
    'fixed64',
    fixed(8, (view) => view.setFloat64(0, value, true)),
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
