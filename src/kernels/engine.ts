/** What a backend opens: memory that is planned, programs that are recorded once and replayed. */
import type { Kernels } from './kernels.ts';
import type { MemoryPlan, Slot, StorageDtype } from './memory.ts';
import type { Storage, StoredValues } from './storage.ts';

/** A recorded list of kernel calls over planned memory. Opaque outside its backend. */
export interface Program {
  readonly label: string;
  readonly kernelCount: number;
}

/** An opened backend: memory allocated, ready to record and replay. Calls of one engine never overlap. */
export interface Engine {
  readonly backend: string;
  /** What decides the bits of a result on this machine, for the run's fingerprint. */
  readonly features: Readonly<Record<string, string | number | boolean>>;
  /** Calls `build` once with kernels that record. */
  record(label: string, build: (kernels: Kernels) => void): Program;
  /**
   * Compiles what has been recorded, where that takes a while; without it the first replay does.
   * @param onProgress called with how many kernels are compiled, and of how many
   */
  prepare?(onProgress: (compiled: number, all: number) => void): Promise<void>;
  /**
   * Largest difference, in nats, that its sampler and its scorer may show for a token on the same weights; 0: equal to
   * the bit.
   */
  readonly samplerTolerance: number;
  /**
   * Asked before each part of a replay, while it is set: what it throws ends the replay there, and a promise that it gives
   * is waited for. No part takes much longer than a second where the backend computes on the processor.
   */
  interruption?: (() => Promise<void> | void) | undefined;
  /** Runs the programs one after another. @throws BackendError when the device is lost */
  replay(...programs: readonly Program[]): Promise<void>;
  /** Copies host values into a slot, from its element `at` on; as they are where they come in the arena's own storage. */
  write(slot: Slot, values: ArrayLike<number> | StoredValues, at?: number): void;
  /** A copy of the slot's first `count` elements (all by default): Int32Array, Float32Array, or Float64Array. */
  read(slot: Slot, count?: number): Promise<Int32Array | Float32Array | Float64Array>;
  /** Bytes in all, scratch space included. */
  readonly bytes: number;
  /** What makes it slower than the same kernels over less memory, in words; absent where nothing does. */
  readonly slowness?: string;
  close(): Promise<void>;
}

/** A kernel set that can be opened. */
export interface Backend {
  readonly name: string;
  /** Steps that are worth running between two reads, where a read waits for a device; by default 1. */
  readonly stepsPerRead?: number;
  /** How it was asked to keep what may be rounded; by default float32. */
  readonly storageDtype?: StorageDtype;
  /** true: it keeps only keys and values so, not all that may be rounded. */
  readonly roundsKeysAlone?: boolean;
  /** How it can keep matrices that no program changes, besides float32; by default in no other way. */
  readonly frozenStorages?: readonly Storage[];
  /** Bytes in all beyond which its kernels take longer; by default they never do. */
  readonly slowBeyondBytes?: number;
  /** What all its engines have together, and why not more (`is the memory that …`); absent: each has what it is given. */
  readonly memory?: { readonly bytes: number; readonly reason: string };
  /** Bytes by purpose that `open` will allocate. */
  plannedBytes(plan: MemoryPlan): ReadonlyMap<string, number>;
  /** @throws MemoryPlanError when the plan does not fit */
  open(plan: MemoryPlan): Promise<Engine>;
}

/** How a config asks for a backend. */
export interface BackendOptions {
  /** Threads of WebAssembly; undefined: one per core */
  readonly threads?: number | undefined;
  readonly storageDtype?: StorageDtype | undefined;
}

/** A backend that a config can name; who starts the command gives those beside `wasm` and `reference`. */
export interface NamedBackend {
  /** What a config may call it: `webgpu`; `tfjs:cpu`, `tfjs:wasm`, … */
  readonly names: readonly string[];
  /** What it alone can store in less than 32 bits: `auto` takes it where a config asks for that. */
  readonly storesAlone?: StorageDtype;
  /** @param name  one of `names`. @throws BackendError where it is not installed, or this machine cannot run it */
  open(name: string, options: BackendOptions): Promise<Backend>;
  /** For `auto`: the backend where this machine runs it faster than `wasm`, else why it does not. Absent: never. */
  readonly openFaster?: () => Promise<Backend | string>;
}
