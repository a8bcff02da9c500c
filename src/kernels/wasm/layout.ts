/**
 * Where everything lies in the one linear memory: control words, commands, arenas, packed weights, scratch.
 * Planned before the first kernel runs; nothing is allocated afterwards.
 */
import { BackendError, MemoryPlanError } from '../../errors.ts';
import { gibibytes } from '../../format.ts';
import type { MatrixUse, MemoryPlan, PlanLimits, PlannedMatrix, Slot } from '../memory.ts';
import { requireStorages, slotLength, storageOf } from '../memory.ts';
import { bytesOf, STORAGE, type Storage } from '../storage.ts';
import { COMMAND_WORDS } from './assembly/command.ts';
import {
  BF16,
  BLOCK_ROWS,
  CHUNK_ROWS,
  CONTROL_BYTES,
  F16,
  GRADIENT_ROWS,
  JOB_LIST,
  LONGEST_TOGETHER,
  PACKED,
  Q4_0,
  Q4_1,
  Q4_K,
  Q5_0,
  Q5_1,
  Q5_K,
  Q6_K,
  Q8_0,
  SAMPLE_BIN_BYTES,
  SAMPLE_BINS,
  STORED_COLUMNS,
  STORED_LENGTH,
  STORED_STRIPS,
  STRIP_ROWS,
  STRIPS_TOGETHER,
  TILE_BYTES,
  WIDE_PANEL,
} from './assembly/sizes.ts';

/** The module's own constants (tables of exp and log) lie below this. */
export const RESERVED_BYTES = 65536;
const MAXIMUM_COMMANDS = 8192;
/** Bytes of a word of a command, where addresses have 64 bits. */
const LONGEST_WORD = 8;
/** Rows of logits that a thread makes at once with a stored head: each time it widens all of it. */
const STORED_LOGIT_ROWS = 48;
/** Most programs of a job. */
export const MAXIMUM_PROGRAMS = 200;
const PAGE_BYTES = 65536;
/** What 32-bit addresses reach. */
export const SHORT_REACH_BYTES = 4 * 1024 ** 3;
/** What engines give of what 64-bit addresses reach. */
const LONG_REACH_BYTES = 16 * 1024 ** 3;

/** How arenas may be kept, and the form by which kernels know what matrices of them are. */
export const FORMS: Readonly<Record<Storage, number>> = {
  i32: PACKED,
  f32: PACKED,
  bf16: BF16,
  f16: F16,
  q8_0: Q8_0,
  q4_0: Q4_0,
  q4_1: Q4_1,
  q5_0: Q5_0,
  q5_1: Q5_1,
  q4_k: Q4_K,
  q5_k: Q5_K,
  q6_k: Q6_K,
};

/** Where kernels read a weight, addresses in bytes; 0 where its planned uses need none. */
export interface PlacedMatrix {
  readonly slot: Slot;
  /** Panels over outputs: for x·weightᵀ. */
  readonly byOutput: number;
  /** Panels over inputs: for dOut·weight. */
  readonly byInput: number;
  /** PACKED: these are panels; else both are the matrix itself, stored in this form, and no panels exist. */
  readonly form: number;
}

export interface Layout {
  readonly job: number;
  readonly control: number;
  readonly commands: number;
  readonly arenas: ReadonlyMap<string, number>;
  readonly matrices: ReadonlyMap<string, PlacedMatrix>;
  /** Shared space for dz blocks, and for the packed operands of weight gradients; 0 in a plan that is forward only. */
  readonly logitSpace: number;
  readonly gradientSpace: number;
  readonly threadScratch: number;
  readonly threadScratchBytes: number;
  /** Bytes at the start of a thread's scratch for packed strips. */
  readonly stripBytes: number;
  /** Rows of logits that a thread holds at once. */
  readonly logitRows: number;
  readonly bytes: number;
  readonly byPurpose: ReadonlyMap<string, number>;
}

/** Identity of a weight slot. */
export function slotKey(slot: Slot): string {
  return `${slot.arena}:${slot.offset}`;
}

const roundUp = (value: number, multiple: number): number => Math.ceil(value / multiple) * multiple;

/** How much memory there is, and why not more. */
export interface MemoryLimit {
  readonly bytes: number;
  readonly reason: string;
}

/** Why there is no more than a machine has. */
export const MACHINE = 'is the memory that this machine has for it';

/**
 * @param machineBytes  memory of the machine or container for this program; undefined where the host does not tell
 * @param longAddresses  whether there are addresses of 64 bits
 */
export function memoryLimit(machineBytes: number | undefined, longAddresses = false): MemoryLimit {
  const reach = longAddresses ? LONG_REACH_BYTES : SHORT_REACH_BYTES;
  if (machineBytes === undefined || machineBytes >= reach) {
    return { bytes: reach, reason: longAddresses ? 'is what this engine gives' : 'is what WebAssembly can address' };
  }
  return { bytes: machineBytes, reason: MACHINE };
}

/** @throws MemoryPlanError when the plan needs more than the limit */
export function layOut(plan: MemoryPlan, threads: number, limit: MemoryLimit = memoryLimit(undefined)): Layout {
  requireStorages(plan, 'wasm', Object.keys(FORMS) as Storage[]); // the keys are storages by the table's type
  const byPurpose = new Map<string, number>();
  let next = RESERVED_BYTES;
  const take = (bytes: number, purpose: string): number => {
    const start = next;
    next = roundUp(next + bytes + 64, 64);
    byPurpose.set(purpose, (byPurpose.get(purpose) ?? 0) + next - start);
    return start;
  };
  const job = take(4 * (JOB_LIST + 2 * MAXIMUM_PROGRAMS), 'commands');
  const control = take(CONTROL_BYTES, 'commands');
  const commands = take(MAXIMUM_COMMANDS * COMMAND_WORDS * LONGEST_WORD, 'commands');
  const plain = plan.arenas.filter(({ packedAlone = false }) => !packedAlone);
  const arenas = new Map(
    plain.map((arena) => [arena.name, take(bytesOf(storageOf(arena), arena.length), arena.purpose)] as const),
  );
  const matrices = new Map(
    plan.matrices.map((matrix) => [slotKey(matrix.slot), placeMatrix(plan, arenas, matrix, take)] as const),
  );
  const hasStored = [...matrices.values()].some(({ form }) => form !== PACKED);
  const { logitRows, stripBytes, scratchBytes } = threadScratch(plan.limits, hasStored);
  const { forwardOnly = false, vocabSize, width, gradientWidth = Math.max(width, vocabSize) } = plan.limits;
  const widest = roundUp(gradientWidth, WIDE_PANEL);
  const logitSpace = forwardOnly ? 0 : take(CHUNK_ROWS * roundUp(vocabSize, WIDE_PANEL) * 4, 'logits chunk');
  // Two blocks of both operands: one is multiplied while the next is packed.
  const gradientSpace = forwardOnly ? 0 : take(2 * GRADIENT_ROWS * 2 * (widest + STRIP_ROWS) * 4, 'scratch');
  const threadScratchStart = take(scratchBytes * threads, 'scratch');
  const bytes = roundUp(next, PAGE_BYTES);
  const planned = [...byPurpose.values()].reduce((sum, size) => sum + size, 0);
  byPurpose.set('scratch', (byPurpose.get('scratch') ?? 0) + bytes - planned);
  if (bytes > limit.bytes) throw tooLarge(bytes, byPurpose, limit);
  return {
    job,
    control,
    commands,
    arenas,
    matrices,
    logitSpace,
    gradientSpace,
    threadScratch: threadScratchStart,
    threadScratchBytes: scratchBytes,
    stripBytes,
    logitRows,
    bytes,
    byPurpose,
  };
}

/** A matrix of an arena that is not plain stays as it is there; others get panels. */
function placeMatrix(
  plan: MemoryPlan,
  arenas: Layout['arenas'],
  { slot, uses }: PlannedMatrix,
  take: (bytes: number, purpose: string) => number,
): PlacedMatrix {
  const [outputs, inputs] = matrixShape(slot);
  const storage = storageIn(plan, slot);
  const form = FORMS[storage];
  if (form !== PACKED) {
    const { values } = STORAGE[storage];
    if (inputs % values !== 0) {
      const rule = `shape [${slot.shape}] in ${storage} — a row must be whole blocks of ${values}`;
      throw new BackendError('weight-shape', `weight ${slotKey(slot)}: ${rule}.`);
    }
    const address = addressOf(arenas, plan, slot);
    const of = (use: MatrixUse): number => (uses.includes(use) ? address : 0);
    return { slot, byOutput: of('forward'), byInput: of('backward'), form };
  }
  const panels = (use: MatrixUse, columns: number, length: number): number =>
    uses.includes(use) ? take(roundUp(columns, WIDE_PANEL) * length * 4, 'packed weights') : 0;
  return { slot, byOutput: panels('forward', outputs, inputs), byInput: panels('backward', inputs, outputs), form };
}

/** How the arena of a slot is kept. */
export function storageIn(plan: MemoryPlan, { arena, dtype }: Slot): Storage {
  return storageOf(plan.arenas.find(({ name }) => name === arena) ?? { dtype });
}

/** [out, in] of a weight. */
export function matrixShape(slot: Slot): readonly [number, number] {
  const [outputs, inputs] = slot.shape;
  if (slot.shape.length !== 2 || outputs === undefined || inputs === undefined) {
    throw new BackendError('weight-shape', `weight ${slotKey(slot)}: shape [${slot.shape}] — a weight is [out, in].`);
  }
  return [outputs, inputs];
}

/** Logits of a few rows, or a block of attention's backward, or the sampler's tables, whichever is larger. */
function threadScratch(
  limits: PlanLimits,
  hasStored: boolean,
): { logitRows: number; stripBytes: number; scratchBytes: number } {
  const stride = roundUp(limits.vocabSize, WIDE_PANEL);
  // Fewer rows would read a large head from memory all the more often.
  const strips = Math.min(6, Math.max(STRIPS_TOGETHER, Math.floor(16384 / (stride * STRIP_ROWS))));
  const logitRows = hasStored ? STORED_LOGIT_ROWS : STRIP_ROWS * strips;
  const sampler = logitRows * stride * 4 + stride * 9 + SAMPLE_BINS * SAMPLE_BIN_BYTES;
  // Several strips of rows that are not too long, or one of any length (K of dz·weight is V).
  const longest = Math.max(limits.width, limits.vocabSize);
  const stripFloats = Math.max(
    STRIPS_TOGETHER * Math.min(Math.max(longest, stride), LONGEST_TOGETHER),
    longest,
    stride,
  );
  const ofStored = STORED_LENGTH * (STORED_STRIPS * STRIP_ROWS + WIDE_PANEL + STORED_COLUMNS);
  const stripBytes = 4 * Math.max(STRIP_ROWS * stripFloats, hasStored ? ofStored : 0) + TILE_BYTES;
  const others = Math.max(sampler, attentionBytes(limits), muonBytes(limits), limits.width * 4) + 64;
  return {
    logitRows,
    stripBytes: roundUp(stripBytes, 64),
    scratchBytes: roundUp(stripBytes, 64) + roundUp(others, 64),
  };
}

/**
 * A packed strip, probabilities and their gradients, packed keys or values, and both widened where they are not kept as
 * float32: a block of attention's backward. Or scores.
 */
function attentionBytes({ context, headDim, width, keptKeys = 'f32' }: PlanLimits): number {
  const keys = roundUp(context + 4, WIDE_PANEL);
  const strip = STRIP_ROWS * Math.max(headDim, BLOCK_ROWS, context);
  const packed = headDim * keys;
  // Forward: the padded scores of all heads of a row, taken four at a time, and what the four give.
  const scores = (width / headDim + 4) * (context + 16);
  const widened = keptKeys === 'f32' ? 0 : 2 * headDim * context;
  return 4 * Math.max(widened + strip + 2 * BLOCK_ROWS * keys + packed, scores);
}

/** A matrix, two squares of its shorter side, and the right side of a product in panels. */
function muonBytes({ muon: { short, long } = { short: 0, long: 0 } }: PlanLimits): number {
  return 4 * (short * long + 2 * short * short + roundUp(short, WIDE_PANEL) * roundUp(long, WIDE_PANEL)) + 3 * 16;
}

function tooLarge(bytes: number, byPurpose: ReadonlyMap<string, number>, limit: MemoryLimit): MemoryPlanError {
  const largest = [...byPurpose].sort((a, b) => b[1] - a[1]).slice(0, 2);
  return new MemoryPlanError(
    'wasm-memory',
    `${gibibytes(bytes)} of memory needed, ${gibibytes(limit.bytes)} ${limit.reason}. Largest: ${largest
      .map(([purpose, size]) => `${purpose} ${gibibytes(size)}`)
      .join(', ')}.`,
    { bytes, limit: limit.bytes, byPurpose: Object.fromEntries(byPurpose) },
  );
}

/** The matrix that a slot is rows of, where its arena is packed alone; undefined in another arena. */
export function packedAlone({ matrices }: Layout, plan: MemoryPlan, { arena, offset }: Slot): PlacedMatrix | undefined {
  if (!plan.arenas.some((spec) => spec.name === arena && spec.packedAlone)) return undefined;
  for (const weight of matrices.values()) {
    const { slot } = weight;
    if (slot.arena === arena && offset >= slot.offset && offset < slot.offset + slotLength(slot)) return weight;
  }
  throw new BackendError('unplanned-weight', `slot at ${offset} of '${arena}' is part of none of the plan's matrices.`);
}

/** Byte address of a slot's first element. @throws BackendError for an unknown arena or a slot past its end */
export function slotAddress({ arenas }: Layout, plan: MemoryPlan, slot: Slot): number {
  return addressOf(arenas, plan, slot);
}

function addressOf(arenas: Layout['arenas'], plan: MemoryPlan, slot: Slot): number {
  const base = arenas.get(slot.arena);
  const spec = plan.arenas.find((arena) => arena.name === slot.arena);
  if (base === undefined || spec === undefined) {
    throw new BackendError('unknown-arena', `slot in arena '${slot.arena}' — the memory plan has no such arena.`);
  }
  if (slot.offset + slotLength(slot) > spec.length) {
    throw new BackendError(
      'slot-range',
      `slot [${slot.shape}] at ${slot.offset} of '${slot.arena}' — the arena ends at ${spec.length}.`,
    );
  }
  return base + bytesOf(storageOf(spec), slot.offset);
}
