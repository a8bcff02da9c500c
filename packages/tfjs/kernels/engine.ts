/**
 * An open tfjs engine: 'real' arenas as pieces of tensors, 'int' arenas on the host, programs as lists of calls.
 *
 * A replay calls tfjs ops one after another. Nothing is written in place, so that tf.grads of a forward may hold what
 * it likes; outputs replace the tensors that their slots had.
 */
import * as tf from '@tensorflow/tfjs';
import { BackendError } from '../../../src/errors.ts';
import type { Engine, Program } from '../../../src/kernels/engine.ts';
import type { KernelName, Kernels } from '../../../src/kernels/kernels.ts';
import type { MemoryPlan, Slot } from '../../../src/kernels/memory.ts';
import { requireStorages, slotLength } from '../../../src/kernels/memory.ts';
import { referenceKernels } from '../../../src/kernels/reference/engine.ts';
import { checkOperands, checkSlot } from '../../../src/kernels/reference/operands.ts';
import type { AnyKernel as AnyReferenceKernel } from '../../../src/kernels/reference/reference_kernel.ts';
import { numbersOf, type StoredValues } from '../../../src/kernels/storage.ts';
import { TensorArena } from './arena.ts';
import { kernels } from './kernel_list.ts';
import { intOperand, type Operand, opener, type RowRange, realOperand } from './operands.ts';
import { type AnyKernel, runOf, type TfjsKernel } from './tfjs_kernel.ts';

const tfjsKernels: { readonly [Name in KernelName]: TfjsKernel<Name> } = kernels;

interface TfjsProgram extends Program {
  readonly commands: readonly (() => void | Promise<void>)[];
}

export class TfjsEngine implements Engine {
  readonly backend: string;
  /** TensorFlow.js sums in an order of its own. */
  readonly samplerTolerance = 1e-3;
  interruption?: Engine['interruption'];
  readonly features: Readonly<Record<string, string | number | boolean>>;
  readonly bytes: number;
  readonly #tfBackend: string;
  readonly #plan: MemoryPlan;
  readonly #reals = new Map<string, TensorArena>();
  readonly #ints = new Map<string, Int32Array>();
  #isClosed = false;

  /** @param tfBackend a registered tfjs backend; it is made the current one whenever the engine computes */
  constructor(tfBackend: string, plan: MemoryPlan, bytes: number) {
    requireStorages(plan, 'tfjs', ['f32', 'i32']);
    this.#tfBackend = tfBackend;
    this.backend = `tfjs:${tfBackend}`;
    this.features = { tfjs: tf.version_core };
    this.#plan = plan;
    this.bytes = bytes;
    for (const { name, dtype, length } of plan.arenas) {
      if (dtype === 'real') this.#reals.set(name, new TensorArena(length));
      else this.#ints.set(name, new Int32Array(length));
    }
  }

  record(label: string, build: (kernels: Kernels) => void): Program {
    this.#check();
    const commands: TfjsProgram['commands'][number][] = [];
    const recorders = Object.keys(tfjsKernels).map((name) => [
      name,
      (args: Readonly<Record<string, unknown>>) => commands.push(this.#command(name as KernelName, args)),
    ]);
    // The registry has exactly the keys of Kernels, by its type; Object.fromEntries cannot say so.
    build(Object.fromEntries(recorders) as Kernels);
    const program: TfjsProgram = { label, kernelCount: commands.length, commands };
    return program;
  }

  async replay(...programs: readonly Program[]): Promise<void> {
    this.#check();
    await this.#select();
    // Programs of this engine are the only ones that reach it: the interface hides their inside.
    for (const { commands } of programs as readonly TfjsProgram[]) {
      for (const command of commands) {
        await this.interruption?.();
        await command();
      }
    }
  }

  write(slot: Slot, given: ArrayLike<number> | StoredValues, at = 0): void {
    const values = numbersOf(given);
    this.#check();
    checkSlot('write', slot, this.#plan);
    if (at < 0 || at + values.length > slotLength(slot)) {
      throw new BackendError('write-range', `${values.length} values at ${at} do not fit slot [${slot.shape}].`);
    }
    const begin = slot.offset + at;
    if (slot.dtype === 'int') {
      this.#ints.get(slot.arena)?.set(values, begin);
      return;
    }
    void this.#select(); // at once, since the backend has started
    // A copy: tfjs keeps the array that it is given.
    this.#reals.get(slot.arena)?.write(begin, begin + values.length, tf.tensor1d(Float32Array.from(values)));
  }

  async read(slot: Slot, count = slotLength(slot)): Promise<Int32Array | Float32Array> {
    this.#check();
    checkSlot('read', slot, this.#plan);
    if (count < 0 || count > slotLength(slot)) {
      throw new BackendError('read-range', `${count} values asked of slot [${slot.shape}].`);
    }
    const [begin, end] = [slot.offset, slot.offset + count];
    if (slot.dtype === 'int') return (this.#ints.get(slot.arena) as Int32Array).slice(begin, end);
    if (count === 0) return new Float32Array();
    await this.#select();
    const values = (this.#reals.get(slot.arena) as TensorArena).read(begin, end);
    return Float32Array.from((await values.data()) as Float32Array);
  }

  /** A 'real' slot as a tensor of its own handle, which the caller disposes; its values are not copied. */
  tensorOf(slot: Slot): tf.Tensor {
    this.#check();
    return tf.tidy(() => this.#operand('tensorOf', slot).tensor());
  }

  /** Makes a tensor the value of a 'real' slot, without a copy; the caller keeps its own handle. */
  setTensor(slot: Slot, values: tf.Tensor): void {
    this.#check();
    tf.tidy(() => this.#operand('setTensor', slot).set(values));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const arena of this.#reals.values()) arena.dispose();
    this.#reals.clear();
    this.#ints.clear();
  }

  #command(kernel: KernelName, args: Readonly<Record<string, unknown>>): () => void | Promise<void> {
    // Unions of kernels cannot say that the arguments of these functions agree.
    const { rules } = referenceKernels[kernel] as unknown as AnyReferenceKernel;
    const run = runOf(tfjsKernels[kernel] as AnyKernel);
    checkOperands({ kernel, args, rules: rules(args) }, this.#plan);
    const open = opener(args, (slot) => this.#operand(kernel, slot));
    return () => {
      const operands = open();
      const rows = operands.rows as RowRange | undefined;
      return rows !== undefined && rows.begin === rows.end ? undefined : run(operands);
    };
  }

  #operand(owner: string, slot: Slot): Operand {
    checkSlot(owner, slot, this.#plan);
    if (slot.dtype === 'real') return realOperand(this.#reals.get(slot.arena) as TensorArena, slot);
    return intOperand(this.#ints.get(slot.arena) as Int32Array, slot);
  }

  /** tfjs has one current backend; a program that uses tfjs itself may have chosen another. */
  async #select(): Promise<void> {
    if (tf.getBackend() !== this.#tfBackend) await tf.setBackend(this.#tfBackend);
  }

  #check(): void {
    if (this.#isClosed) throw new BackendError('engine-closed', 'The engine is closed; open the backend again.');
  }
}
