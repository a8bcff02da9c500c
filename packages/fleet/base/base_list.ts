/**
 * The files of a base model as they go over a fleet: in pieces of a message each, every piece named by its hash. A learner that
 * is asked sends them once, all workers read them from the server, and none of a file is believed before its hash is right.
 */
import { z } from 'zod';
import { FleetError } from '../../../src/errors.ts';
import { MESSAGE_BYTES } from '../protocol.ts';

const MOST_FILES = 200;
const MOST_PIECES = 1_000_000;
const MOST_LIST_BYTES = 2 ** 27;
/** All files of a model together. */
const MOST_BASE_BYTES = 2 ** 37;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** Below the model's folder, wherever that is: no name leads out of it. */
const fileName = z
  .string()
  .max(200)
  .regex(/^(?!.*\.\.)[\w-][\w.-]*(\/[\w-][\w.-]*)*$/);

const listSchema = z.strictObject({
  files: z
    .array(
      z.strictObject({
        name: fileName,
        bytes: z
          .int()
          .min(0)
          .max(MOST_PIECES * MESSAGE_BYTES),
        /** SHA-256 of each piece; all but the last are as long as a message. */
        pieces: z.array(sha256).max(MOST_PIECES),
      }),
    )
    .min(1)
    .max(MOST_FILES),
});

/** Files and the hashes of their pieces. */
export type BaseList = Readonly<z.infer<typeof listSchema>>;

/** Where the list lies among the weights: its hash names it as those of pieces name them. */
export interface BaseListPlace {
  readonly sha256: string;
  readonly bytes: number;
}

const replySchema = z.discriminatedUnion('status', [
  /** Its pieces are on their way to the server. */
  z.strictObject({ status: z.literal('sending') }),
  z.strictObject({
    status: z.literal('sent'),
    list: z.strictObject({ sha256, bytes: z.int().min(1).max(MOST_LIST_BYTES) }),
  }),
  z.strictObject({ status: z.literal('failed'), reason: z.string().max(1000) }),
]);

/** What a learner says of its base model to a worker that asks. */
export type BaseReply = Readonly<z.infer<typeof replySchema>>;

/** Pieces of a file. */
export function piecesOf(bytes: number): number {
  return Math.ceil(bytes / MESSAGE_BYTES);
}

export function encodeBaseJson(value: BaseList | BaseReply): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** @throws FleetError */
export function decodeBaseList(bytes: Uint8Array): BaseList {
  const list = checked('list of a base model', listSchema, bytes);
  const all = list.files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (all > MOST_BASE_BYTES)
    throw new FleetError('fleet-message', `list of a base model: ${all} bytes, and ${MOST_BASE_BYTES} are the most.`);
  const odd = list.files.find((file) => file.pieces.length !== piecesOf(file.bytes));
  if (odd === undefined) return list;
  throw new FleetError('fleet-message', `list of a base model: ${odd.name} has ${odd.pieces.length} pieces.`);
}

/** @throws FleetError */
export function decodeBaseReply(bytes: Uint8Array): BaseReply {
  return checked('reply on a base model', replySchema, bytes);
}

function checked<T>(what: string, schema: z.ZodType<T>, bytes: Uint8Array): T {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new FleetError('fleet-message', `${what}: no JSON.`);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new FleetError('fleet-message', `${what}: ${path.join('.')}: ${message}.`);
}
