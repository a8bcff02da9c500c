/**
 * Runs kernels on a backend: plans memory for named slots, writes their first values, records, replays, and reads
 * every slot back. Several cases share one engine, since opening one is the slow part.
 */

import { fromBfloat, toBfloat } from '../../src/kernels/bfloat.ts';
import type { Backend, Engine } from '../../src/kernels/engine.ts';
import { fromHalf, toHalf } from '../../src/kernels/half.ts';
import type { Kernels } from '../../src/kernels/kernels.ts';
import type { DType, MemoryPlan, PlanLimits, PlannedMatrix, Rows, Slot } from '../../src/kernels/memory.ts';
import { ArenaBuilder } from '../../src/kernels/memory.ts';
import { sizeOf } from './data.ts';

/** What an overwritten element holds before the kernel runs, so that one that stays unwritten shows. */
export const POISON = Math.fround(1.2345e20);
export const POISON_ID = 1234567890;
/** The same for a slot that is kept as float16, as that holds it; larger than what any test computes there. */
const ROUNDED_POISON = 60000;

/** What an engine reads back. */
export type Output = Int32Array | Float32Array | Float64Array;

/** A slot to plan, with its first values. */
export interface TestSlot {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly values: ArrayLike<number>;
  readonly isMatrix: boolean;
  /** In an arena that is kept as float16. */
  readonly isRoundable?: boolean;
  /** In an arena of keys and values that is kept as bf16. */
  readonly isKept?: boolean;
}

/** A use of kernels over named slots. An optional operand is a name that has no slot. */
export interface KernelCase {
  readonly slots: Readonly<Record<string, TestSlot>>;
  readonly build: (kernels: Kernels, slots: Readonly<Record<string, Slot>>) => void;
  /** As in the plan's limits. */
  readonly muon?: PlanLimits['muon'];
}

/** A 'real' slot that holds `values` when the kernels start: an input, or an accumulator's start. */
export function given(shape: readonly number[], values: ArrayLike<number>): TestSlot {
  return { dtype: 'real', shape, values: Float64Array.from(values, Math.fround), isMatrix: false };
}

/** A 'real' slot that the plan lists among its matrices. */
export function matrix(shape: readonly number[], values: ArrayLike<number>): TestSlot {
  return { ...given(shape, values), isMatrix: true };
}

/** The same slot in an arena of float16: its values are rounded to float16 for every backend. */
export function roundable(slot: TestSlot): TestSlot {
  const values = Float64Array.from(slot.values, (value) => (value === POISON ? ROUNDED_POISON : value));
  return { ...slot, values: fromHalf(toHalf(values)), isRoundable: true };
}

/** The same slot in an arena of bf16: its values are rounded to it for every backend. */
export function keptAsBfloat(slot: TestSlot): TestSlot {
  return { ...slot, values: Float64Array.from(fromBfloat(toBfloat(slot.values))), isKept: true };
}

/** An 'int' slot that holds `values`. */
export function ids(shape: readonly number[], values: ArrayLike<number>): TestSlot {
  return { dtype: 'int', shape, values, isMatrix: false };
}

/** A 'real' slot to be overwritten. */
export function poisoned(shape: readonly number[]): TestSlot {
  return given(shape, new Float64Array(sizeOf(shape)).fill(POISON));
}

/** An 'int' slot to be overwritten. */
export function poisonedIds(shape: readonly number[]): TestSlot {
  return ids(shape, new Int32Array(sizeOf(shape)).fill(POISON_ID));
}

/** The slots that hold a row range as data, for `storedRows`. */
export function rowBounds(begin: number, end: number): TestSlot {
  return ids([2], [begin, end]);
}

/** The row range that a slot made by `rowBounds` holds at replay. */
export function storedRows(bounds: Slot): Rows {
  return { begin: { slot: bounds, index: 0 }, end: { slot: bounds, index: 1 } };
}

/** Rows 0 to `end`. */
export function allRows(end: number): Rows {
  return { begin: 0, end };
}

/** Runs one case in an engine of its own. @returns every slot's values afterwards */
export async function runKernel(
  backend: Backend,
  slots: KernelCase['slots'],
  build: KernelCase['build'],
): Promise<Record<string, Output>> {
  const [outputs] = await runCases(backend, [{ slots, build }]);
  return outputs;
}

/** Runs cases one after another in one engine. @returns for each case, every slot's values afterwards */
export async function runCases(
  backend: Backend,
  cases: readonly KernelCase[],
): Promise<readonly Record<string, Output>[]> {
  const { plan, slots } = planCases(cases);
  const engine = await backend.open(plan);
  try {
    cases.forEach((test, index) => {
      for (const [name, slot] of Object.entries(slots[index])) engine.write(slot, test.slots[name].values);
    });
    const program = engine.record('test', (kernels) => {
      for (const [index, test] of cases.entries()) test.build(kernels, slots[index]);
    });
    await engine.replay(program);
    return await Promise.all(slots.map((named) => readAll(engine, named)));
  } finally {
    await engine.close();
  }
}

async function readAll(engine: Engine, slots: Readonly<Record<string, Slot>>): Promise<Record<string, Output>> {
  const outputs: Record<string, Output> = {};
  for (const [name, slot] of Object.entries(slots)) outputs[name] = await engine.read(slot);
  return outputs;
}

/** The smallest plan that holds the cases: one arena of matrices, one of reals in float16, one of the others, one of ints. */
export function planCases(cases: readonly Pick<KernelCase, 'slots' | 'muon'>[]): {
  readonly plan: MemoryPlan;
  readonly slots: readonly Readonly<Record<string, Slot>>[];
} {
  const matrices = new ArenaBuilder('matrices', 'real', 'weights');
  const reals = new ArenaBuilder('reals', 'real', 'activations');
  const rounded = new ArenaBuilder('rounded', 'real', 'activations', { storage: 'f16' });
  const kept = new ArenaBuilder('kept', 'real', 'KV cache', { storage: 'bf16' });
  const ints = new ArenaBuilder('ints', 'int', 'indices');
  const planned: PlannedMatrix[] = [];
  const slots = cases.map((test) => {
    const named: Record<string, Slot> = {};
    for (const [name, slot] of Object.entries(test.slots)) {
      const real = slot.isMatrix ? matrices : reals;
      const exact = slot.dtype === 'real' ? real : ints;
      const builder = slot.isRoundable ? rounded : slot.isKept ? kept : exact;
      named[name] = builder.slot(slot.shape);
      if (slot.isMatrix) planned.push({ slot: named[name], uses: ['forward', 'backward'] });
    }
    return named;
  });
  const shapes = slots.flatMap((named) => Object.values(named)).map((slot) => slot.shape);
  const rows = Math.max(...shapes.map((shape) => shape[0]));
  const width = Math.max(...shapes.map((shape) => shape[shape.length - 1]));
  const isKept = kept.length > 0;
  const keptKeys = isKept ? kept.storage : undefined;
  const sides = cases.flatMap(({ muon }) => muon ?? []);
  const muon =
    sides.length === 0
      ? undefined
      : {
          short: Math.max(...sides.map(({ short }) => short)),
          long: Math.max(...sides.map(({ long }) => long)),
        };
  const limits = { rows, context: rows, vocabSize: rows, width: Math.max(rows, width), headDim: width, keptKeys, muon };
  const isRounded = cases.some((test) => Object.values(test.slots).some((slot) => slot.isRoundable));
  const arenas = [matrices, reals, ...(isRounded ? [rounded] : []), ...(isKept ? [kept] : []), ints].map((builder) =>
    builder.spec(),
  );
  return { plan: { arenas, matrices: planned, limits }, slots };
}
