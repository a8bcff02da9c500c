/**
 * Memory as every backend sees it: named flat arenas, and slots that name a region of one.
 *
 * All arenas are declared in one plan before anything runs, so that a backend allocates once and a run that
 * does not fit is refused before it starts. `real` arenas hold float32 (float64 on the reference backend), or what their
 * storage says. Kernels compute in float32 all the same. In blocks lie matrices alone, whose rows are whole blocks.
 */
import { BackendError } from '../errors.ts';
import { type DType, PLAIN, STORAGE, type Storage } from './storage.ts';

export type { DType, StorageDtype } from './storage.ts';

/** A flat buffer. Zero-filled when the engine opens. */
export interface ArenaSpec {
  readonly name: string;
  readonly dtype: DType;
  /** Elements. */
  readonly length: number;
  /** What it is for, as the memory plan prints it: weights, gradients, optimizer, KV cache, activations, … */
  readonly purpose: string;
  /** How its elements are kept; by default 32 bits each. Of reals in fewer bits nothing is ever added to. */
  readonly storage?: Storage;
  /**
   * Matrices of the plan alone lie in it, which the host writes and no program changes: a backend that packs matrices
   * keeps no plain copy of them.
   */
  readonly packedAlone?: boolean;
}

/** A named region of an arena, row-major, last dimension fastest. */
export interface Slot {
  readonly arena: string;
  readonly dtype: DType;
  /** First element, counted in elements of the arena. */
  readonly offset: number;
  readonly shape: readonly number[];
}

/** An integer read from an int slot at each replay. */
export interface SlotCount {
  readonly slot: Slot;
  readonly index: number;
}

/** An integer that is either fixed for the life of a program or read at each replay. */
export type Count = number | SlotCount;

/** Rows `begin ≤ r < end` of a kernel's row-wise operands; it touches no other row. */
export interface Rows {
  readonly begin: Count;
  readonly end: Count;
}

/** forward: `linear`, `linearLogprob`, `sample`; backward: `linearInputGradient`, `linearLogprobBackward`, which uses both. */
export type MatrixUse = 'forward' | 'backward';

/** A weight matrix [out, in] and what will be computed with it: a backend that packs keeps one form for each use. */
export interface PlannedMatrix {
  readonly slot: Slot;
  readonly uses: readonly MatrixUse[];
}

/** Everything that an engine must hold, known before the first kernel runs. */
export interface MemoryPlan {
  readonly arenas: readonly ArenaSpec[];
  readonly matrices: readonly PlannedMatrix[];
  /** Upper bounds from which a backend sizes its own scratch space. */
  readonly limits: PlanLimits;
}

export interface PlanLimits {
  /** Rows of the largest batch. */
  readonly rows: number;
  /** Keys that one query row attends to, at most. */
  readonly context: number;
  readonly vocabSize: number;
  /** Widest row of any matrix: max over weights of inputs and outputs. */
  readonly width: number;
  /** Size of a query, key or value of attention. */
  readonly headDim: number;
  /** How keys and values are kept; f32 by default. */
  readonly keptKeys?: Storage | undefined;
  /** Most outputs or inputs of any matrix that has a gradient; by default the widest row or the vocabulary. */
  readonly gradientWidth?: number;
  /** Longest of the shorter sides of matrices that `muon` steps, and longest of the longer ones; absent: it steps none. */
  readonly muon?: { readonly short: number; readonly long: number } | undefined;
  /** true: no program runs a backward kernel, and no scratch space is kept for one. */
  readonly forwardOnly?: boolean;
}

/** How an arena is kept. */
export function storageOf({ dtype, storage = PLAIN[dtype] }: Pick<ArenaSpec, 'dtype' | 'storage'>): Storage {
  return storage;
}

/** @throws BackendError where a plan asks for a storage that a backend does not have */
export function requireStorages({ arenas }: MemoryPlan, backend: string, known: readonly Storage[]): void {
  for (const arena of arenas) {
    const storage = storageOf(arena);
    if (known.includes(storage)) continue;
    const message = `arena '${arena.name}' is planned as ${storage}; the ${backend} backend keeps ${known.join(', ')}.`;
    throw new BackendError('storage', message, { arena: arena.name, storage });
  }
}

/** Number of elements in a slot. */
export function slotLength(slot: Slot): number {
  return slot.shape.reduce((product, size) => product * size, 1);
}

/** What an argument of a kernel is, where its type is not known. */
export function isSlot(value: unknown): value is Slot {
  return typeof value === 'object' && value !== null && 'arena' in value;
}

export function isRows(value: unknown): value is Rows {
  return typeof value === 'object' && value !== null && 'begin' in value;
}

export function isSlotCount(value: unknown): value is SlotCount {
  return typeof value === 'object' && value !== null && 'slot' in value;
}

/** All of an arena as one slot of shape [length]. */
export function wholeArena(spec: ArenaSpec): Slot {
  return { arena: spec.name, dtype: spec.dtype, offset: 0, shape: [spec.length] };
}

/** The first `count` rows of a slot, as a slot of their own. */
export function leadingRows(slot: Slot, count: number): Slot {
  return { ...slot, shape: [count, ...slot.shape.slice(1)] };
}

/** Hands out consecutive slots of arenas and remembers their sizes: the way a plan is written down. */
export class ArenaBuilder {
  readonly name: string;
  readonly dtype: DType;
  readonly purpose: string;
  readonly storage: Storage;
  readonly packedAlone: boolean;
  #length = 0;

  constructor(
    name: string,
    dtype: DType,
    purpose: string,
    { storage = PLAIN[dtype], packedAlone = false }: Pick<ArenaSpec, 'storage' | 'packedAlone'> = {},
  ) {
    this.name = name;
    this.dtype = dtype;
    this.purpose = purpose;
    this.storage = storage;
    this.packedAlone = packedAlone;
  }

  /** The next region of this shape. Starts on a multiple of 16 elements unless `packed`, so that SIMD loads align, and on a block. */
  slot(shape: readonly number[], options: { readonly packed?: boolean } = {}): Slot {
    const multiple = Math.max(options.packed ? 1 : 16, STORAGE[this.storage].values);
    this.#length = Math.ceil(this.#length / multiple) * multiple;
    const slot: Slot = { arena: this.name, dtype: this.dtype, offset: this.#length, shape };
    this.#length += slotLength(slot);
    return slot;
  }

  get length(): number {
    return this.#length;
  }

  spec(): ArenaSpec {
    const { name, dtype, purpose, storage, packedAlone } = this;
    const length = Math.max(16, this.#length);
    return { name, dtype, length, purpose, storage, ...(packedAlone && { packedAlone }) };
  }
}
