/** What the rules of operands are made of: a type, and a shape whose letters have one value within a call. */
import { columnsOf } from '../columns.ts';
import type { Heads } from '../kernels.ts';
import type { MatrixUse, Slot } from '../memory.ts';
import { slotLength } from '../memory.ts';
import type { OperandRule, Size } from './operands.ts';

export function real(...shape: readonly Size[]): OperandRule {
  return { dtype: 'real', shape };
}

export function int(...shape: readonly Size[]): OperandRule {
  return { dtype: 'int', shape };
}

export function matrix(uses: readonly MatrixUse[], ...shape: readonly Size[]): OperandRule {
  return { dtype: 'real', shape, uses };
}

/** [N, out] where no column is named, else [N, stride] with room for the weight's outputs from `firstColumn` on. */
export function columns(owner: string, slot: Slot, firstColumn: number | undefined, weight: Slot): OperandRule {
  columnsOf(owner, slot, firstColumn, weight.shape[0]);
  return real('N', firstColumn === undefined ? 'out' : 'stride');
}

/** The same for a weight's inputs: [N, in], or [N, inputStride]. */
export function inputs(owner: string, slot: Slot, firstInput: number | undefined, weight: Slot): OperandRule {
  columnsOf(owner, slot, firstInput, weight.shape[1]);
  return real('N', firstInput === undefined ? 'in' : 'inputStride');
}

/** The type and number of elements of another slot, whatever its shape. */
export function elementsOf(slot: Slot): OperandRule {
  return { dtype: slot.dtype, elements: slotLength(slot) };
}

/** Widths of a row's queries, of its keys (or values), and of half a head. */
export function widths({ numHeads: H, numKvHeads: HK, headDim: hd }: Heads): { Q: number; K: number; half: number } {
  return { Q: H * hd, K: HK * hd, half: hd / 2 };
}
