/** What a learner and its workers say to each other in JSON: cards of runs, who is there, replies. */
import { z } from 'zod';
import { FleetError } from '../../src/errors.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import { MESSAGE_BYTES, MOST_TOKENS, PROTOCOL, WORKER_ID_BYTES } from './protocol.ts';

const size = (max: number) => z.int().min(1).max(max);
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
const name = z.string().min(1).max(1000);
const ropeScaling = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('llama3'),
    factor: z.number(),
    lowFreqFactor: z.number(),
    highFreqFactor: z.number(),
    originalMaxPositionEmbeddings: z.number(),
  }),
  z.strictObject({ type: z.literal('linear'), factor: z.number() }),
  z.strictObject({ type: z.literal('factors'), factors: z.array(z.number()).max(4096).readonly() }),
  z.strictObject({
    type: z.literal('yarn'),
    factor: z.number(),
    betaFast: z.number(),
    betaSlow: z.number(),
    attentionFactor: z.number(),
    originalMaxPositionEmbeddings: z.number(),
    truncate: z.boolean(),
  }),
]);
const family = z.strictObject({
  activation: z.literal('gelu_tanh').optional(),
  attentionScale: z.number().optional(),
  embeddingScale: z.number().optional(),
  offsetNorms: z.literal(true).optional(),
  branchNorms: z.literal(true).optional(),
  branchScale: z.number().optional(),
  logitScale: z.number().optional(),
  window: z.strictObject({ size: z.number(), layers: z.array(z.boolean()).max(1024).readonly() }).optional(),
  otherRope: z
    .strictObject({ layers: z.array(z.boolean()).max(1024).readonly(), theta: z.number().nullable() })
    .optional(),
});

const cardSchema = z.strictObject({
  protocol: z.literal(PROTOCOL),
  /** That of the package; its kernels decide the bits. */
  version: name,
  /** Name of the run, the same after a resume. */
  run: hex(8),
  /** Name of the learner's process. */
  session: hex(8),
  shape: z.strictObject({
    vocabSize: size(2 ** 20),
    hiddenSize: size(2 ** 16),
    intermediateSize: size(2 ** 18),
    numLayers: size(1024),
    numHeads: size(1024),
    numKvHeads: size(1024),
    headDim: size(1024),
    ropeTheta: z.number(),
    ropeScaling: ropeScaling.optional(),
    rmsNormEps: z.number(),
    tieWordEmbeddings: z.boolean(),
    attentionBias: z.boolean(),
    qkNorm: z.boolean(),
    family: family.optional(),
  }),
  /** Low-rank matrices, whose weights are then all that is sent. */
  adapter: z
    .strictObject({
      rank: size(4096),
      scale: z.number(),
      targets: z.array(z.enum(ADAPTER_TARGETS)).min(1).readonly(),
      useDora: z.boolean().optional(),
    })
    .optional(),
  /** The model that the adapter is beside: where it may be found, and the SHA-256 of each of its files. */
  base: z.strictObject({ path: name, files: z.record(name, hex(32)) }).optional(),
  /** Class of bits: a backend, with what decides its bits. */
  backend: name,
  features: z.record(name, z.union([z.string().max(1000), z.number(), z.boolean()])),
  /** What the learner's policy has room for: a worker samples as many side by side. */
  capacity: z.strictObject({
    rows: size(2 ** 24),
    completions: size(2 ** 20),
    kvRows: size(2 ** 28),
    context: size(MOST_TOKENS),
    /** How the copy of the matrices is kept that rollouts are sampled from, where they are. */
    rolloutCopy: z.literal('q8_0').optional(),
  }),
  /** Bytes of each message of weights but the last. */
  partBytes: size(MESSAGE_BYTES),
});

/** What a learner tells of its run: as much as a worker needs to open its model. */
export type RunCard = z.infer<typeof cardSchema>;

const seriesSchema = z.strictObject({
  kind: z.literal('series'),
  protocol: z.literal(PROTOCOL),
  version: name,
  run: hex(8),
  session: hex(8),
  /** Class of bits, and what a resume compares besides: see `sameBits`. */
  backend: name,
  features: z.record(name, z.union([z.string().max(1000), z.number(), z.boolean()])),
  mathematics: z.string().max(200),
  platform: name,
});

/** What the learner of a series tells of it: as much as a worker needs to know whether it may train its runs. */
export type SeriesCard = z.infer<typeof seriesSchema>;

const presenceSchema = z.strictObject({
  worker: hex(WORKER_ID_BYTES),
  /** Its machine and process, for people. */
  name: z.string().max(200),
});

/** A worker says that it is there. */
export type Presence = z.infer<typeof presenceSchema>;

const replySchema = z.strictObject({
  status: z.enum(['received', 'over', 'refused']),
  reason: z.string().max(1000).optional(),
});

/** What a learner answers to a result. over: the task is no longer wanted. */
export type Reply = z.infer<typeof replySchema>;

export function encodeJson(value: RunCard | SeriesCard | Presence | Reply): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** @throws FleetError where it is none, or of another protocol */
export function decodeCard(bytes: Uint8Array): RunCard | SeriesCard {
  const json = parseJson('card of a run', bytes);
  const { protocol, kind } = (json ?? {}) as { readonly protocol?: unknown; readonly kind?: unknown };
  if (typeof protocol === 'number' && protocol !== PROTOCOL) {
    const rule = `of protocol ${protocol}, and this program speaks ${PROTOCOL}; give learner and workers the same version`;
    throw new FleetError('fleet-protocol', `card of a run: ${rule}.`);
  }
  return kind === 'series'
    ? checked('card of a series', seriesSchema, json)
    : checked('card of a run', cardSchema, json);
}

/** @throws FleetError */
export function decodePresence(bytes: Uint8Array): Presence {
  return checked('presence of a worker', presenceSchema, parseJson('presence of a worker', bytes));
}

/** @throws FleetError */
export function decodeReply(bytes: Uint8Array): Reply {
  return checked('reply', replySchema, parseJson('reply', bytes));
}

function parseJson(what: string, bytes: Uint8Array): unknown {
  if (bytes.length > MESSAGE_BYTES)
    throw new FleetError('fleet-message', `${what}: ${bytes.length} bytes are too many.`);
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new FleetError('fleet-message', `${what}: no JSON.`);
  }
}

function checked<T>(what: string, schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new FleetError('fleet-message', `${what}: ${path.join('.')}: ${message}.`);
}
