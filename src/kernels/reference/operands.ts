/**
 * From the arguments of a kernel call to what a reference kernel works on: every slot checked against its rule
 * when the call is recorded and opened as a typed array, every count read when the call is replayed.
 */
import { BackendError } from '../../errors.ts';
import type { Count, DType, MatrixUse, MemoryPlan, Rows, Slot, SlotCount } from '../memory.ts';
import { isRows, isSlot, isSlotCount, slotLength } from '../memory.ts';

/** An opened slot: Float64Array for 'real', Int32Array for 'int'. */
export type Values = Float64Array | Int32Array;

type OpenedValue<V> = V extends Slot
  ? Values
  : V extends Rows
    ? { readonly begin: number; readonly end: number }
    : V extends SlotCount
      ? number
      : V;

/** The arguments of a kernel with every slot an array and every count a number; the rest as it was. */
export type Opened<Args> = { readonly [Key in keyof Args]: OpenedValue<Args[Key]> };

/** Sizes by the letters of the kernel's rule: { N: 4, D: 96, … }. */
export type Dimensions = Readonly<Record<string, number>>;

/** A number, or a letter whose value the operands decide: 'D', '2*F', 'buckets+1'. */
export type Size = number | string;

/** What an operand must look like: a shape, or only a number of elements. */
export interface OperandRule {
  readonly dtype: DType;
  readonly shape?: readonly Size[];
  readonly elements?: number;
  /** The slot must be among the plan's matrices, planned for these uses. */
  readonly uses?: readonly MatrixUse[];
}

/** One entry for each slot of a kernel; for each count and row range, the dimension that bounds it. */
export type Rules<Args> = {
  readonly [Key in keyof Args as NonNullable<Args[Key]> extends Slot ? Key : never]-?: OperandRule;
} & {
  readonly [Key in keyof Args as SlotCount extends Args[Key]
    ? Key
    : NonNullable<Args[Key]> extends Rows
      ? Key
      : never]-?: string;
};

/** A kernel call as the checks see it: argument names to values of any kind. */
export interface Call {
  readonly kernel: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly rules: Readonly<Record<string, OperandRule | string>>;
}

/** Checks that a slot lies inside its arena and has the arena's type. @throws BackendError naming `owner` */
export function checkSlot(owner: string, slot: Slot, plan: MemoryPlan): void {
  const arena = plan.arenas.find((spec) => spec.name === slot.arena);
  const facts = { owner, slot };
  if (arena === undefined) {
    const names = plan.arenas.map((spec) => spec.name).join(', ');
    throw new BackendError(
      'unknown-arena',
      `${owner}: arena '${slot.arena}' is not one of the plan's: ${names}.`,
      facts,
    );
  }
  if (arena.dtype !== slot.dtype) {
    const message = `${owner}: a slot of type ${slot.dtype} in arena '${arena.name}' of type ${arena.dtype}.`;
    throw new BackendError('slot-dtype', message, facts);
  }
  const end = slot.offset + slotLength(slot);
  if (!(Number.isInteger(slot.offset) && slot.offset >= 0 && end <= arena.length)) {
    const range = `elements [${slot.offset}, ${end}) of shape ${shapeText(slot)}`;
    const message = `${owner}: ${range} leave arena '${arena.name}' of length ${arena.length}.`;
    throw new BackendError('slot-out-of-range', message, facts);
  }
}

/** Checks every slot of a call against its rule and the plan. @returns the sizes that the rules name */
export function checkOperands(call: Call, plan: MemoryPlan): Dimensions {
  const dimensions: Record<string, number> = {};
  for (const [operand, rule] of Object.entries(call.rules)) {
    const slot = call.args[operand];
    if (typeof rule === 'string' || slot === undefined) continue;
    if (!isSlot(slot)) throw mismatch(call, operand, 'is not a slot');
    checkSlot(`${call.kernel}.${operand}`, slot, plan);
    if (slot.dtype !== rule.dtype) throw mismatch(call, operand, `is ${slot.dtype}, not ${rule.dtype}`);
    if (rule.elements !== undefined && slotLength(slot) !== rule.elements) {
      throw mismatch(call, operand, `must have ${rule.elements} elements`);
    }
    if (rule.shape !== undefined) bindShape(call, operand, slot, rule.shape, dimensions);
    if (rule.uses !== undefined) checkUses(call, operand, slot, rule.uses, plan);
  }
  return dimensions;
}

/** A backend that packs has a form of the matrix for each planned use, and for no other. */
function checkUses(call: Call, operand: string, slot: Slot, uses: readonly MatrixUse[], plan: MemoryPlan): void {
  const planned = plan.matrices.find((matrix) => isSameSlot(matrix.slot, slot));
  if (planned === undefined) throw mismatch(call, operand, "is not one of the plan's matrices");
  const unplanned = uses.find((use) => !planned.uses.includes(use));
  if (unplanned !== undefined) throw mismatch(call, operand, `is not planned for ${unplanned} kernels`);
}

/** Opens slots as views now; the function that it returns reads the counts, each time it is called. */
export function opener(
  call: Call,
  dimensions: Dimensions,
  view: (slot: Slot) => Values,
): () => Readonly<Record<string, unknown>> {
  const readers = Object.entries(call.args).map(([name, value]): [string, () => unknown] => {
    const limit = dimensions[call.rules[name] as string] ?? Number.POSITIVE_INFINITY;
    const owner = `${call.kernel}.${name}`;
    if (isSlot(value)) {
      const values = view(value);
      return [name, () => values];
    }
    if (isRows(value)) {
      const begin = countReader(`${owner}.begin`, value.begin, limit, view);
      const end = countReader(`${owner}.end`, value.end, limit, view);
      return [name, () => ({ begin: begin(), end: end() })];
    }
    if (isSlotCount(value) || (typeof value === 'number' && typeof call.rules[name] === 'string')) {
      return [name, countReader(owner, value, limit, view)];
    }
    return [name, () => value];
  });
  return () => Object.fromEntries(readers.map(([name, read]) => [name, read()]));
}

function countReader(owner: string, count: Count, limit: number, view: (slot: Slot) => Values): () => number {
  const source = typeof count === 'number' ? undefined : view(count.slot);
  return () => {
    const value = typeof count === 'number' ? count : (source as Values)[count.index];
    if (Number.isInteger(value) && value >= 0 && value <= limit) return value;
    throw new BackendError('count-out-of-range', `${owner}: ${value} is not in 0 … ${limit}.`, { owner, value, limit });
  };
}

/** Matches a shape with its rule, giving each letter the value of its first use. */
function bindShape(
  call: Call,
  operand: string,
  slot: Slot,
  rule: readonly Size[],
  dimensions: Record<string, number>,
): void {
  const expected = `must be [${rule.join(', ')}]`;
  if (slot.shape.length !== rule.length) throw mismatch(call, operand, expected);
  rule.forEach((size, axis) => {
    const actual = slot.shape[axis];
    if (typeof size === 'number') {
      if (actual !== size) throw mismatch(call, operand, expected);
      return;
    }
    const { factor, letter, plus } = parseSize(size);
    dimensions[letter] ??= (actual - plus) / factor;
    if (dimensions[letter] * factor + plus !== actual || !Number.isInteger(dimensions[letter])) {
      throw mismatch(call, operand, `${expected} with ${letter} = ${dimensions[letter]}`);
    }
  });
}

function parseSize(size: string): { factor: number; letter: string; plus: number } {
  const match = /^(?:(\d+)\*)?([A-Za-z]+)(?:\+(\d+))?$/.exec(size);
  if (match === null)
    throw new BackendError('bad-rule', `'${size}' is not a size such as D, 2*F or buckets+1.`, { size });
  return { factor: Number(match[1] ?? 1), letter: match[2], plus: Number(match[3] ?? 0) };
}

function mismatch(call: Call, operand: string, rule: string): BackendError {
  const shapes = Object.entries(call.args)
    .filter((entry): entry is [string, Slot] => isSlot(entry[1]))
    .map(([name, slot]) => `${name} ${shapeText(slot)}`)
    .join(', ');
  const message = `${call.kernel}: ${operand} ${rule}; given ${shapes}.`;
  return new BackendError('operand-mismatch', message, { kernel: call.kernel, operand, shapes });
}

function shapeText(slot: Slot): string {
  return `[${slot.shape.join(', ')}]`;
}

function isSameSlot(a: Slot, b: Slot): boolean {
  return a.arena === b.arena && a.offset === b.offset && shapeText(a) === shapeText(b);
}
