/**
 * The reference backend: every kernel in float64, one after another, on one thread. It is slow and it is the
 * specification: a kernel of another backend is right when it agrees with this one.
 *
 * 'real' arenas are Float64Array, 'int' arenas Int32Array; what is written to an arena that is planned in fewer bits is
 * rounded to what it would hold. A call is checked when it is recorded and becomes a closure; a replay runs the closures in order and reads counts as it goes.
 */
import { BackendError } from '../../errors.ts';
import type { Backend, Engine, Program } from '../engine.ts';
import type { KernelName, Kernels } from '../kernels.ts';
import type { ArenaSpec, MemoryPlan, Slot } from '../memory.ts';
import { slotLength, storageOf } from '../memory.ts';
import { FROZEN_STORAGES, numbersOf, PLAIN, STORAGE, type StoredValues, storedAs } from '../storage.ts';
import { kernels } from './kernel_list.ts';
import { checkOperands, checkSlot, opener, type Values } from './operands.ts';
import type { AnyKernel, ReferenceKernel } from './reference_kernel.ts';

/** The kernels of the specification, by their names in the interface. */
export const referenceKernels: { readonly [Name in KernelName]: ReferenceKernel<Name> } = kernels;

/** The float64 backend. Deterministic; allocates 8 bytes a real and 4 bytes an int, and no scratch. */
export const referenceBackend: Backend = {
  name: 'reference',
  frozenStorages: FROZEN_STORAGES,

  plannedBytes(plan) {
    const bytes = new Map<string, number>();
    for (const arena of plan.arenas) {
      bytes.set(arena.purpose, (bytes.get(arena.purpose) ?? 0) + arenaBytes(arena));
    }
    return bytes;
  },

  async open(plan) {
    const names = new Set(plan.arenas.map((arena) => arena.name));
    if (names.size !== plan.arenas.length) {
      throw new BackendError('duplicate-arena', 'plan.arenas: two arenas have the same name; rename one.');
    }
    plan.matrices.forEach((matrix, index) => {
      checkSlot(`plan.matrices[${index}]`, matrix.slot, plan);
    });
    return new ReferenceEngine(plan);
  },
};

function arenaBytes(arena: ArenaSpec): number {
  return arena.length * (arena.dtype === 'real' ? Float64Array : Int32Array).BYTES_PER_ELEMENT;
}

class ReferenceEngine implements Engine {
  readonly backend = 'reference';
  readonly samplerTolerance = 0;
  interruption?: Engine['interruption'];
  readonly features = { float: 64 };
  readonly bytes: number;
  readonly #plan: MemoryPlan;
  readonly #arenas = new Map<string, Values>();
  readonly #commands = new WeakMap<Program, readonly (() => void)[]>();
  #isClosed = false;

  constructor(plan: MemoryPlan) {
    this.#plan = plan;
    this.bytes = plan.arenas.reduce((sum, arena) => sum + arenaBytes(arena), 0);
    for (const { name, dtype, length } of plan.arenas) {
      this.#arenas.set(name, dtype === 'real' ? new Float64Array(length) : new Int32Array(length));
    }
  }

  record(label: string, build: (kernels: Kernels) => void): Program {
    this.#checkOpen();
    const commands: (() => void)[] = [];
    const recorders = Object.keys(referenceKernels).map((name) => [
      name,
      (args: Readonly<Record<string, unknown>>) => commands.push(this.#command(name as keyof Kernels, args)),
    ]);
    // The registry has exactly the keys of Kernels, by its type; Object.fromEntries cannot say so.
    build(Object.fromEntries(recorders) as Kernels);
    const program: Program = { label, kernelCount: commands.length };
    this.#commands.set(program, commands);
    return program;
  }

  async replay(...programs: readonly Program[]): Promise<void> {
    this.#checkOpen();
    for (const program of programs) {
      await this.interruption?.();
      const commands = this.#commands.get(program);
      if (commands === undefined) {
        const message = `replay: program '${program.label}' was not recorded by this engine; record it here.`;
        throw new BackendError('foreign-program', message, { label: program.label });
      }
      for (const command of commands) command();
    }
  }

  write(slot: Slot, given: ArrayLike<number> | StoredValues, at = 0): void {
    const values = this.#rounded(slot, given);
    const length = slotLength(slot);
    if (at < 0 || at + values.length > length) {
      const message = `write: elements [${at}, ${at + values.length}) leave a slot of ${length} elements.`;
      throw new BackendError('write-out-of-range', message, { slot, at, count: values.length });
    }
    this.#view('write', slot).set(values, at);
  }

  #rounded({ arena, dtype }: Slot, given: ArrayLike<number> | StoredValues): ArrayLike<number> {
    const storage = storageOf(this.#plan.arenas.find(({ name }) => name === arena) ?? { dtype });
    return storage === PLAIN[dtype] ? numbersOf(given) : STORAGE[storage].decode(storedAs(storage, given));
  }

  async read(slot: Slot, count = slotLength(slot)): Promise<Int32Array | Float64Array> {
    if (count < 0 || count > slotLength(slot)) {
      const message = `read: ${count} elements of a slot of ${slotLength(slot)} elements.`;
      throw new BackendError('read-out-of-range', message, { slot, count });
    }
    return this.#view('read', slot).slice(0, count);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#arenas.clear();
  }

  #command(kernel: keyof Kernels, args: Readonly<Record<string, unknown>>): () => void {
    // A union of kernels cannot say that the arguments of both functions agree.
    const { rules, run } = referenceKernels[kernel] as unknown as AnyKernel;
    const call = { kernel, args, rules: rules(args) };
    const dimensions = checkOperands(call, this.#plan);
    const open = opener(call, dimensions, (slot) => this.#view(kernel, slot));
    return () => run(open(), dimensions);
  }

  #view(owner: string, slot: Slot): Values {
    this.#checkOpen();
    checkSlot(owner, slot, this.#plan);
    const arena = this.#arenas.get(slot.arena) as Values; // checkSlot found it in the plan
    return arena.subarray(slot.offset, slot.offset + slotLength(slot));
  }

  #checkOpen(): void {
    if (this.#isClosed) throw new BackendError('engine-closed', 'The engine is closed; open the backend again.');
  }
}
