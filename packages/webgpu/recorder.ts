/**
 * Records a program: each kernel call becomes one or more dispatches with their pipeline, bind group and parameters
 * fixed. A replay decides nothing but how many workgroups run.
 */
import { BackendError, MemoryPlanError } from '../../src/errors.ts';
import type { Count, Rows, Slot } from '../../src/kernels/memory.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import type { CountEntry, CountTable } from './counts.ts';
import type { Layout, StoredArena } from './layout.ts';
import { arenaBytes } from './layout.ts';
import type { Tiling } from './options.ts';
import type { BindingAccess, PendingPipeline, PipelineCache } from './pipelines.ts';
import type { Binding, BoundOperand } from './shader.ts';
import { shaderModule } from './shader.ts';
import type { ReductionSize } from './shaders/reductions.ts';
import { workgroupReductions } from './shaders/reductions.ts';

/** How a kernel uses a slot. `raise`: an int slot whose elements are only raised, atomically. */
export interface Operand {
  readonly slot: Slot;
  readonly use: 'read' | 'write' | 'raise';
}

export const read = (slot: Slot): Operand => ({ slot, use: 'read' });
/** Written, and perhaps read too. */
export const write = (slot: Slot): Operand => ({ slot, use: 'write' });
export const raise = (slot: Slot): Operand => ({ slot, use: 'raise' });

/** A scalar parameter: a whole number, or a float32. */
export type Scalar = number | { readonly float: number };

/** One dispatch, as a kernel asks for it. */
export interface DispatchRequest {
  readonly label: string;
  readonly operands: Readonly<Record<string, Operand | undefined>>;
  readonly counts?: Readonly<Record<string, CountEntry>>;
  readonly scalars?: Readonly<Record<string, Scalar>>;
  /** Bind reals as vectors of four; every operand must start at a multiple of 4 (`startsOnVectors`). */
  readonly vectors?: boolean;
  /** Invocations of a workgroup, where `code` calls workgroup_sum or workgroup_max. */
  readonly reductions?: ReductionSize;
  readonly code: string;
  /** Workgroups along x and y at a replay; 0 skips the dispatch. */
  readonly workgroups: () => readonly [x: number, y: number];
  /** Multiply-adds or so at a replay; by default 64 times the workgroups. */
  readonly work?: () => number;
}

/** A recorded dispatch. */
export interface Dispatch {
  readonly label: string;
  readonly pending: PendingPipeline;
  /** Its parameters, the counts, and its windows. */
  readonly bindGroup: GPUBindGroup;
  readonly workgroups: () => readonly [x: number, y: number];
  readonly work: () => number;
}

/** What recorders of one engine share. */
export interface RecorderContext {
  readonly layout: Layout;
  readonly tiling: Tiling;
  /** Neighbouring invocations that are lanes of one subgroup; 1 where subgroups are not used. */
  readonly lanes: number;
  readonly pipelines: PipelineCache;
  readonly counts: CountTable;
  /** What the host wrote into an int arena. */
  readonly shadow: (arena: string) => Int32Array;
  /** Stores a dispatch's parameters. @returns the group that binds them, the counts, and the windows */
  readonly bindGroup: (
    parameters: ArrayBuffer,
    windows: readonly Window[],
    accesses: readonly BindingAccess[],
  ) => GPUBindGroup;
}

/** A part of an arena's buffer, in elements. */
export interface Window {
  readonly arena: string;
  readonly begin: number;
  readonly end: number;
}

/** Offsets of bindings are multiples of this: the largest that an adapter may ask for. */
const ALIGNMENT_BYTES = 256;
/** Workgroups along one dimension, at most. */
export const MOST_WORKGROUPS = 65_535;

export class Recorder {
  readonly dispatches: Dispatch[] = [];
  readonly context: RecorderContext;
  /** Facts that dispatches recorded earlier in this program have left in scratch space. */
  readonly established = new Set<string>();

  constructor(context: RecorderContext) {
    this.context = context;
  }

  count(count: Count): CountEntry {
    return this.context.counts.of(count);
  }

  rows({ begin, end }: Rows): { readonly begin: CountEntry; readonly end: CountEntry } {
    return { begin: this.count(begin), end: this.count(end) };
  }

  /** @throws BackendError for a slot outside the plan; MemoryPlanError where operands cannot be bound together */
  dispatch(request: DispatchRequest): void {
    const present = Object.entries(request.operands).flatMap(([name, operand]) =>
      operand === undefined ? [] : [{ name, ...operand }],
    );
    const windows = this.#windows(present.map(({ slot, use }) => ({ slot, isWritten: use !== 'read' })));
    const operands: BoundOperand[] = [];
    const words: Scalar[] = [];
    const bindings = windows.map(({ arena }): { -readonly [Key in keyof Binding]: Binding[Key] } => ({
      dtype: this.#arena(arena).dtype,
      half: this.#arena(arena).storage === 'f16' && this.#arena(arena).packed === undefined,
      packed: this.#arena(arena).packed,
      access: 'read',
      atomic: false,
    }));
    for (const { name, slot, use } of present) {
      const index = windows.findIndex((window) => holds(window, slot));
      const binding = bindings[index];
      const window = windows[index];
      if (binding === undefined || window === undefined) throw new Error(`no window holds ${name}`);
      if (use !== 'read') binding.access = 'write';
      if (use === 'raise') binding.atomic = true;
      operands.push({ name, binding: index, isWritten: use !== 'read' });
      words.push(slot.offset - window.begin);
    }
    // Between two parts of one buffer WebGPU allows no reading beside writing, only writing beside writing.
    const written = new Set(windows.flatMap(({ arena }, i) => (bindings[i]?.access === 'write' ? [arena] : [])));
    windows.forEach(({ arena }, i) => {
      const binding = bindings[i];
      if (binding !== undefined && written.has(arena)) binding.access = 'write';
    });
    const counts = Object.entries(request.counts ?? {});
    const scalars = Object.entries(request.scalars ?? {});
    words.push(...counts.map(([, { index }]) => index), ...scalars.map(([, value]) => value));
    const { lanes } = this.context;
    const { reductions } = request;
    const code = shaderModule({
      enabled: [
        ...(reductions !== undefined && lanes > 1 ? ['subgroups'] : []),
        ...(bindings.some(({ half }) => half) ? ['f16'] : []),
      ],
      bindings,
      operands,
      vectors: request.vectors ?? false,
      counts: counts.map(([name]) => name),
      scalars: scalars.map(([name, value]) => [name, typeof value === 'number' ? 'u32' : 'f32']),
      code: reductions === undefined ? request.code : `${workgroupReductions(reductions, lanes)}\n${request.code}`,
    });
    const accesses = bindings.map(({ access }) => access);
    const { workgroups } = request;
    this.dispatches.push({
      label: request.label,
      pending: this.context.pipelines.pipeline(request.label, code, accesses),
      bindGroup: this.context.bindGroup(packWords(words), windows, accesses),
      workgroups,
      work: request.work ?? (() => workgroups()[0] * workgroups()[1] * 64),
    });
  }

  /** Pieces of a slot's first dimension that one binding can see; most slots are one piece. */
  pieces(slot: Slot, unit = 1): readonly { readonly begin: number; readonly end: number; readonly slot: Slot }[] {
    const rows = slot.shape[0] ?? 0;
    const width = slotLength(slot) / Math.max(1, rows);
    const arena = this.#arena(slot.arena);
    const limit = this.#bindingElements(arena);
    if (arena.length <= limit) return [{ begin: 0, end: rows, slot }];
    const most = Math.max(unit, Math.floor((limit - alignment(arena)) / width / unit) * unit);
    return Array.from({ length: Math.ceil(rows / most) }, (_, piece) => {
      const begin = piece * most;
      const end = Math.min(rows, begin + most);
      const shape = [end - begin, ...slot.shape.slice(1)];
      return { begin, end, slot: { ...slot, offset: slot.offset + begin * width, shape } };
    });
  }

  #bindingElements({ elementBytes }: StoredArena): number {
    return Math.floor(this.context.layout.limits.bindingBytes / elementBytes);
  }

  #arena(name: string): StoredArena {
    const arena = this.context.layout.arenas.get(name);
    if (arena !== undefined) return arena;
    throw new BackendError('unknown-arena', `slot in arena '${name}' — the memory plan has no such arena.`);
  }

  /** The windows that hold all slots: whole arenas where they fit a binding, else parts of them. */
  #windows(slots: readonly { readonly slot: Slot; readonly isWritten: boolean }[]): Window[] {
    const byArena = new Map<string, { slot: Slot; isWritten: boolean }[]>();
    for (const entry of slots) {
      const { slot } = entry;
      const arena = this.#arena(slot.arena);
      if (arena.dtype !== slot.dtype || slot.offset < 0 || slot.offset + slotLength(slot) > arena.length) {
        const text = `${slot.dtype} slot [${slot.shape}] at ${slot.offset} of '${slot.arena}'`;
        throw new BackendError('slot-range', `${text} — the arena holds ${arena.length} elements of ${arena.dtype}.`);
      }
      byArena.set(slot.arena, [...(byArena.get(slot.arena) ?? []), entry]);
    }
    return [...byArena].flatMap(([name, entries]) => {
      const arena = this.#arena(name);
      if (arenaBytes(arena) <= this.context.layout.limits.bindingBytes) {
        return [{ arena: name, begin: 0, end: arenaBytes(arena) / arena.elementBytes }];
      }
      return this.#partWindows(arena, entries);
    });
  }

  #partWindows(stored: StoredArena, entries: readonly { slot: Slot; isWritten: boolean }[]): Window[] {
    const { name: arena, elementBytes } = stored;
    const limit = this.#bindingElements(stored);
    const length = arenaBytes(stored) / elementBytes;
    const windows: { arena: string; begin: number; end: number }[] = [];
    for (const { slot } of [...entries].sort((a, b) => a.slot.offset - b.slot.offset)) {
      const begin = Math.floor(slot.offset / alignment(stored)) * alignment(stored);
      const end = Math.min(length, Math.ceil((slot.offset + slotLength(slot)) / stored.unit) * stored.unit);
      const last = windows[windows.length - 1];
      if (last !== undefined && Math.max(last.end, end) - last.begin <= limit) last.end = Math.max(last.end, end);
      else windows.push({ arena, begin, end });
    }
    const isTooLong = windows.some(({ begin, end }) => end - begin > limit);
    const overlaps = windows.some(({ begin }, i) => i > 0 && begin < (windows[i - 1]?.end ?? 0));
    if (isTooLong || (overlaps && entries.some(({ isWritten }) => isWritten))) {
      const megabytes = Math.floor((limit * elementBytes) / 1024 ** 2);
      throw new MemoryPlanError(
        'webgpu-binding',
        `${arena}: a kernel needs more of this arena at once than the ${megabytes} MiB that this adapter binds. Lower ` +
          "per_device_train_batch_size, generation_batch_size or the model's size.",
        { arena },
      );
    }
    return windows;
  }
}

/** Whether slots start at multiples of 4 elements and these widths are multiples of 4. */
export function startsOnVectors(slots: readonly (Slot | undefined)[], widths: readonly number[]): boolean {
  return slots.every((slot) => slot === undefined || slot.offset % 4 === 0) && widths.every((width) => width % 4 === 0);
}

/** Size of a slot's last dimension. */
export function widthOf({ shape }: Slot): number {
  return shape[shape.length - 1] ?? 1;
}

/** Workgroups of 64 for a number of threads: along x, then y. */
export function flatWorkgroups(threads: number): readonly [number, number] {
  const groups = Math.ceil(Math.max(0, threads) / 64);
  if (groups <= MOST_WORKGROUPS) return [groups, 1];
  const y = Math.ceil(groups / MOST_WORKGROUPS);
  return [Math.ceil(groups / y), y];
}

/** WGSL: the number of the invocation among the 64 of a workgroup of `flatWorkgroups`. */
export const FLAT_INDEX = /* wgsl */ `
fn flat_index(group: vec3u, groups: vec3u, local: u32) -> u32 { return (group.y * groups.x + group.x) * 64u + local; }`;

/** Elements from one place where a binding may begin to the next: a multiple of ALIGNMENT_BYTES, and of whole words. */
function alignment({ elementBytes, unit }: StoredArena): number {
  let units = 1;
  while ((units * unit * elementBytes) % ALIGNMENT_BYTES !== 0) units++;
  return units * unit;
}

function holds(window: Window, slot: Slot): boolean {
  return window.arena === slot.arena && window.begin <= slot.offset && slot.offset + slotLength(slot) <= window.end;
}

function packWords(words: readonly Scalar[]): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  words.forEach((word, i) => {
    if (typeof word === 'number') view.setUint32(i * 4, word, true);
    else view.setFloat32(i * 4, word.float, true);
  });
  return view.buffer;
}
