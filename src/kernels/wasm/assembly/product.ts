// A product with a matrix in whichever form the plan keeps it: packed in panels (matmul.ts), or stored (stored_product.ts).
import { multiply, ROW_BLOCK } from './matmul';
import { PACKED } from './sizes';
import { multiplyStored, STORED_ROWS } from './stored_product';

/** Rows that `product` takes at once: blocks of work begin at its multiples. */
// @ts-ignore: decorator
@inline
export function rowBlock(form: i32): i32 {
  return form == PACKED ? ROW_BLOCK : STORED_ROWS;
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
