/**
 * Which buffers an engine holds: one per arena of the plan, scratch space of its own, and the blocks that dispatches read
 * their parameters from. All of it is allocated when the engine opens.
 */
import { MemoryPlanError } from '../../src/errors.ts';
import { gibibytes } from '../../src/format.ts';
import { MUON_MATRICES } from '../../src/kernels/kernels.ts';
import {
  type ArenaSpec,
  type MemoryPlan,
  type PlanLimits,
  requireStorages,
  storageOf,
} from '../../src/kernels/memory.ts';
import { ROUNDED_STORAGES, STORAGE, type Storage } from '../../src/kernels/storage.ts';
import { type PackedStorage, packedUnit, packingOf } from './packed.ts';

/** GPUBufferUsage and GPUMapMode, which Node has not as globals. */
export const USAGE = { mapRead: 1, copySource: 4, copyDestination: 8, uniform: 64, storage: 128 } as const;
export const MAP_READ = 1;

/** Bytes of one dispatch's parameters: the largest alignment that a uniform offset may need. */
export const PARAMETER_BYTES = 256;
const MAXIMUM_DISPATCHES = 16_384;
export const MAXIMUM_COUNTS = 4096;
/** Read back at a time. */
export const STAGING_BYTES = 1 << 20;

/** Logits that are held at once, at most: enough rows that the product back through them fills a large GPU. */
const LOGITS_BYTES = { software: 64 * 1024 ** 2, hardware: 256 * 1024 ** 2 } as const;
const MAXIMUM_LOGIT_ROWS = 1024;

/** What arenas are for that only the host writes, if they are in fewer bits. */
const FROZEN_PURPOSES: readonly string[] = ['weights', 'rollout copy'];

/** Arenas of the backend's own; no plan can name them. */
export const LOGITS = '#logits';
export const KEY_READERS = '#key readers';
export const MUON_SPACE = '#muon';

/** Floats of scratch space for matrices that `muon` steps together, at most, unless one alone needs more. */
const MUON_TOGETHER = 16 * 1024 ** 2;

export interface BufferLimits {
  /** Largest buffer, in bytes. */
  readonly bufferBytes: number;
  /** Largest part of a buffer that one kernel can see, in bytes. */
  readonly bindingBytes: number;
  /** Runs on the processor. */
  readonly isSoftware: boolean;
}

/** An arena, and how it is kept. */
export interface StoredArena extends ArenaSpec {
  readonly storage: Storage;
  /** Bytes of an element; of packed ones, of their share in what lies together. */
  readonly elementBytes: number;
  /** Frozen matrices that WGSL unpacks; absent: it reads numbers. */
  readonly packed?: PackedStorage | undefined;
  /** Elements of whole vectors of four numbers, or of whole words: windows and buffers end there. */
  readonly unit: number;
}

export interface Layout {
  readonly arenas: ReadonlyMap<string, StoredArena>;
  /** Rows of logits in a chunk. */
  readonly logitRows: number;
  /** Sides of the matrices that have room in MUON_SPACE. */
  readonly muon: PlanLimits['muon'];
  readonly limits: BufferLimits;
  readonly byPurpose: ReadonlyMap<string, number>;
  readonly bytes: number;
}

/** Scratch floats of a matrix with these sides: itself twice, and two squares of the shorter one. */
export function muonFloats({ short, long }: NonNullable<PlanLimits['muon']>): number {
  return 2 * short * (short + long);
}

function muonSpace(sides: NonNullable<PlanLimits['muon']>): number {
  const each = muonFloats(sides);
  return each * Math.max(1, Math.min(MUON_MATRICES, Math.floor(MUON_TOGETHER / each)));
}

/** Bytes of an arena's buffer. */
export function arenaBytes({ length, elementBytes, unit }: StoredArena): number {
  return Math.ceil(length / unit) * unit * elementBytes;
}

/**
 * @param float16  whether the device has float16, and activations may be kept in it
 * @throws MemoryPlanError when an arena is larger than the adapter's largest buffer
 */
export function layOut(plan: MemoryPlan, limits: BufferLimits, float16: boolean): Layout {
  const written = plan.arenas.filter(({ purpose }) => !FROZEN_PURPOSES.includes(purpose));
  requireStorages({ ...plan, arenas: written }, 'webgpu', float16 ? ['f32', 'f16', 'i32'] : ['f32', 'i32']);
  requireStorages(plan, 'webgpu', ['f32', 'i32', ...ROUNDED_STORAGES]);
  const { vocabSize, rows, muon } = plan.limits;
  const held = LOGITS_BYTES[limits.isSoftware ? 'software' : 'hardware'];
  const most = Math.floor(Math.min(held, limits.bindingBytes) / 4 / vocabSize);
  const logitRows = Math.max(1, Math.min(most, MAXIMUM_LOGIT_ROWS, rows));
  const scratch: ArenaSpec[] = [
    { name: LOGITS, dtype: 'real', length: logitRows * vocabSize, purpose: 'logits chunk' },
    { name: KEY_READERS, dtype: 'int', length: 2 * rows, purpose: 'scratch' },
    ...(muon === undefined
      ? []
      : [{ name: MUON_SPACE, dtype: 'real', length: muonSpace(muon), purpose: 'scratch' } as const]),
  ];
  const stored = (arena: ArenaSpec): StoredArena => {
    const storage = storageOf(arena);
    const packed = packingOf(storage, float16);
    if (packed === undefined) return { ...arena, storage, elementBytes: STORAGE[storage].bytes, unit: 4 };
    const { values, bytes } = packedUnit(packed);
    return { ...arena, storage, packed, elementBytes: bytes / values, unit: Math.max(4, values) };
  };
  const arenas = new Map([...plan.arenas, ...scratch].map((arena) => [arena.name, stored(arena)]));
  const byPurpose = new Map<string, number>();
  const take = (bytes: number, purpose: string): void => {
    byPurpose.set(purpose, (byPurpose.get(purpose) ?? 0) + bytes);
  };
  for (const arena of arenas.values()) {
    if (arenaBytes(arena) > limits.bufferBytes) throw tooLarge(arena, limits);
    take(arenaBytes(arena), arena.purpose);
  }
  take(MAXIMUM_DISPATCHES * PARAMETER_BYTES, 'commands');
  take(MAXIMUM_COUNTS * 4, 'commands');
  take(STAGING_BYTES, 'staging');
  const bytes = [...byPurpose.values()].reduce((sum, size) => sum + size, 0);
  return { arenas, logitRows, muon, limits, byPurpose, bytes };
}

/** Bytes of the buffer that holds every dispatch's parameters. */
export const PARAMETERS_BYTES = MAXIMUM_DISPATCHES * PARAMETER_BYTES;

function tooLarge(arena: StoredArena, { bufferBytes }: BufferLimits): MemoryPlanError {
  const shown = (value: number): string => gibibytes(value, 2);
  return new MemoryPlanError(
    'webgpu-memory',
    `${arena.purpose}: one buffer of ${shown(arenaBytes(arena))} needed, ${shown(bufferBytes)} is this ` +
      "adapter's largest.\n  Lower per_device_train_batch_size, generation_batch_size or the model's size.",
    { arena: arena.name, bytes: arenaBytes(arena), bufferBytes },
  );
}
