// muon. Formula: kernels.ts.
//
// A thread takes a whole matrix, in scratch of its own: X, which lies so that its rows are the longer side; A = X·Xᵀ; B = b·A + c·A² +
// a·1, by which X is multiplied; and the right side of a product in panels. A and A² are symmetric to the bit, as each element is
// one chain and a·b is b·a: strips of rows from the diagonal on are computed, the rest is copied.
// 5·(1.1·m²·n + 1.1·m³ + 2·m²·n) operations for m × n.
import { clipFactor } from './adamw';
import { address, integer } from './arguments';
import { multiply, packPanel, PANEL_BYTES, panels } from './matmul';
import { PANEL, STRIP } from './micro_kernel';
import { dot, fma } from './simd';
import { claim, scratch } from './threads';
import { transposeColumns } from './transpose';

/** NEWTON_SCHULZ of kernels.ts. */
const STEPS: i32 = 5;
const A: f32 = 3.4445;
const B: f32 = -4.775;
const C: f32 = 2.0315;
const EPSILON: f64 = 1e-7;

/** arguments: count, parameters, gradients, firstMoment, norm, settings, then first element, rows and columns of each matrix */
export function muon(): void {
  const norm = load<f32>(address(4));
  // NaN − NaN and ∞ − ∞ are NaN: a step that is not finite changes nothing.
  if (norm - norm != 0) return;
  const clip = clipFactor(norm, load<f32>(address(5), 12));
  const count = integer(0);
  for (let i = claim(1); i < count; i = claim(1)) step(<usize>integer(6 + 3 * i) << 2, integer(7 + 3 * i), integer(8 + 3 * i), clip);
}

/** Bytes of a region of floats, in whole vectors. */
// @ts-ignore: decorator
@inline
function bytesOf(floats: i32): usize {
  return (<usize>floats << 2) + 15 & ~15;
}

function step(first: usize, rows: i32, columns: i32, clip: f32): void {
  const settings = address(5);
  const rate = load<f32>(settings);
  const momentum = load<f32>(settings, 4);
  const keep: f32 = 1 - rate * load<f32>(settings, 8);
  const m = min(rows, columns);
  const n = max(rows, columns);
  const x = scratch;
  const rowBytes: usize = rows > columns ? 4 : <usize>n << 2;
  const columnBytes: usize = rows > columns ? <usize>n << 2 : 4;
  let at = first;
  for (let r = 0; r < rows; r++) {
    let to = x + <usize>r * rowBytes;
    for (let c = 0; c < columns; c++, at += 4, to += columnBytes) {
      const g: f32 = load<f32>(address(2) + at) * clip;
      const average: f32 = momentum * load<f32>(address(3) + at) + (1 - momentum) * g;
      store<f32>(address(3) + at, average);
      store<f32>(to, momentum * average + (1 - momentum) * g);
    }
  }
  orthogonalize(x, m, n);
  const scale: f32 = rate * 0.2 * sqrt<f32>(<f32>n);
  at = first;
  for (let r = 0; r < rows; r++) {
    let from = x + <usize>r * rowBytes;
    for (let c = 0; c < columns; c++, at += 4, from += columnBytes) {
      store<f32>(address(1) + at, load<f32>(address(1) + at) * keep - scale * load<f32>(from));
    }
  }
}

/** Newton–Schulz iterations in place, m ≤ n. */
function orthogonalize(x: usize, m: i32, n: i32): void {
  const gram = x + bytesOf(m * n);
  const factor = gram + bytesOf(m * m);
  const packed = factor + bytesOf(m * m);
  const mBytes = <usize>m << 2;
  const nBytes = <usize>n << 2;
  let squares: f64 = 0;
  for (let r = 0; r < m; r++) squares += <f64>dot(x + <usize>r * nBytes, x + <usize>r * nBytes, n);
  const inverse = f32x4.splat(<f32>(1 / max(sqrt(squares), EPSILON)));
  for (let at = x; at < gram; at += 16) v128.store(at, f32x4.mul(v128.load(at), inverse));
  for (let i = 0; i < STEPS; i++) {
    square(x, m, n, packed, gram);
    square(gram, m, m, packed, factor);
    for (let at: usize = 0; at < packed - factor; at += 16) {
      const linear = f32x4.mul(f32x4.splat(B), v128.load(gram + at));
      v128.store(factor + at, fma(f32x4.splat(C), v128.load(factor + at), linear));
    }
    for (let r = 0; r < m; r++) {
      const at = factor + <usize>r * (mBytes + 4);
      store<f32>(at, load<f32>(at) + A);
    }
    for (let p = 0; p < panels(n); p++) packPanel(x, nBytes, 4, m, n, p, packed);
    multiply(factor, mBytes, packed, m, n, x, nBytes, 0, 0, 0, m, 0, panels(n));
  }
}

/** out[m, m] = rows·rowsᵀ, rows of K floats. */
function square(rows: usize, m: i32, K: i32, packed: usize, out: usize): void {
  const stride = <usize>K << 2;
  const outStride = <usize>m << 2;
  for (let c = 0; c < panels(m) * PANEL; c += 4) {
    // Columns past the last are never stored.
    const last = rows + <usize>(m - 1) * stride;
    const row = rows + <usize>c * stride;
    const panel = packed + <usize>(c / PANEL * K) * PANEL_BYTES + (<usize>(c % PANEL) << 2);
    transposeColumns(
      min(row, last), min(row + stride, last), min(row + 2 * stride, last), min(row + 3 * stride, last), K, panel, PANEL_BYTES,
    );
  }
  for (let r = 0; r < m; r += 2 * STRIP) {
    multiply(rows, stride, packed, K, m, out, outStride, 0, 0, r, min(r + 2 * STRIP, m), r / PANEL, panels(m));
  }
  for (let r = 0; r < m; r++) {
    for (let c = r + 1; c < m; c++) {
      store<f32>(out + <usize>c * outStride + (<usize>r << 2), load<f32>(out + <usize>r * outStride + (<usize>c << 2)));
    }
  }
}
