/**
 * An open WebGPU engine: one buffer per arena, programs as lists of dispatches, replayed into command buffers.
 *
 * A replay encodes and submits; it does not wait. `read` does. The queue keeps everything in order.
 */
import { BackendError } from '../../src/errors.ts';
import type { Engine, Program } from '../../src/kernels/engine.ts';
import { fromHalf, toHalf } from '../../src/kernels/half.ts';
import type { KernelName, Kernels } from '../../src/kernels/kernels.ts';
import type { Slot } from '../../src/kernels/memory.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import { isStored, lengthOf, numbersOf, type StoredValues, storedAs } from '../../src/kernels/storage.ts';
import type { CountEntry } from './counts.ts';
import { CountTable } from './counts.ts';
import type { OpenDevice } from './device.ts';
import type { Layout, StoredArena } from './layout.ts';
import {
  arenaBytes,
  MAP_READ,
  MAXIMUM_COUNTS,
  PARAMETER_BYTES,
  PARAMETERS_BYTES,
  STAGING_BYTES,
  USAGE,
} from './layout.ts';
import type { Tiling } from './options.ts';
import { fromPacked, type PackedStorage, packedUnit, toPacked } from './packed.ts';
import type { BindingAccess, PendingPipeline } from './pipelines.ts';
import type { Dispatch, RecorderContext, Window } from './recorder.ts';
import { Recorder } from './recorder.ts';
import { kernels } from './shaders/kernel_list.ts';

/** Multiply-adds that are submitted at once: under 0.1 s on a slow processor, and on a slow GPU. */
const SUBMIT_WORK = { software: 2e8, hardware: 1e10 } as const;

/** A slot's bytes on their way to the host. */
interface Reading {
  readonly buffer: GPUBuffer;
  readonly from: number;
  readonly into: Uint8Array;
  /** Bytes that have arrived. */
  done: number;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

interface WebgpuProgram extends Program {
  readonly dispatches: readonly Dispatch[];
  readonly counts: readonly CountEntry[];
  readonly compiled: readonly PendingPipeline[];
  isCompiled: boolean;
}

export class WebgpuEngine implements Engine {
  readonly backend = 'webgpu';
  /** The kernels aim at 0; a driver that compiles WGSL may still contract the sums of two kernels differently. */
  readonly samplerTolerance = 1e-4;
  interruption?: Engine['interruption'];
  readonly features: Readonly<Record<string, string | number | boolean>>;
  readonly bytes: number;
  readonly #open: OpenDevice;
  readonly #layout: Layout;
  readonly #buffers = new Map<string, GPUBuffer>();
  readonly #shadows = new Map<string, Int32Array<ArrayBuffer>>();
  readonly #parameters: GPUBuffer;
  readonly #countBuffer: GPUBuffer;
  readonly #staging: GPUBuffer;
  readonly #counts: CountTable;
  readonly #context: RecorderContext;
  readonly #programs: WebgpuProgram[] = [];
  #parametersUsed = 0;
  /** Asked for and not yet copied. All that is asked for until the host turns to something else is read at once. */
  #asked: Reading[] = [];
  #reading: Promise<void> | undefined;
  #isClosed = false;

  constructor(open: OpenDevice, layout: Layout, tiling: Tiling) {
    this.#open = open;
    this.#layout = layout;
    this.bytes = layout.bytes;
    const { vendor, architecture, device: name, description } = open.adapter;
    this.features = {
      adapter: [vendor, architecture, name].filter((part) => part !== '').join(' '),
      driver: description,
      subgroups: open.lanes > 1 ? `${open.lanes} lanes` : 'none',
      storage: [...layout.arenas.values()].some(isHalf) ? 'float16' : 'float32',
    };
    const { device } = open;
    for (const arena of layout.arenas.values()) {
      const usage = USAGE.storage | USAGE.copySource | USAGE.copyDestination;
      this.#buffers.set(arena.name, device.createBuffer({ label: arena.name, size: arenaBytes(arena), usage }));
      if (arena.dtype === 'int') this.#shadows.set(arena.name, new Int32Array(arena.length));
    }
    const uniform = USAGE.uniform | USAGE.copyDestination;
    this.#parameters = device.createBuffer({ label: 'parameters', size: PARAMETERS_BYTES, usage: uniform });
    this.#countBuffer = device.createBuffer({ label: 'counts', size: MAXIMUM_COUNTS * 4, usage: uniform });
    const staging = USAGE.mapRead | USAGE.copyDestination;
    this.#staging = device.createBuffer({ label: 'staging', size: STAGING_BYTES, usage: staging });
    const shadow = (arena: string): Int32Array => {
      const values = this.#shadows.get(arena);
      if (values === undefined) throw new BackendError('count-slot', `a count in '${arena}' — counts are int slots.`);
      return values;
    };
    this.#counts = new CountTable(shadow);
    this.#context = {
      layout,
      tiling,
      lanes: open.lanes,
      pipelines: open.pipelines,
      counts: this.#counts,
      shadow,
      bindGroup: (parameters, windows, accesses) => this.#bindGroup(parameters, windows, accesses),
    };
  }

  record(label: string, build: (kernels: Kernels) => void): Program {
    this.#check();
    this.#counts.takeUsed();
    const recorder = new Recorder(this.#context);
    let kernelCount = 0;
    build(recordKernels(recorder, () => kernelCount++));
    const { dispatches } = recorder;
    const compiled = [...new Set(dispatches.map(({ pending }) => pending))];
    const counts = this.#counts.takeUsed();
    const program: WebgpuProgram = { label, kernelCount, dispatches, counts, compiled, isCompiled: false };
    this.#programs.push(program);
    return program;
  }

  async prepare(onProgress: (compiled: number, all: number) => void): Promise<void> {
    this.#check();
    const all = new Set(this.#programs.flatMap(({ compiled }) => compiled));
    let compiled = 0;
    for (const { ready } of all) ready.then(() => onProgress(++compiled, all.size)).catch(() => {}); // `compile` rejects
    for (const program of this.#programs) if (!program.isCompiled) await compile(program);
    this.#check();
  }

  async replay(...programs: readonly Program[]): Promise<void> {
    await this.interruption?.();
    this.#check();
    // Programs of this engine are the only ones that reach it: the interface hides their inside.
    const recorded = programs as readonly WebgpuProgram[];
    for (const program of recorded) if (!program.isCompiled) await compile(program);
    this.#check();
    const { queue } = this.#open.device;
    for (const { counts } of recorded) this.#counts.refresh(counts);
    if (this.#counts.takeChanged()) {
      queue.writeBuffer(this.#countBuffer, 0, this.#counts.values, 0, this.#counts.length);
    }
    this.#encode(recorded.flatMap(({ dispatches }) => dispatches));
  }

  #encode(dispatches: readonly Dispatch[]): void {
    const { device, adapter } = this.#open;
    const most = adapter.isSoftware ? SUBMIT_WORK.software : SUBMIT_WORK.hardware;
    let encoder = device.createCommandEncoder();
    let pass = encoder.beginComputePass();
    let work = 0;
    let lastPipeline: GPUComputePipeline | undefined;
    for (const { pending, bindGroup, workgroups, work: workOf } of dispatches) {
      const [x, y] = workgroups();
      if (x === 0 || y === 0) continue;
      if (work > most) {
        pass.end();
        device.queue.submit([encoder.finish()]);
        encoder = device.createCommandEncoder();
        pass = encoder.beginComputePass();
        work = 0;
        lastPipeline = undefined;
      }
      const pipeline = pending.pipeline as GPUComputePipeline; // `replay` awaited it
      if (pipeline !== lastPipeline) pass.setPipeline(pipeline);
      lastPipeline = pipeline;
      pass.setBindGroup(0, bindGroup);
      pass.dispatchWorkgroups(x, y);
      work += workOf();
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  write(slot: Slot, given: ArrayLike<number> | StoredValues, at = 0): void {
    this.#check();
    const { buffer, arena } = this.#storageOf(slot);
    const count = lengthOf(given);
    if (at < 0 || at + count > slotLength(slot)) {
      throw new BackendError('write-range', `${count} values at ${at} do not fit slot [${slot.shape}].`);
    }
    if (count === 0) return;
    const start = slot.offset + at;
    const shadow = this.#shadows.get(slot.arena);
    if (shadow !== undefined) {
      shadow.set(numbersOf(given), start);
      this.#counts.invalidate();
    }
    const data = shadow?.subarray(start, start + count) ?? asStored(given, arena, start);
    this.#open.device.queue.writeBuffer(buffer, start * arena.elementBytes, data);
  }

  async read(slot: Slot, count = slotLength(slot)): Promise<Int32Array | Float32Array> {
    this.#check();
    const { buffer, arena } = this.#storageOf(slot);
    if (count < 0 || count > slotLength(slot)) {
      throw new BackendError('read-range', `${count} values asked of slot [${slot.shape}].`);
    }
    // Copies are of whole words: of float16 two elements, of blocks whole ones, with one of which the slot begins.
    const { elementBytes, unit, packed } = arena;
    const last = packed === undefined ? slot.offset + count : slot.offset + Math.ceil(count / unit) * unit;
    const first = Math.floor((slot.offset * elementBytes) / 4) * 4;
    const end = Math.ceil((last * elementBytes) / 4) * 4;
    const bytes = new Uint8Array(end - first);
    await new Promise<void>((resolve, reject) => {
      this.#asked.push({ buffer, from: first, into: bytes, done: 0, resolve, reject });
      this.#reading ??= Promise.resolve().then(() => this.#readAll());
    });
    if (slot.dtype === 'int') return new Int32Array(bytes.buffer);
    if (arena.packed !== undefined) {
      const stored = { storage: arena.storage, bytes: fromPacked(arena.packed, bytes) };
      return Float32Array.from(numbersOf(stored)).subarray(0, count);
    }
    if (arena.storage === 'f32') return new Float32Array(bytes.buffer);
    return fromHalf(new Uint16Array(bytes.buffer, slot.offset * elementBytes - first, count));
  }

  /** Serves what has been asked for, in as few copies as the staging buffer allows. */
  async #readAll(): Promise<void> {
    while (this.#asked.length > 0) {
      const served = this.#asked;
      this.#asked = [];
      try {
        while (served.some(({ into, done }) => done < into.length)) await this.#readOnce(served);
        this.#check();
        for (const { resolve } of served) resolve();
      } catch (error) {
        for (const { reject } of served) reject(error);
      }
    }
    this.#reading = undefined;
  }

  /** One submission and one mapping: as much of what is missing as the staging buffer holds. */
  async #readOnce(readings: readonly Reading[]): Promise<void> {
    const { device } = this.#open;
    const encoder = device.createCommandEncoder();
    const parts: { readonly reading: Reading; readonly at: number; readonly size: number }[] = [];
    let used = 0;
    for (const reading of readings) {
      const size = Math.min(STAGING_BYTES - used, reading.into.length - reading.done);
      if (size === 0) continue;
      encoder.copyBufferToBuffer(reading.buffer, reading.from + reading.done, this.#staging, used, size);
      parts.push({ reading, at: used, size });
      used += size;
    }
    device.queue.submit([encoder.finish()]);
    await this.#staging.mapAsync(MAP_READ, 0, used).catch(async (cause: unknown) => {
      // A lost device says so in a moment; where it is not lost, that promise never settles.
      await Promise.race([device.lost, new Promise((resolve) => setTimeout(resolve, 1000))]);
      throw this.#open.failure ?? new BackendError('webgpu-error', `webgpu: reading back failed: ${String(cause)}.`);
    });
    const mapped = new Uint8Array(this.#staging.getMappedRange(0, used));
    for (const { reading, at, size } of parts) {
      reading.into.set(mapped.subarray(at, at + size), reading.done);
      reading.done += size;
    }
    this.#staging.unmap();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.#reading;
    this.#isClosed = true;
    for (const buffer of [...this.#buffers.values(), this.#parameters, this.#countBuffer, this.#staging]) {
      buffer.destroy();
    }
  }

  #check(): void {
    if (this.#isClosed) throw new BackendError('engine-closed', 'The engine is closed; open the backend again.');
    if (this.#open.failure !== undefined) throw this.#open.failure;
  }

  #storageOf(slot: Slot): { readonly buffer: GPUBuffer; readonly arena: StoredArena } {
    const buffer = this.#buffers.get(slot.arena);
    const arena = this.#layout.arenas.get(slot.arena);
    if (buffer === undefined || arena === undefined) {
      throw new BackendError('unknown-arena', `slot in arena '${slot.arena}' — the memory plan has no such arena.`);
    }
    const { length } = arena;
    if (slot.offset + slotLength(slot) <= length) return { buffer, arena };
    const message = `slot [${slot.shape}] at ${slot.offset} of '${slot.arena}' — the arena ends at ${length}.`;
    throw new BackendError('slot-range', message);
  }

  /** A group for each dispatch: on the host, one call with a fixed group costs less than two with a dynamic offset. */
  #bindGroup(parameters: ArrayBuffer, windows: readonly Window[], accesses: readonly BindingAccess[]): GPUBindGroup {
    const resources: GPUBufferBinding[] = [
      { buffer: this.#parameters, offset: this.#storeParameters(parameters), size: PARAMETER_BYTES },
      { buffer: this.#countBuffer },
      ...windows.map(({ arena, begin, end }) => {
        const elementBytes = this.#layout.arenas.get(arena)?.elementBytes ?? 4;
        const buffer = this.#buffers.get(arena) as GPUBuffer;
        return { buffer, offset: begin * elementBytes, size: (end - begin) * elementBytes };
      }),
    ];
    return this.#open.device.createBindGroup({
      layout: this.#open.pipelines.bindGroupLayout(accesses),
      entries: resources.map((resource, binding) => ({ binding, resource })),
    });
  }

  #storeParameters(words: ArrayBuffer): number {
    const at = this.#parametersUsed;
    if (words.byteLength > PARAMETER_BYTES || at >= PARAMETERS_BYTES) {
      throw new BackendError('commands', 'webgpu: too many recorded dispatches; the buffer of parameters is full.');
    }
    this.#open.device.queue.writeBuffer(this.#parameters, at, words);
    this.#parametersUsed += PARAMETER_BYTES;
    return at;
  }
}

async function compile(program: WebgpuProgram): Promise<void> {
  await Promise.all(program.compiled.map(({ ready }) => ready)).catch((cause: unknown) => {
    throw new BackendError('shader', `webgpu: a kernel of '${program.label}' does not compile: ${String(cause)}`);
  });
  program.isCompiled = true;
}

/** Values as an arena of reals keeps them, from element `start` on: of float16 in pairs, the arena's last one perhaps alone. */
function asStored(given: ArrayLike<number> | StoredValues, arena: StoredArena, start: number) {
  const { name, storage, length, packed } = arena;
  if (packed !== undefined) return asPacked(storedAs(storage, given), packed, name, start);
  const raw = isStored(given) && given.storage === storage ? given.bytes : undefined;
  if (storage !== 'f16') {
    const values = numbersOf(given);
    return raw ?? (values instanceof Float32Array ? (values as Float32Array<ArrayBuffer>) : Float32Array.from(values));
  }
  const halves = raw ? new Uint16Array(raw.slice().buffer) : toHalf(numbersOf(given));
  const end = start + halves.length;
  if (start % 2 === 1 || (end % 2 === 1 && end !== length)) {
    const message = `${halves.length} values at element ${start} of '${name}' — float16 is written in whole pairs.`;
    throw new BackendError('write-range', message);
  }
  const pairs = new Uint16Array(2 * Math.ceil(halves.length / 2));
  pairs.set(halves);
  return pairs;
}

/** Stored elements as the buffer holds them; the last word's other half is beyond the slot, and nothing. */
function asPacked(bytes: Uint8Array<ArrayBuffer>, packed: PackedStorage, name: string, start: number) {
  const { values } = packedUnit(packed);
  if (start % values !== 0) {
    const message = `values at element ${start} of '${name}' — ${packed} is written from a multiple of ${values} on.`;
    throw new BackendError('write-range', message);
  }
  const words = toPacked(packed, bytes);
  const whole = new Uint8Array(Math.ceil(words.length / 4) * 4);
  whole.set(words);
  return whole;
}

/** Whether numbers of an arena are float16 in WGSL. */
const isHalf = ({ storage, packed }: StoredArena): boolean => storage === 'f16' && packed === undefined;

type KernelRecorder<Name extends KernelName> = (recorder: Recorder, args: Parameters<Kernels[Name]>[0]) => void;

const kernelRecorders: { readonly [Name in KernelName]: KernelRecorder<Name> } = kernels;

/** The kernels, recording into `recorder`; `onCall` is called at each call. */
function recordKernels(recorder: Recorder, onCall: () => void): Kernels {
  const entries = Object.entries(kernelRecorders).map(([name, record]) => [
    name,
    (args: never) => {
      onCall();
      // One name picks both the function and its arguments; a union cannot say so.
      (record as (recorder: Recorder, args: never) => void)(recorder, args);
    },
  ]);
  return Object.fromEntries(entries) as Kernels;
}
