// linearLogprob and its backward. Formulas: kernels.ts.
//
// Forward: a block of rows' logits is in the thread's scratch and is reduced at once; [R, V] never exists.
// Backward: blocks of CHUNK_ROWS rows; logits are recomputed, turned into dz in a shared space, and used for
// both products before the next block.
import { address, integer } from './arguments';
import { accumulateRows } from './linear';
import { panels, ROW_BLOCK, rowsAtOnce } from './matmul';
import { STRIP } from './micro_kernel';
import { product, rowBlock } from './product';
import { STORED_ROWS } from './stored_product';
import { exp4, fma, larger } from './simd';
import { CHUNK_ROWS, LONGEST_TOGETHER, PACKED } from './sizes';
import { logitStride, rowEntropy, rowLogSumExp, statistics, temper } from './softmax_row';
import { barrier, claim, grainOf, scratch, threads } from './threads';

/** arguments: begin, end, hidden, matrix, D, V, targets, temperature, logprobs, logSumExp, entropies, blockRows, form */
export function linearLogprob(): void {
  const begin = integer(0);
  const end = integer(1);
  const V = integer(5);
  const form = integer(12);
  const block = blockOf(end - begin, integer(11), form, integer(4), V);
  const stride = <usize>logitStride(V) << 2;
  const temperature = load<f32>(address(7));
  for (let i = begin + claim(block); i < end; i = begin + claim(block)) {
    const last = min(i + block, end);
    logits(address(2), address(3), form, integer(4), V, i, last, scratch, <i32>(stride >> 2));
    for (let r = i; r < last; r++) {
      const u = scratch + <usize>(r - i) * stride;
      temper(u, V, temperature);
      statistics(u, V);
      const at = <usize>r << 2;
      const target = <usize>load<i32>(address(6) + at) << 2;
      store<f32>(address(8) + at, load<f32>(u + target) - rowLogSumExp);
      store<f32>(address(9) + at, rowLogSumExp);
      store<f32>(address(10) + at, rowEntropy);
    }
  }
}

/** Bytes of a head that stays in a cache from one block of rows to the next. */
const LARGE_HEAD: i32 = 1 << 20;

/**
 * Rows of logits that a thread takes at a time: whole strips, at most `most`, fewer where the rows are few; of a head that
 * is large, or stored, as many as there are for it, since each block reads the whole head again.
 */
export function blockOf(rows: i32, most: i32, form: i32, D: i32, V: i32): i32 {
  const isSmall = form == PACKED && D * V < LARGE_HEAD >> 2;
  const wanted = isSmall ? grainOf(rows, most) : (rows + threads - 1) / threads;
  return max(STRIP, min(most, ((wanted + STRIP - 1) / STRIP) * STRIP));
}

/** Logits of rows [first, last) of `hidden`, one after another in `out`. */
export function logits(
  hidden: usize, matrix: usize, form: i32, D: i32, V: i32, first: i32, last: i32, out: usize, stride: i32,
): void {
  const bytes = <usize>D << 2;
  // The padded columns of a panel are zero weights, so whole panels can be stored; temper() overwrites them.
  product(
    hidden + <usize>first * bytes, bytes, matrix, form, D, V, stride, out, <usize>stride << 2, 0, 0,
    0, last - first, 0, panels(V),
  );
}

/**
 * arguments: begin, end, hidden, matrix, D, V, targets, temperature, logSumExp, entropies, dLogprobs, dEntropies,
 * matrix by input columns, dHidden, dWeight or 0, space for dz, space for the weight gradient, form, form by input columns
 */
export function linearLogprobBackward(): void {
  const begin = integer(0);
  const end = integer(1);
  const D = integer(4);
  const V = integer(5);
  const stride = logitStride(V);
  const form = integer(17);
  for (let first = begin; first < end; first += CHUNK_ROWS) {
    const last = min(first + CHUNK_ROWS, end);
    const rows = blockOf(last - first, form == PACKED ? rowsAtOnce(D) : STORED_ROWS, form, D, V);
    for (let i = first + claim(rows); i < last; i = first + claim(rows)) {
      const past = min(i + rows, last);
      const dz = address(15) + ((<usize>(i - first) * <usize>stride) << 2);
      logits(address(2), address(3), form, D, V, i, past, dz, stride);
      for (let r = i; r < past; r++) logitGradient(r, dz + ((<usize>(r - i) * <usize>stride) << 2), V);
    }
    barrier();
    const dHidden = address(13) + ((<usize>first * <usize>D) << 2);
    multiplyStrided(address(15), stride, address(12), integer(18), V, D, dHidden, last - first);
    barrier();
    if (address(14) == 0) continue;
    const hidden = address(2) + ((<usize>first * <usize>D) << 2);
    accumulateRows(address(15), stride, V, hidden, D, D, address(14), address(16), 0, last - first);
  }
}

/** dHidden = dz·weight, where rows of dz are `stride` floats apart. */
function multiplyStrided(dz: usize, stride: i32, matrix: usize, form: i32, V: i32, D: i32, dHidden: usize, rows: i32): void {
  const block = form == PACKED && V <= LONGEST_TOGETHER ? ROW_BLOCK : blockOf(rows, rowBlock(form, V), form, D, V);
  for (let i = claim(block); i < rows; i = claim(block)) {
    const last = min(i + block, rows);
    product(dz, <usize>stride << 2, matrix, form, V, D, D, dHidden, <usize>D << 2, 0, 0, i, last, 0, panels(D));
  }
}

/** Turns a row of logits into dz. */
function logitGradient(r: i32, row: usize, V: i32): void {
  const at = <usize>r << 2;
  const temperature = load<f32>(address(7));
  const logSumExp = f32x4.splat(load<f32>(address(8) + at));
  const entropy = f32x4.splat(load<f32>(address(9) + at));
  const dLogprob = load<f32>(address(10) + at);
  const dEntropy = f32x4.splat(load<f32>(address(11) + at));
  const T = f32x4.splat(temperature);
  const d = f32x4.splat(dLogprob);
  temper(row, V, temperature);
  const padded = logitStride(V);
  for (let v = 0; v < padded; v += 4) {
    const place = row + (<usize>v << 2);
    const logP = larger(f32x4.sub(v128.load(place), logSumExp), f32x4.splat(-1e30));
    const p = exp4(logP);
    // −p·(dLogprob + dEntropy·(log p + H)); the target's own +dLogprob follows below.
    const slope = fma(dEntropy, f32x4.add(logP, entropy), d);
    v128.store(place, f32x4.div(f32x4.neg(f32x4.mul(p, slope)), T));
  }
  const target = row + (<usize>load<i32>(address(6) + at) << 2);
  store<f32>(target, load<f32>(target) + dLogprob / temperature);
}
