// A product with a matrix in whichever form the plan keeps it: packed in panels (matmul.ts), or stored (stored_product.ts).
import { multiply, ROW_BLOCK, rowsAtOnce } from './matmul';
import { LONGEST_TOGETHER, PACKED } from './sizes';
import { multiplyStored, STORED_ROWS } from './stored_product';

/** Rows that a block of work should have, of sums of K products. */
// @ts-ignore: decorator
@inline
export function rowBlock(form: i32, K: i32): i32 {
  if (form != PACKED) return STORED_ROWS;
  return K <= LONGEST_TOGETHER ? ROW_BLOCK : rowsAtOnce(K);
}

/** Arguments as those of `multiplyStored`. */
export function product(
  a: usize, aStride: usize, matrix: usize, form: i32, K: i32, N: i32, width: i32,
  out: usize, outStride: usize, bias: usize, residual: usize,
  rowBegin: i32, rowEnd: i32, panelBegin: i32, panelEnd: i32,
): void {
  if (form == PACKED) {
    multiply(a, aStride, matrix, K, width, out, outStride, bias, residual, rowBegin, rowEnd, panelBegin, panelEnd);
  } else {
    multiplyStored(
      a, aStride, matrix, form, K, N, width, out, outStride, bias, residual, rowBegin, rowEnd, panelBegin, panelEnd,
    );
  }
}
