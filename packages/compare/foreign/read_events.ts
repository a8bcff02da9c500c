/**
 * The scalars and texts of TensorBoard's event files, of any program: a file has the form that `event_file.ts` says.
 *
 * PyTorch's writers give a scalar as `simple_value`. TensorFlow 2 gives a tensor of one float: `float_val` (5), or its bytes
 * as `tensor_content` (4).
 */
import { maskedCrc32c, SESSION_START, WIRE } from '../../trackers/event_file.ts';

/** A scalar of a step. */
export interface ReadScalar {
  readonly step: number;
  readonly tag: string;
  readonly value: number;
}

/** A text that was written beside them, as the settings of a trainer. */
export interface ReadText {
  readonly tag: string;
  readonly text: string;
}

export interface ReadEvents {
  /** In the order of the file, those that a later session has voided left out. */
  readonly scalars: readonly ReadScalar[];
  readonly texts: readonly ReadText[];
  /** The file ends in the middle of a record: it is still being written, or was cut off. */
  readonly isCut: boolean;
}

/** Bytes of a record around its message: length, its CRC, and the message's. */
const LENGTH_BYTES = 8;
const CRC_BYTES = 4;

/** Whether the bytes begin as an event file: a length with the CRC that belongs to it. */
export function isEventFile(bytes: Uint8Array): boolean {
  if (bytes.length < LENGTH_BYTES + CRC_BYTES) return false;
  const view = viewOf(bytes);
  return view.getUint32(LENGTH_BYTES, true) === maskedCrc32c(bytes.subarray(0, LENGTH_BYTES));
}

/** Reads whole records, up to the first that is damaged. */
export function readEvents(bytes: Uint8Array): ReadEvents {
  const view = viewOf(bytes);
  let scalars: ReadScalar[] = [];
  const texts: ReadText[] = [];
  let at = 0;
  while (at < bytes.length) {
    const from = at + LENGTH_BYTES + CRC_BYTES;
    if (from > bytes.length || !isEventFile(bytes.subarray(at))) return { scalars, texts, isCut: true };
    const to = from + Number(view.getBigUint64(at, true));
    if (to + CRC_BYTES > bytes.length) return { scalars, texts, isCut: true };
    const message = bytes.subarray(from, to);
    if (view.getUint32(to, true) !== maskedCrc32c(message)) return { scalars, texts, isCut: true };
    const { step, begins, found } = eventOf(message);
    if (begins) scalars = scalars.filter((one) => one.step < step);
    for (const { tag, value } of found) {
      if (typeof value === 'number') scalars.push({ step, tag, value });
      else texts.push({ tag, text: value });
    }
    at = to + CRC_BYTES;
  }
  return { scalars, texts, isCut: false };
}

function eventOf(message: Uint8Array): {
  readonly step: number;
  readonly begins: boolean;
  readonly found: readonly Found[];
} {
  let step = 0;
  let begins = false;
  const found: Found[] = [];
  for (const { number, value } of fieldsOf(message)) {
    if (number === 2 && typeof value === 'number') step = value;
    if (number === 7 && value instanceof Uint8Array)
      begins = fieldsOf(value).some((field) => field.number === 1 && field.value === SESSION_START);
    if (number === 5 && value instanceof Uint8Array) {
      for (const inner of fieldsOf(value)) {
        const one = inner.number === 1 && inner.value instanceof Uint8Array ? summaryValue(inner.value) : undefined;
        if (one !== undefined) found.push(one);
      }
    }
  }
  return { step, begins, found };
}

/** A number, or a text. */
interface Found {
  readonly tag: string;
  readonly value: number | string;
}

/** A value of a summary; undefined where it is neither a scalar nor a text. */
function summaryValue(message: Uint8Array): Found | undefined {
  const fields = fieldsOf(message);
  const bytesOf = (number: number): Uint8Array | undefined => {
    const value = fields.find((field) => field.number === number)?.value;
    return value instanceof Uint8Array ? value : undefined;
  };
  const tag = bytesOf(1);
  const simple = fields.find(({ number, wire }) => number === 2 && wire === WIRE.fixed32)?.value;
  const tensor = bytesOf(8);
  const value = simple instanceof Uint8Array ? viewOf(simple).getFloat32(0, true) : tensor && contentOf(tensor);
  return tag === undefined || value === undefined ? undefined : { tag: new TextDecoder().decode(tag), value };
}

const DT_FLOAT = 1;
const DT_STRING = 7;

/** The number of a tensor that has one float, the text of one that has a string. */
function contentOf(tensor: Uint8Array): number | string | undefined {
  const fields = fieldsOf(tensor);
  const type = fields.find(({ number }) => number === 1)?.value;
  if (type === DT_STRING) {
    const text = fields.find(({ number }) => number === 8)?.value;
    return text instanceof Uint8Array ? new TextDecoder().decode(text) : undefined;
  }
  if (type !== DT_FLOAT) return undefined;
  const bytes = fields.find(({ number }) => number === 4 || number === 5)?.value;
  return bytes instanceof Uint8Array && bytes.length === 4 ? viewOf(bytes).getFloat32(0, true) : undefined;
}

interface Field {
  readonly number: number;
  readonly wire: number;
  /** Numbers for varints, bytes for all else. */
  readonly value: number | Uint8Array;
}

/** The fields of a message, in order; those after one that is damaged are left out. */
function fieldsOf(message: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < message.length; scale *= 128) {
      const byte = message[at++];
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < message.length) {
    const key = varint();
    const [number, wire] = [Math.floor(key / 8), key % 8];
    if (wire === WIRE.varint) {
      fields.push({ number, wire, value: varint() });
      continue;
    }
    const length = wire === WIRE.bytes ? varint() : wire === WIRE.fixed64 ? 8 : wire === WIRE.fixed32 ? 4 : undefined;
    if (length === undefined || at + length > message.length) break;
    fields.push({ number, wire, value: message.subarray(at, at + length) });
    at += length;
  }
  return fields;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
