// linear, linearInputGradient, linearWeightGradient, packWeight. Formulas: kernels.ts.
//
// A weight [out, in] is packed twice after each update: by output columns for x·Wᵀ, by input columns for dOut·W.
// Work is claimed in blocks of ROW_BLOCK rows × all panels (few rows: × groups of panels).
import { address, integer } from './arguments';
import { multiply, packPanel, packStrip, PANEL, panels, ROW_BLOCK, STRIP, STRIP_BYTES, tile } from './matmul';
import { barrier, claim, threads } from './threads';

/** out[rows] = a·packed (+ bias) (+ residual), claimed by all threads. Strides are in floats. */
export function multiplyRows(
  a: usize, packed: usize, K: i32, N: i32, out: usize, outStride: i32, bias: usize, residual: usize, begin: i32, end: i32,
): void {
  const all = panels(N);
  const rowBlocks = (end - begin + ROW_BLOCK - 1) / ROW_BLOCK;
  const group = rowBlocks >= threads * 4 ? all : max(2, (all + 7) / 8);
  const groups = (all + group - 1) / group;
  const items = rowBlocks * groups;
  for (let item = claim(1); item < items; item = claim(1)) {
    const rowBegin = begin + (item / groups) * ROW_BLOCK;
    const panelBegin = (item % groups) * group;
    multiply(
      a, <usize>K << 2, packed, K, N, out, <usize>outStride << 2, bias, residual,
      rowBegin, min(end, rowBegin + ROW_BLOCK), panelBegin, min(all, panelBegin + group),
    );
  }
}

/** arguments: begin, end, x, packed, in, out, y, bias, residual */
export function linear(): void {
  const N = integer(5);
  multiplyRows(address(2), address(3), integer(4), N, address(6), N, address(7), address(8), integer(0), integer(1));
}

/** arguments: begin, end, dOut, packed, out, in, dX */
export function linearInputGradient(): void {
  const N = integer(5);
  multiplyRows(address(2), address(3), integer(4), N, address(6), N, 0, 0, integer(0), integer(1));
}

/** Rows that are packed at a time for a weight gradient: both sides stay in the second-level cache. */
export const GRADIENT_ROWS: i32 = 512;

/**
 * dWeight[N, K] += Σ_rows dOut[r, N]ᵀ·x[r, K], row blocks in order, each element one chain over all rows.
 * `space` holds GRADIENT_ROWS rows of both operands in panels.
 */
export function accumulateRows(
  dOut: usize, dOutStride: i32, N: i32, x: usize, K: i32, dWeight: usize, space: usize, begin: i32, end: i32,
): void {
  const strips = (N + STRIP - 1) / STRIP;
  const columns = panels(K);
  const stripBytes = <usize>GRADIENT_ROWS * STRIP_BYTES;
  const panelSpace = space + <usize>strips * stripBytes;
  for (let first = begin; first < end; first += GRADIENT_ROWS) {
    const rows = min(GRADIENT_ROWS, end - first);
    const dOutRows = dOut + ((<usize>first * <usize>dOutStride) << 2);
    const xRows = x + ((<usize>first * <usize>K) << 2);
    for (let i = claim(4); i < strips + columns; i = claim(4)) {
      const last = min(i + 4, strips + columns);
      for (let j = i; j < last; j++) {
        if (j < strips) {
          packStrip(dOutRows, <usize>dOutStride << 2, rows, N, j * STRIP, space + <usize>j * stripBytes);
        } else {
          packPanel(xRows, <usize>K << 2, 4, rows, K, j - strips, panelSpace);
        }
      }
    }
    barrier();
    for (let s = claim(1); s < strips; s = claim(1)) {
      for (let p = 0; p < columns; p++) {
        tile(
          space + <usize>s * stripBytes, panelSpace + ((<usize>p * <usize>rows) << 5), rows,
          dWeight + ((<usize>(s * STRIP) * <usize>K + <usize>(p * PANEL)) << 2), <usize>K << 2, 0, 0,
          N - s * STRIP, K - p * PANEL, true,
        );
      }
    }
    barrier();
  }
}

/** dBias[n] += Σ_r dOut[r, n]: one owner a block of columns. */
function accumulateBias(dOut: usize, N: i32, dBias: usize, begin: i32, end: i32): void {
  for (let first = claim(16); first < N; first = claim(16)) {
    const last = min(first + 16, N);
    for (let n = first; n < last; n++) {
      let sum = load<f32>(dBias + (<usize>n << 2));
      for (let r = begin; r < end; r++) sum += load<f32>(dOut + ((<usize>r * <usize>N + <usize>n) << 2));
      store<f32>(dBias + (<usize>n << 2), sum);
    }
  }
}

/** arguments: begin, end, dOut, x, out, in, dWeight, dBias, space */
export function linearWeightGradient(): void {
  const begin = integer(0);
  const end = integer(1);
  const N = integer(4);
  accumulateRows(address(2), N, N, address(3), integer(5), address(6), address(8), begin, end);
  if (address(7) != 0) accumulateBias(address(2), N, address(7), begin, end);
}

/** arguments: weight, out, in, packed by output columns, packed by input columns */
export function packWeight(): void {
  const weight = address(0);
  const N = integer(1);
  const K = integer(2);
  const stride = <usize>K << 2;
  const forward = panels(N);
  const total = forward + panels(K);
  for (let i = claim(4); i < total; i = claim(4)) {
    const last = min(i + 4, total);
    for (let j = i; j < last; j++) {
      if (j < forward) packPanel(weight, 4, stride, K, N, j, address(3));
      else packPanel(weight, stride, 4, N, K, j - forward, address(4));
    }
  }
}
