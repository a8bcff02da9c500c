/**
 * What the learner of a series and its workers say to each other. A request is a head in JSON and, where a file is sent, bytes
 * after it; so is the reply. Every message is checked before anything of it is used.
 */
import { z } from 'zod';
import { FleetError } from '../../../src/errors.ts';
import { MESSAGE_BYTES, PROTOCOL, WORKER_ID_BYTES } from '../protocol.ts';

/** Bytes of a file in one message: what is left is for the head. */
export const PART_BYTES = MESSAGE_BYTES - 65_536;

const MOST_FILE_BYTES = 2 ** 36;
const MOST_RUNS = 100_000;
const MOST_FILES = 2000;
const MOST_TEXT = 4000;

const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const run = z
  .int()
  .min(0)
  .max(MOST_RUNS - 1);
const path = z.string().min(1).max(1000);
const bytes = z.int().min(0).max(MOST_FILE_BYTES);
const who = { protocol: z.literal(PROTOCOL), worker: hex(WORKER_ID_BYTES) };

const requestSchema = z.discriminatedUnion('ask', [
  /** A run to train. */
  z.strictObject({ ...who, ask: z.literal('take'), name: z.string().max(200) }),
  /** The run is under way. step: the newest one. */
  z.strictObject({ ...who, ask: z.literal('alive'), run, step: z.int().min(0) }),
  /** A part of a file of the run's directory. */
  z.strictObject({ ...who, ask: z.literal('read'), run, path, offset: bytes }),
  /** A part of a file, of `size` bytes in all. from: bytes that are there already and stay. */
  z.strictObject({ ...who, ask: z.literal('write'), run, path, from: bytes, offset: bytes, size: bytes }),
  /** All of a checkpoint is there. files: all that the directory of the worker has; what it has no more is removed. */
  z.strictObject({ ...who, ask: z.literal('saved'), run, files: z.array(path).max(MOST_FILES) }),
  /** The worker has left the run. */
  z.strictObject({
    ...who,
    ask: z.literal('leave'),
    run,
    outcome: z.enum(['finished', 'stopped', 'failed']),
    reason: z.string().max(MOST_TEXT).optional(),
  }),
]);

/** A worker's request. */
export type SeriesRequest = z.infer<typeof requestSchema>;

const replySchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.literal('ok') }),
  /** There is nothing to train for now. */
  z.strictObject({ status: z.literal('none') }),
  /** The run is another worker's by now, or there is none of that number. */
  z.strictObject({ status: z.literal('lost') }),
  /** The series ends: save, and leave. */
  z.strictObject({ status: z.literal('stop') }),
  /** The worker is not given runs. */
  z.strictObject({ status: z.literal('refused'), reason: z.string().max(MOST_TEXT) }),
  /** config: text of its config.yaml; files: what its directory has, where it is resumed. */
  z.strictObject({
    status: z.literal('run'),
    run,
    name: z.string().max(1000),
    config: z.string().max(MESSAGE_BYTES),
    files: z
      .array(z.strictObject({ path, size: bytes }))
      .max(MOST_FILES)
      .optional(),
  }),
]);

/** What the learner replies. */
export type SeriesReply = z.infer<typeof replySchema>;

/** A request or reply with the bytes that it brings. */
export interface WithBytes<T> {
  readonly head: T;
  readonly body: Uint8Array;
}

const HEAD_LENGTH_BYTES = 4;

export function encodeSeries(head: SeriesRequest | SeriesReply, body?: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(head));
  const all = new Uint8Array(HEAD_LENGTH_BYTES + text.length + (body?.length ?? 0));
  new DataView(all.buffer).setUint32(0, text.length, true);
  all.set(text, HEAD_LENGTH_BYTES);
  if (body !== undefined) all.set(body, HEAD_LENGTH_BYTES + text.length);
  return all;
}

/** @throws FleetError for a message that is none, or of another protocol */
export function decodeSeriesRequest(message: Uint8Array): WithBytes<SeriesRequest> {
  return decode('request of a worker', requestSchema, message);
}

/** @throws FleetError */
export function decodeSeriesReply(message: Uint8Array): WithBytes<SeriesReply> {
  return decode('reply of a series', replySchema, message);
}

function decode<T>(what: string, schema: z.ZodType<T>, message: Uint8Array): WithBytes<T> {
  const wrong = (why: string): FleetError => new FleetError('fleet-message', `${what}: ${why}.`);
  if (message.length > MESSAGE_BYTES || message.length < HEAD_LENGTH_BYTES)
    throw wrong(`${message.length} bytes, and ${HEAD_LENGTH_BYTES} to ${MESSAGE_BYTES} are allowed`);
  const length = new DataView(message.buffer, message.byteOffset).getUint32(0, true);
  const end = HEAD_LENGTH_BYTES + length;
  if (end > message.length) throw wrong('it is cut off');
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(message.subarray(HEAD_LENGTH_BYTES, end)));
  } catch {
    throw wrong('no JSON');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { head: parsed.data, body: message.slice(end) };
  const [issue] = parsed.error.issues;
  throw wrong(`${issue.path.join('.')}: ${issue.message}`);
}
