/**
 * Some columns of a matrix as an operand: a product may write or read [firstColumn, firstColumn + width) of a slot whose
 * rows are wider, where the other columns belong to its neighbours in a fused matrix (q, k and v; gate and up).
 */
import { BackendError } from '../errors.ts';
import type { Slot } from './memory.ts';

/** In elements. */
export interface Columns {
  readonly begin: number;
  /** From one row to the next. */
  readonly stride: number;
}

/**
 * The `width` columns of `slot` from `firstColumn` on; undefined: the slot has no others.
 * @throws BackendError where its rows are too narrow
 */
export function columnsOf(owner: string, slot: Slot, firstColumn: number | undefined, width: number): Columns {
  if (firstColumn === undefined) return { begin: 0, stride: width };
  const stride = slot.shape[1] ?? 0;
  if (Number.isInteger(firstColumn) && firstColumn >= 0 && firstColumn + width <= stride) {
    return { begin: firstColumn, stride };
  }
  const remedy = width > stride ? 'give a wider slot' : `give a whole number of at most ${stride - width}`;
  throw new BackendError(
    'columns-out-of-range',
    `${owner}: firstColumn ${firstColumn} — ${width} columns from there on leave rows of ${stride}; ${remedy}.`,
    { owner, firstColumn, width, stride },
  );
}
