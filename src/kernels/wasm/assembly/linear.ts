// linear, linearInputGradient, linearWeightGradient, packWeight. Formulas: kernels.ts.
//
// A weight [out, in] is packed twice after each update: by output columns for x·Wᵀ, by input columns for dOut·W. A stored
// one (stored.ts) stays as it is. Work is claimed in blocks of rows × all panels (few rows: × groups of panels).
import { address, integer } from './arguments';
import { packPanel, packStrip, PANEL_BYTES, panels, tile } from './matmul';
import { PANEL, STRIP, STRIP_BYTES } from './micro_kernel';
import { product, rowBlock } from './product';
import { touchRows } from './near';
import { GRADIENT_ROWS } from './sizes';
import { barrier, claim, threads } from './threads';

/** out[rows] = a·matrix (+ bias) (+ residual), claimed by all threads. Strides are in floats. */
export function multiplyRows(
  a: usize, aStride: i32, matrix: usize, form: i32, K: i32, N: i32,
  out: usize, outStride: i32, bias: usize, residual: usize, begin: i32, end: i32,
): void {
  const all = panels(N);
  const block = rowBlock(form, K);
  const rowBlocks = (end - begin + block - 1) / block;
  // Every thread should come back some 8 times; but fewer than 32 columns do not pay for packing the rows again.
  const wanted = threads == 1 ? 1 : max(1, (threads * 8 + rowBlocks - 1) / max(1, rowBlocks));
  const group = min(all, max(32 / PANEL, (all + wanted - 1) / wanted));
  const groups = (all + group - 1) / group;
  const items = rowBlocks * groups;
  for (let item = claim(1); item < items; item = claim(1)) {
    const rowBegin = begin + (item / groups) * block;
    const panelBegin = (item % groups) * group;
    product(
      a, <usize>aStride << 2, matrix, form, K, N, N, out, <usize>outStride << 2, bias, residual,
      rowBegin, min(end, rowBegin + block), panelBegin, min(all, panelBegin + group),
    );
  }
}

/** arguments: begin, end, x, matrix, in, out, y, bias, residual, stride of y and residual, stride of x, form */
export function linear(): void {
  multiplyRows(
    address(2), integer(10), address(3), integer(11), integer(4), integer(5),
    address(6), integer(9), address(7), address(8), integer(0), integer(1),
  );
}

/** arguments: begin, end, dOut, matrix, out, in, dX, stride of dOut, residual, stride of dX and residual, form */
export function linearInputGradient(): void {
  multiplyRows(
    address(2), integer(7), address(3), integer(10), integer(4), integer(5),
    address(6), integer(9), 0, address(8), integer(0), integer(1),
  );
}

/** Bytes of a packed strip, and of a packed panel, of a weight gradient. */
const ROWS_OF_STRIP: usize = <usize>GRADIENT_ROWS * STRIP_BYTES;
const ROWS_OF_PANEL: usize = <usize>GRADIENT_ROWS * PANEL_BYTES;
/** Strips or panels that a thread packs at a time, at least; it packs its share of a block in two parts. */
const LEAST_PACKED: i32 = 4;

/**
 * dWeight[N, K] += Σ_rows dOut[r, N]ᵀ·x[r, K], blocks of rows in order, each element one chain over all rows.
 * While the products of one block are taken, the next is packed, so that threads meet once a block. `space` holds two
 * blocks of both operands in strips and panels.
 */
export function accumulateRows(
  dOut: usize, dOutStride: i32, N: i32, x: usize, xStride: i32, K: i32, dWeight: usize, space: usize,
  begin: i32, end: i32,
): void {
  const all = (N + STRIP - 1) / STRIP;
  const columns = panels(K);
  const each = max(LEAST_PACKED, (all + columns + 2 * threads - 1) / (2 * threads));
  const packs = (all + columns + each - 1) / each;
  const blockBytes = <usize>all * ROWS_OF_STRIP + <usize>columns * ROWS_OF_PANEL;
  const blocks = (end - begin + GRADIENT_ROWS - 1) / GRADIENT_ROWS;
  for (let block = 0; block <= blocks; block++) {
    const first = begin + block * GRADIENT_ROWS;
    const rows = min(GRADIENT_ROWS, end - first);
    const packed = space + <usize>(block & 1) * blockBytes;
    const multiplied = space + <usize>((block + 1) & 1) * blockBytes;
    const tiles = block > 0 ? all : 0;
    const items = tiles + (block < blocks ? packs : 0);
    for (let item = claim(1); item < items; item = claim(1)) {
      if (item < tiles) {
        multiplyStrip(multiplied, all, item, min(GRADIENT_ROWS, end - first + GRADIENT_ROWS), N, K, dWeight);
      } else {
        const from = (item - tiles) * each;
        const to = min(from + each, all + columns);
        packBlock(dOut, dOutStride, N, x, xStride, K, first, rows, all, packed, from, to);
      }
    }
    barrier();
  }
}

/** A sum of what was brought near, without which it need not be read. */
let swept: i32 = 0;

/**
 * Packs strips of dOut and then panels of x, numbers [from, to) of all of them, from rows [first, first + rows). Each is some
 * columns of every row: one sweep over those of all of them comes first, so that memory is waited for once.
 */
function packBlock(
  dOut: usize, dOutStride: i32, N: i32, x: usize, xStride: i32, K: i32,
  first: i32, rows: i32, strips: i32, packed: usize, from: i32, to: i32,
): void {
  const dOutRows = dOut + ((<usize>first * <usize>dOutStride) << 2);
  const xRows = x + ((<usize>first * <usize>xStride) << 2);
  const panelSpace = packed + <usize>strips * ROWS_OF_STRIP;
  sweep(dOutRows, dOutStride, rows, from * STRIP, min(N, to * STRIP));
  sweep(xRows, xStride, rows, max(0, from - strips) * PANEL, min(K, (to - strips) * PANEL));
  for (let j = from; j < to; j++) {
    if (j < strips) packStrip(dOutRows, <usize>dOutStride << 2, rows, N, j * STRIP, packed + <usize>j * ROWS_OF_STRIP);
    else packPanel(xRows, <usize>xStride << 2, 4, rows, K, j - strips, panelSpace);
  }
}

/** Columns [first, past) of `rows` rows. */
function sweep(at: usize, stride: i32, rows: i32, first: i32, past: i32): void {
  if (past > first) swept += touchRows(at + (<usize>first << 2), <usize>stride << 2, rows, <usize>(past - first) << 2);
}

/** Six rows of dWeight: strip s of a packed block with all of its panels. */
function multiplyStrip(packed: usize, strips: i32, s: i32, rows: i32, N: i32, K: i32, dWeight: usize): void {
  const strip = packed + <usize>s * ROWS_OF_STRIP;
  const panelSpace = packed + <usize>strips * ROWS_OF_STRIP;
  const out = dWeight + ((<usize>(s * STRIP) * <usize>K) << 2);
  for (let p = 0; p < panels(K); p++) {
    tile(
      strip, panelSpace + <usize>p * <usize>rows * PANEL_BYTES, rows,
      out + <usize>p * PANEL_BYTES, <usize>K << 2, 0, 0, N - s * STRIP, K - p * PANEL, true,
    );
  }
}

/** dBias[n] += Σ_r dOut[r, n]: one owner per block of columns. */
function accumulateBias(dOut: usize, stride: i32, N: i32, dBias: usize, begin: i32, end: i32): void {
  for (let first = claim(16); first < N; first = claim(16)) {
    const last = min(first + 16, N);
    for (let n = first; n < last; n++) {
      let sum = load<f32>(dBias + (<usize>n << 2));
      for (let r = begin; r < end; r++) sum += load<f32>(dOut + ((<usize>r * <usize>stride + <usize>n) << 2));
      store<f32>(dBias + (<usize>n << 2), sum);
    }
  }
}

/** arguments: begin, end, dOut, x, out, in, dWeight, dBias, space, stride of dOut, stride of x */
export function linearWeightGradient(): void {
  const begin = integer(0);
  const end = integer(1);
  const N = integer(4);
  const stride = integer(9);
  accumulateRows(address(2), stride, N, address(3), integer(10), integer(5), address(6), address(8), begin, end);
  if (address(7) != 0) accumulateBias(address(2), stride, N, address(7), begin, end);
}

/** arguments: weight, out, in, packed by output columns, packed by input columns */
export function packWeight(): void {
  const weight = address(0);
  const N = integer(1);
  const K = integer(2);
  const stride = <usize>K << 2;
  const forward = address(3) != 0 ? panels(N) : 0;
  const total = forward + (address(4) != 0 ? panels(K) : 0);
  for (let i = claim(4); i < total; i = claim(4)) {
    const last = min(i + 4, total);
    for (let j = i; j < last; j++) {
      if (j < forward) packPanel(weight, 4, stride, K, N, j, address(3));
      else packPanel(weight, stride, 4, N, K, j - forward, address(4));
    }
  }
}
