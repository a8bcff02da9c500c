/**
 * The wasm engine: AssemblyScript kernels (assembly/) over one linear memory of planned size.
 *
 * The host records commands and posts jobs; worker threads walk the list in lock-step. The host's own thread
 * never computes, so Ctrl-C and asynchronous rewards stay live. Where SharedArrayBuffer is missing, the host
 * runs the commands itself, on one thread. Bits do not depend on the number of threads.
 */
import { BackendError, MemoryPlanError } from '../../errors.ts';
import { gibibytes } from '../../format.ts';
import type { Backend, Engine, Program } from '../engine.ts';
import type { Kernels } from '../kernels.ts';
import type { MemoryPlan, Slot } from '../memory.ts';
import { slotLength } from '../memory.ts';
import {
  bytesOf,
  FROZEN_STORAGES,
  lengthOf,
  numbersOf,
  STORAGE,
  type Storage,
  type StoredValues,
  storedAs,
} from '../storage.ts';
import { COMMAND_WORDS } from './assembly/command.ts';
import {
  JOB_FINISHED,
  JOB_LIST,
  JOB_NUMBER,
  JOB_PROGRAMS,
  NARROW_PANEL,
  PACKED,
  WIDE_PANEL,
} from './assembly/sizes.ts';
import type { Layout, PlacedMatrix } from './layout.ts';
import {
  FORMS,
  layOut,
  MACHINE,
  memoryLimit,
  packedAlone,
  SHORT_REACH_BYTES,
  slotAddress,
  storageIn,
} from './layout.ts';
import { compileKernels, compileLongKernels, hasLongAddresses } from './modules.ts';
import type { WasmOptions } from './options.ts';
import { type Panels, readPacked, writePacked } from './packed_weights.ts';
import { type CommandRun, learnPace, type Piece, shortPieces, wholePieces } from './pieces.ts';
import type { Recording } from './recorder.ts';
import { CommandList, recordKernels, recordPacking, type WordBytes } from './recorder.ts';
import type { WasmHost, WorkerPool } from './workers.ts';

/** Each access is checked against the size of the memory, where 32-bit addresses need no check. */
const SLOWNESS = 'more than 4 GiB is reached with 64-bit addresses, which takes some 1.4 times the time (memory64)';

interface Exports {
  runHere(job: number, control: number, strips: number, scratch: number): void;
}

interface WasmProgram extends Program {
  readonly run: CommandRun;
  readonly packed: ReadonlySet<PlacedMatrix>;
  readonly changedArenas: ReadonlySet<string>;
}

/**
 * Prepares the kernel set for a host.
 * @throws BackendError for threads < 1, and for memory64 where the engine has none
 */
export async function wasmBackendOn(host: WasmHost, options: WasmOptions = {}): Promise<Backend> {
  const cores = host.processors();
  const inline = options.inline ?? typeof SharedArrayBuffer === 'undefined';
  const threads = inline ? 1 : (options.threads ?? cores);
  if (!Number.isInteger(threads) || threads < 1) {
    throw new BackendError('threads', `threads: ${options.threads} — use a whole number of 1 or more.`);
  }
  const kernels = await compileKernels(
    { threads: !inline, fma: options.fma ?? true, wide: options.wide },
    host.engineSwitches,
  );
  const { fma } = kernels;
  const storageDtype = options.storageDtype === 'bfloat16' ? 'bfloat16' : 'float32';
  const mayBeLong = !inline && hasLongAddresses(kernels);
  if (options.memory64 === true && !mayBeLong) {
    const rule = 'shared memory with 64-bit addresses and fused multiply-add, as Node 24 and Chrome 133 have them';
    throw new BackendError('memory64', `memory64: true — this engine does not give ${rule}.`);
  }
  const machineBytes = host.machineBytes();
  const limit = memoryLimit(machineBytes, mayBeLong && options.memory64 !== false);
  return {
    name: 'wasm',
    storageDtype,
    roundsKeysAlone: true,
    frozenStorages: FROZEN_STORAGES,
    slowBeyondBytes: SHORT_REACH_BYTES,
    ...(machineBytes !== undefined && { memory: { bytes: machineBytes, reason: MACHINE } }),
    plannedBytes: (plan) => layOut(plan, threads, limit).byPurpose,
    open: async (plan) => {
      const layout = layOut(plan, threads, limit);
      const long = options.memory64 === true || layout.bytes > SHORT_REACH_BYTES;
      const memory = allocate(layout.bytes, !inline, long);
      const module = long ? await compileLongKernels() : kernels.module;
      const wide = kernels.wide && !long;
      const features = {
        ...{ fma: fma ? 'relaxed-simd' : 'none', simd: wide ? '256-bit' : '128-bit', threads },
        ...(plan.limits.keptKeys === 'bf16' && { keys: 'bfloat16' }),
      };
      if (inline) {
        const { exports } = new WebAssembly.Instance(module, { env: { memory } });
        // The module's only export used here; its signature is assembly/index.ts's.
        return new WasmEngine(plan, layout, memory, features, {
          kind: 'inline',
          exports: exports as unknown as Exports,
        });
      }
      const address = (at: number): number | bigint => (long ? BigInt(at) : at);
      const work = Array.from({ length: threads }, (_, index) => {
        const strips = layout.threadScratch + index * layout.threadScratchBytes;
        const places = [layout.job, layout.control, strips, strips + layout.stripBytes].map(address);
        return [index, threads, ...places, threads > cores ? 1 : 0];
      });
      const waiting: Waiting = { reject: undefined, failure: undefined };
      const onFailure = (cause: Error): void => {
        waiting.failure = cause;
        waiting.reject?.(cause);
      };
      const pool = await host.startWorkers({ module, memory, work, onFailure });
      return new WasmEngine(plan, layout, memory, features, { kind: 'threads', pool, waiting }, long);
    },
  };
}

/** @throws MemoryPlanError where the system does not give it */
function allocate(bytes: number, shared: boolean, long: boolean): WebAssembly.Memory {
  const pages = bytes / 65536;
  try {
    if (!long) return new WebAssembly.Memory({ initial: pages, maximum: pages, shared });
    const size = { initial: BigInt(pages), maximum: BigInt(pages), shared, address: 'i64' };
    return new WebAssembly.Memory(size as unknown as WebAssembly.MemoryDescriptor); // TypeScript knows 32 bits alone
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = `${gibibytes(bytes)} of memory needed, and the system does not give it now. Close other programs, or lower generation_batch_size or the model's size.`;
    throw new MemoryPlanError('wasm-memory', message, { bytes });
  }
}

/** Most milliseconds that a blocked host is deaf to its messages. */
const BLOCK_MS = 1000;

/** Firefox before 145 has no asynchronous wait: the host, a worker there, sleeps, and then receives its messages. */
async function blockFor(ints: Int32Array, index: number, value: number): Promise<void> {
  if (Atomics.wait(ints, index, value, BLOCK_MS) === 'timed-out') await new Promise((resolve) => setTimeout(resolve));
}

/** Who waits for the job under way, and why no job can finish any more. */
interface Waiting {
  reject: ((cause: Error) => void) | undefined;
  failure: Error | undefined;
}

type Runner =
  | { readonly kind: 'inline'; readonly exports: Exports }
  | { readonly kind: 'threads'; readonly pool: WorkerPool; readonly waiting: Waiting };

/** Where a slot is. */
interface SlotPlace {
  readonly storage: Storage;
  /** The matrix that it is a part of, where that exists in panels alone. */
  readonly weight: PlacedMatrix | undefined;
  /** Bytes from the start of memory; 0 where it exists in panels alone. */
  readonly start: number;
}

class WasmEngine implements Engine {
  readonly backend = 'wasm';
  readonly samplerTolerance = 0;
  interruption?: Engine['interruption'];
  readonly features: Readonly<Record<string, string | number | boolean>>;
  readonly bytes: number;
  readonly slowness?: string;
  readonly #word: WordBytes;
  readonly #plan: MemoryPlan;
  readonly #layout: Layout;
  readonly #ints: Int32Array;
  readonly #reals: Float32Array;
  readonly #panels: Panels;
  readonly #runner: Runner;
  readonly #stale = new Set<PlacedMatrix>();
  readonly #places = new WeakMap<Slot, SlotPlace>();
  #nextCommand: number;
  readonly #packing: ReadonlyMap<PlacedMatrix, CommandRun>;

  constructor(
    plan: MemoryPlan,
    layout: Layout,
    memory: WebAssembly.Memory,
    features: Engine['features'],
    runner: Runner,
    long = false,
  ) {
    this.#plan = plan;
    this.#layout = layout;
    this.features = features;
    this.bytes = layout.bytes;
    if (long) this.slowness = SLOWNESS;
    this.#word = long ? 8 : 4;
    this.#ints = new Int32Array(memory.buffer);
    this.#reals = new Float32Array(memory.buffer);
    this.#panels = { reals: this.#reals, width: features.simd === '256-bit' ? WIDE_PANEL : NARROW_PANEL };
    this.#runner = runner;
    this.#nextCommand = layout.commands;
    const packing = new Map<PlacedMatrix, CommandRun>();
    for (const weight of layout.matrices.values()) {
      if (weight.form !== PACKED || packedAlone(layout, plan, weight.slot)) continue;
      packing.set(weight, { address: this.#install(recordPacking(plan, layout, [weight], this.#word)), commands: 1 });
      this.#stale.add(weight);
    }
    this.#packing = packing;
  }

  record(label: string, build: (kernels: Kernels) => void): Program {
    const recording: Recording = { commands: new CommandList(this.#word), packed: new Set(), changedArenas: new Set() };
    build(recordKernels(this.#plan, this.#layout, recording));
    const program: WasmProgram = {
      label,
      kernelCount: recording.commands.count,
      run: { address: this.#install(recording.commands), commands: recording.commands.count },
      packed: recording.packed,
      changedArenas: recording.changedArenas,
    };
    return program;
  }

  /** Appends commands to those already recorded; returns their address. */
  #install(commands: CommandList): number {
    const address = this.#nextCommand;
    const end = address + commands.count * COMMAND_WORDS * this.#word;
    const limit = Math.min(...this.#layout.arenas.values());
    if (end > limit) throw new BackendError('commands', 'too many recorded commands; the command area is full.');
    commands.copyTo(new Uint8Array(this.#ints.buffer), address);
    this.#nextCommand = end;
    return address;
  }

  async replay(...programs: readonly Program[]): Promise<void> {
    const list: CommandRun[] = [];
    // Programs of this engine are the only ones that reach it: the interface hides their inside.
    for (const program of programs as readonly WasmProgram[]) {
      for (const weight of program.packed) {
        const packing = this.#packing.get(weight);
        if (packing !== undefined && this.#stale.delete(weight)) list.push(packing);
      }
      list.push(program.run);
      for (const arena of program.changedArenas) this.#markStale(arena);
    }
    if (this.interruption === undefined) for (const { parts } of wholePieces(list)) await this.#run(parts);
    else await this.#runInterruptible(shortPieces(list, COMMAND_WORDS * this.#word), this.interruption);
  }

  async #runInterruptible(pieces: readonly Piece[], interruption: () => Promise<void> | void): Promise<void> {
    for (const piece of pieces) {
      try {
        await interruption();
      } catch (error) {
        for (const weight of this.#packing.keys()) this.#stale.add(weight); // some of them may not have been packed
        throw error;
      }
      const start = performance.now();
      await this.#run(piece.parts);
      learnPace(piece, performance.now() - start);
    }
  }

  #markStale(arena: string): void {
    for (const weight of this.#layout.matrices.values()) if (weight.slot.arena === arena) this.#stale.add(weight);
  }

  async #run(list: Piece['parts']): Promise<void> {
    const job = this.#layout.job / 4;
    this.#ints[job + JOB_PROGRAMS] = list.length;
    list.forEach(([address, commands], i) => {
      this.#ints[job + JOB_LIST + i * 2] = address;
      this.#ints[job + JOB_LIST + i * 2 + 1] = commands;
    });
    if (this.#runner.kind === 'inline') {
      const { job: at, control, threadScratch, stripBytes } = this.#layout;
      this.#runner.exports.runHere(at, control, threadScratch, threadScratch + stripBytes);
      return;
    }
    const { waiting } = this.#runner;
    if (waiting.failure !== undefined) throw waiting.failure;
    const finished = job + JOB_FINISHED;
    const before = Atomics.load(this.#ints, finished);
    Atomics.add(this.#ints, job + JOB_NUMBER, 1);
    Atomics.notify(this.#ints, job + JOB_NUMBER);
    // A waking can be a late one, meant for the job before: what counts is the number of the finished job.
    while (Atomics.load(this.#ints, finished) === before) {
      if (typeof Atomics.waitAsync !== 'function') {
        await blockFor(this.#ints, finished, before);
        if (waiting.failure !== undefined) throw waiting.failure;
        continue;
      }
      const wait = Atomics.waitAsync(this.#ints, finished, before);
      if (!wait.async) break;
      await new Promise<void>((resolve, reject) => {
        waiting.reject = reject;
        wait.value.then(() => resolve());
      });
      waiting.reject = undefined;
    }
  }

  write(slot: Slot, given: ArrayLike<number> | StoredValues, at = 0): void {
    const length = lengthOf(given);
    if (at + length > slotLength(slot)) {
      throw new BackendError('write-range', `${length} values at ${at} do not fit slot [${slot.shape}].`);
    }
    const { storage, weight, start } = this.#placeOf(slot);
    if (FORMS[storage] !== PACKED) {
      this.#stored(slot, storage, at, length).set(storedAs(storage, given));
      return;
    }
    const values = numbersOf(given);
    if (weight !== undefined) {
      writePacked(this.#panels, weight, values, slot.offset - weight.slot.offset + at);
      return;
    }
    const memory = slot.dtype === 'int' ? this.#ints : this.#reals;
    memory.set(values, start / 4 + at);
    if (slot.dtype === 'real') this.#markStale(slot.arena);
  }

  async read(slot: Slot, count = slotLength(slot)): Promise<Int32Array | Float32Array> {
    if (count > slotLength(slot)) {
      throw new BackendError('read-range', `${count} values asked of slot [${slot.shape}].`);
    }
    const { storage, weight, start: address } = this.#placeOf(slot);
    if (FORMS[storage] !== PACKED) {
      const { values, decode } = STORAGE[storage];
      const blocks = Math.ceil(count / values) * values;
      return decode(new Uint8Array(this.#stored(slot, storage, 0, blocks))).slice(0, count);
    }
    if (weight !== undefined) return readPacked(this.#panels, weight, slot.offset - weight.slot.offset, count);
    const start = address / 4;
    // slice() of a shared view copies into shared memory; the constructor copies into plain memory.
    return slot.dtype === 'int'
      ? new Int32Array(this.#ints.subarray(start, start + count))
      : new Float32Array(this.#reals.subarray(start, start + count));
  }

  /** A decoding step writes and reads a dozen slots, on a host whose caches the kernels have filled: one look for each. */
  #placeOf(slot: Slot): SlotPlace {
    let place = this.#places.get(slot);
    if (place === undefined) {
      const [layout, plan] = [this.#layout, this.#plan];
      const storage = storageIn(plan, slot);
      const weight = FORMS[storage] === PACKED ? packedAlone(layout, plan, slot) : undefined;
      place = { storage, weight, start: weight === undefined ? slotAddress(layout, plan, slot) : 0 };
      this.#places.set(slot, place);
    }
    return place;
  }

  /** Bytes of elements [at, at + count) of a slot that is kept as `storage`. @throws BackendError where they are no whole blocks */
  #stored(slot: Slot, storage: Storage, at: number, count: number): Uint8Array {
    const { values } = STORAGE[storage];
    if (at % values !== 0 || count % values !== 0) {
      const message = `${count} values at ${at} of a slot in ${storage} — whole blocks of ${values} are written.`;
      throw new BackendError('write-range', message);
    }
    const start = this.#placeOf(slot).start + bytesOf(storage, at);
    return new Uint8Array(this.#ints.buffer, start, bytesOf(storage, count));
  }

  async close(): Promise<void> {
    if (this.#runner.kind === 'inline') return;
    const job = this.#layout.job / 4;
    this.#ints[job + JOB_PROGRAMS] = -1;
    Atomics.add(this.#ints, job + JOB_NUMBER, 1);
    Atomics.notify(this.#ints, job + JOB_NUMBER);
    await this.#runner.pool.terminate();
  }
}
