/** From the arguments of a kernel call to what a tfjs kernel works on: slots as operands, counts as numbers. */
import * as tf from '@tensorflow/tfjs';
import type { Count, DType, Rows, Slot, SlotCount } from '../../../src/kernels/memory.ts';
import { isRows, isSlot, isSlotCount, slotLength } from '../../../src/kernels/memory.ts';
import type { TensorArena } from './arena.ts';

/** Rows begin ≤ r < end, read from their slots. */
export interface RowRange {
  readonly begin: number;
  readonly end: number;
}

/** A slot of a call. 'real' slots are tensors; 'int' slots are on the host, where indices are worked out. */
export interface Operand {
  readonly dtype: DType;
  readonly shape: readonly number[];
  /** The values of an 'int' slot, to read and to write; empty for a 'real' one. */
  readonly ints: Int32Array;
  /** The slot, or some of its rows, in its shape; float32, or int32. Valid in the current tidy. */
  tensor(rows?: RowRange): tf.Tensor;
  /** Overwrites the 'real' slot, or some of its rows. */
  set(values: tf.Tensor, rows?: RowRange): void;
  /** Adds to the 'real' slot, or to some of its rows. */
  add(values: tf.Tensor, rows?: RowRange): void;
  /** Makes the 'real' slot, or some of its rows, zero. */
  clear(rows?: RowRange): void;
  /** A copy of a 'real' slot on the host. */
  values(): Promise<Float32Array>;
}

type OpenedValue<V> = V extends Slot ? Operand : V extends Rows ? RowRange : V extends SlotCount ? number : V;

/** The arguments of a kernel with every slot an operand and every count a number; the rest as it was. */
export type Opened<Args> = { readonly [Key in keyof Args]: OpenedValue<Args[Key]> };

/** Sizes by the letters of the kernel's rule: { N: 4, D: 96, … }. */
export type Dimensions = Readonly<Record<string, number>>;

/** Pieces that one slot may fall into, by writes of ever other row ranges, before they are copied together. */
const MOST_PIECES = 8;

/** A slot of a 'real' arena. */
export function realOperand(arena: TensorArena, slot: Slot): Operand {
  const { offset, shape } = slot;
  const length = slotLength(slot);
  const rowLength = length / shape[0];
  const rangeOf = (rows: RowRange | undefined): [number, number] =>
    rows === undefined ? [offset, offset + length] : [offset + rows.begin * rowLength, offset + rows.end * rowLength];
  const tensor = (rows?: RowRange): tf.Tensor => {
    const size = rows === undefined ? shape : [rows.end - rows.begin, ...shape.slice(1)];
    return tf.reshape(arena.read(...rangeOf(rows)), [...size]);
  };
  const set = (values: tf.Tensor, rows?: RowRange): void => {
    arena.write(...rangeOf(rows), tf.reshape(values, [-1]));
    if (rows !== undefined && arena.piecesIn(offset, offset + length) > MOST_PIECES)
      arena.read(offset, offset + length);
  };
  return {
    dtype: 'real',
    shape,
    ints: new Int32Array(),
    tensor,
    set,
    add: (values, rows) => set(tf.add(tensor(rows), values), rows),
    clear: (rows) => arena.write(...rangeOf(rows), undefined),
    values: async () => (await arena.read(offset, offset + length).data()) as Float32Array,
  };
}

/** A slot of an 'int' arena. */
export function intOperand(arena: Int32Array, slot: Slot): Operand {
  const ints = arena.subarray(slot.offset, slot.offset + slotLength(slot));
  const refuse = (): never => {
    throw new Error(`a kernel writes 'int' slot '${slot.arena}' as a tensor`);
  };
  return {
    dtype: 'int',
    shape: slot.shape,
    ints,
    tensor: ({ begin, end } = { begin: 0, end: slot.shape[0] }) => {
      const rowLength = ints.length / slot.shape[0];
      const values = ints.slice(begin * rowLength, end * rowLength);
      return tf.tensor(values, [end - begin, ...slot.shape.slice(1)], 'int32');
    },
    set: refuse,
    add: refuse,
    clear: refuse,
    values: refuse,
  };
}

/** Opens a call's arguments once; the function that it returns reads the counts, each time it is called. */
export function opener(
  args: Readonly<Record<string, unknown>>,
  operandOf: (slot: Slot) => Operand,
): () => Readonly<Record<string, unknown>> {
  const countReader = (count: Count): (() => number) => {
    if (typeof count === 'number') return () => count;
    const { ints } = operandOf(count.slot);
    return () => ints[count.index];
  };
  const readers = Object.entries(args).map(([name, value]): [string, () => unknown] => {
    if (isSlot(value)) {
      const operand = operandOf(value);
      return [name, () => operand];
    }
    if (isRows(value)) {
      const [begin, end] = [countReader(value.begin), countReader(value.end)];
      return [name, () => ({ begin: begin(), end: end() })];
    }
    if (isSlotCount(value)) return [name, countReader(value)];
    return [name, () => value];
  });
  return () => Object.fromEntries(readers.map(([name, read]) => [name, read()]));
}
