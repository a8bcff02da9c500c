// attentionBackward. Formulas: kernels.ts.
//
// Rows that read the same keys are taken together (attention_blocks.ts), one head at a time, so that everything is a product
// of small matrices:
//   S = Q·Kᵀ,  dP = dOut·Vᵀ            [rows × keys]
//   P = e^(scale·S − logSumExp),  dS = scale·P∘(dP − dOut·out), 0 where a row does not read a key
//   dV += Pᵀ·dOut,  dK += dSᵀ·Q,  dQ = dS·K
// Keys are numbered through both intervals. Products leave out what is 0 for a whole strip: keys after its last row's, rows
// before the first that reads its keys. S and dP need keys and values as columns, which are packed; the other three read
// rows as they lie (attention_tiles.ts), of P and dS too but for dQ. What a block reads is brought near first, all heads.
// Order: the blocks of a prefix group depend on that group alone, and each sum is one chain over keys or rows; one owner
// per prefix group and kv head.
//
// Cost a key: 5·hd multiply-adds and an exponential; packing moves some 4·hd floats a row and 4·hd a key of a block, and a
// row's dS.
import { address, float, integer } from './arguments';
import { begin0, begin1, firstKeys, isOne, keys0, keys1, reach, readIntervals, rowsTogether, secondKeys } from './attention_blocks';
import { sumRows } from './attention_tiles';
import { packRows, panels, PANEL_BYTES } from './matmul';
import { chains, PANEL, STRIP, STRIP_BYTES } from './micro_kernel';
import { bytesOf } from './kept_keys';
import { NEAR_BYTES, touchHalves, touchRows } from './near';
import { fillRow } from './rows';
import { exp4, fma, fma1, sumsOfLanes } from './simd';
import { BF16, BLOCK_ROWS, PACKED } from './sizes';
import { widen } from './stored';
import { claim, scratch, threads } from './threads';
import { transposeColumns } from './transpose';

/** Bytes of a row that one owner should write at least: where owners share a cache line, each waits for the other. */
const OWNED_BYTES: i32 = 128;

/** arguments: prefixGroupCount, prefixGroups, q, kv, intervals, H, HK, hd, scale, out, logSumExp, dOut, dQ, dKv, form of kv */
export function attentionBackward(): void {
  const groupCount = integer(0);
  const HK = integer(6);
  const atOnce = kvHeadsAtOnce(groupCount, HK);
  const parts = (HK + atOnce - 1) / atOnce;
  for (let item = claim(1); item < groupCount * parts; item = claim(1)) {
    const group = address(1) + (<usize>(item / parts) << 2);
    const first = (item % parts) * atOnce;
    const past = min(first + atOnce, HK);
    const end = load<i32>(group, 4);
    let known = 0;
    for (let r = load<i32>(group); r < end; ) {
      const rows = rowsTogether(r, end);
      readIntervals(r, rows);
      known = bringNear(r, rows, first, past, known);
      for (let kvHead = first; kvHead < past; kvHead++) attendKvHeadBackward(r, rows, kvHead);
      r += rows;
    }
  }
}

/** kv heads of a prefix group that one thread takes: all of them where the groups suffice to keep every thread at work. */
function kvHeadsAtOnce(groupCount: i32, HK: i32): i32 {
  if (groupCount >= threads << 4) return HK;
  return min(HK, max(1, OWNED_BYTES / (integer(7) << 2)));
}

// Where the block's keys and values are read: in kv itself, or widened in the scratch, one after another.
let keysAt: usize = 0;
let valuesAt: usize = 0;
let keyStride: usize = 0;
/** Rows there of the first key of either interval. */
let read0: i32 = 0;
let read1: i32 = 0;
/** What the widened ones take. */
let widenedBytes: usize = 0;

/**
 * Brings near what the block reads and writes of kv heads [first, past). Keys before kv row `known` are near; returns the row
 * before which they are now.
 */
function bringNear(r: i32, rows: i32, first: i32, past: i32, known: i32): i32 {
  const H = integer(5), HK = integer(6), hd = integer(7);
  const stride = bytesOf<f32>(H * hd);
  const bytes = bytesOf<f32>((past - first) * (H / HK) * hd);
  const kvStride = bytesOf<f32>(2 * HK * hd);
  const kvBytes = bytesOf<f32>((past - first) * hd);
  const from0 = max(begin0, known), count0 = max(0, begin0 + keys0 - from0);
  const from1 = max(begin1, known), count1 = max(0, begin1 + keys1 - from1);
  if (<usize>rows * bytes * 4 + <usize>(count0 + count1) * kvBytes * 4 > NEAR_BYTES) return known;
  const at = <usize>r * stride + bytesOf<f32>(first * (H / HK) * hd);
  let sum = touchRows(address(2) + at, stride, rows, bytes);
  sum += touchRows(address(9) + at, stride, rows, bytes);
  sum += touchRows(address(11) + at, stride, rows, bytes);
  sum += touchRows(address(12) + at, stride, rows, bytes);
  const dKv = address(13) + bytesOf<f32>(first * hd);
  sum += touchHalves(dKv + <usize>from0 * kvStride, kvStride, count0, kvBytes);
  sum += touchHalves(dKv + <usize>from1 * kvStride, kvStride, count1, kvBytes);
  // Kept as bf16 they take half.
  const less: usize = integer(14) == PACKED ? 0 : 1;
  const kv = address(3) + (bytesOf<f32>(first * hd) >> less);
  sum += touchHalves(kv + (<usize>from0 * kvStride >> less), kvStride >> less, count0, kvBytes >> less);
  sum += touchHalves(kv + (<usize>from1 * kvStride >> less), kvStride >> less, count1, kvBytes >> less);
  store<i32>(scratch, sum);
  return max(known, max(begin0 + keys0, begin1 + keys1));
}

/** All query heads that read one kv head. */
function attendKvHeadBackward(r: i32, rows: i32, kvHead: i32): void {
  const perKvHead = integer(5) / integer(6);
  if (integer(14) == PACKED) readKept(kvHead);
  else readWidened(kvHead);
  for (let h = kvHead * perKvHead; h < (kvHead + 1) * perKvHead; h++) attendBackward(r, rows, h, kvHead);
}

function readKept(kvHead: i32): void {
  const head = bytesOf<f32>(integer(7));
  keyStride = <usize>(2 * integer(6)) * head;
  keysAt = address(3) + <usize>kvHead * head;
  valuesAt = keysAt + <usize>integer(6) * head;
  read0 = begin0;
  read1 = begin1;
  widenedBytes = 0;
}

function readWidened(kvHead: i32): void {
  const hd = integer(7);
  const HK = integer(6);
  keyStride = bytesOf<f32>(hd);
  keysAt = scratch;
  valuesAt = keysAt + <usize>(keys0 + keys1) * keyStride;
  read0 = 0;
  read1 = keys0;
  widenedBytes = 2 * <usize>(keys0 + keys1) * keyStride;
  const stride = bytesOf<u16>(2 * HK * hd);
  const from = address(3) + bytesOf<u16>(kvHead * hd);
  for (let j = 0; j < keys0 + keys1; j++) {
    const key = from + <usize>(j < keys0 ? begin0 + j : begin1 + j - keys0) * stride;
    widen(BF16, key, 0, hd, keysAt + <usize>j * keyStride);
    widen(BF16, key, HK * hd, hd, valuesAt + <usize>j * keyStride);
  }
}

function attendBackward(r: i32, rows: i32, h: i32, kvHead: i32): void {
  const H = integer(5);
  const hd = integer(7);
  const head = <usize>hd << 2;
  const stride = <usize>H * head;
  const kvStride = <usize>(2 * integer(6)) * head;
  const first = (<usize>r * <usize>H + <usize>h) * head;
  const q = address(2) + first;
  const dOut = address(11) + first;
  const dKeys = address(13) + <usize>kvHead * head;
  const dValues = dKeys + <usize>integer(6) * head;

  const count = keys0 + keys1;
  const across = panels(count);
  const rowBytes = <usize>across * PANEL_BYTES;
  const strip = scratch + widenedBytes;
  const probabilities = strip + <usize>max(max(hd, BLOCK_ROWS), count) * STRIP_BYTES;
  const gradients = probabilities + <usize>BLOCK_ROWS * rowBytes;
  const packed = gradients + <usize>BLOCK_ROWS * rowBytes;

  packTransposed(keysAt, hd, count, packed);
  multiplyBlock(q, stride, packed, r, rows, hd, strip, probabilities, rowBytes);
  packTransposed(valuesAt, hd, count, packed);
  multiplyBlock(dOut, stride, packed, r, rows, hd, strip, gradients, rowBytes);
  scoreGradients(r, rows, h, first, stride, probabilities, gradients, rowBytes, strip);

  spread(probabilities, rowBytes, dOut, stride, r, rows, hd, dValues, kvStride);
  spread(gradients, rowBytes, q, stride, r, rows, hd, dKeys, kvStride);
  for (let i = 0; i < rows; i += STRIP) {
    const valid = min(STRIP, rows - i);
    const length = reach(r + i + valid - 1);
    packRows(gradients + <usize>i * rowBytes, rowBytes, length, valid, strip);
    mixKeys(strip, length, address(12) + first + <usize>i * stride, stride, valid, hd);
  }
}

/** out_i = Σ_j strip[j, i]·key_j over the first `length` keys of the block. */
function mixKeys(strip: usize, length: i32, out: usize, stride: usize, valid: i32, hd: i32): void {
  const early = min(length, keys0);
  sumRows(strip, STRIP_BYTES, keysAt + <usize>read0 * keyStride, keyStride, early, out, stride, valid, hd, false);
  if (length == early) return;
  const rest = strip + <usize>early * STRIP_BYTES;
  sumRows(rest, STRIP_BYTES, keysAt + <usize>read1 * keyStride, keyStride, length - early, out, stride, valid, hd, true);
}

/** Where key j of the block lies. */
// @ts-ignore: decorator
@inline
function keyAt(keys: usize, j: i32): usize {
  return keys + <usize>(j < keys0 ? read0 + j : read1 + j - keys0) * keyStride;
}

/** Panels of the block's keys as columns: panel p holds components 0 … hd − 1 of keys PANEL·p … PANEL·p + PANEL − 1. */
function packTransposed(keys: usize, hd: i32, count: i32, packed: usize): void {
  const last = count - 1;
  for (let j = 0; j < count; j += 4) {
    // The last key stands in for the missing ones after it: what they give is overwritten.
    transposeColumns(
      keyAt(keys, j), keyAt(keys, min(j + 1, last)),
      keyAt(keys, min(j + 2, last)), keyAt(keys, min(j + 3, last)),
      hd, packed + <usize>(j / PANEL) * <usize>hd * PANEL_BYTES + (<usize>(j % PANEL) << 2), PANEL_BYTES,
    );
  }
}

/** out[i, j] = x_i·key_j for the keys that the strip's rows read, and some after them. */
function multiplyBlock(
  x: usize, stride: usize, packed: usize, r: i32, rows: i32, hd: i32, strip: usize, out: usize, rowBytes: usize,
): void {
  for (let i = 0; i < rows; i += STRIP) {
    const valid = min(STRIP, rows - i);
    packRows(x + <usize>i * stride, stride, hd, valid, strip);
    const needed = panels(reach(r + i + valid - 1));
    for (let p = 0; p < needed; p++) {
      const panel = packed + <usize>p * <usize>hd * PANEL_BYTES;
      chains(strip, panel, hd, out + <usize>i * rowBytes + <usize>p * PANEL_BYTES, rowBytes, false, false);
    }
  }
}

/** Which of 8 lanes are among the first n: the 8 words from 8 − n on. */
const FIRST: usize = memory.data<i32>([-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Scores become probabilities, and dOut·v their gradients times the scale, in place; 0 where a row does not read a key
 * that others of its strip read, or that shares a strip of keys with its last. \`shared\` is room for a float a row.
 */
function scoreGradients(
  r: i32, rows: i32, h: i32, first: usize, stride: usize, scores: usize, products: usize, rowBytes: usize, shared: usize,
): void {
  const H = <usize>integer(5);
  const scale = f32x4.splat(float(8));
  sharedTerms(address(11) + first, address(9) + first, stride, rows, integer(7), shared);
  let sums = address(10) + (<usize>r * H + <usize>h) * 4;
  let cleared: usize = 0;
  for (let i = 0; i < rows; i++) {
    if (i % STRIP == 0) {
      const farthest = reach(r + min(i + STRIP, rows) - 1);
      cleared = min(rowBytes, <usize>(farthest + STRIP + 6 & ~7) << 2);
    }
    const n = reach(r + i);
    const sum = v128.load32_splat(sums);
    const own = v128.load32_splat(shared);
    let j: usize = 0;
    for (let left = n; left > 0; left -= 8, j += 32) {
      const mask = FIRST + (<usize>(8 - min(left, 8)) << 2);
      // All loads before the first store, or an engine that fuses pairs takes them one by one.
      const low = v128.load(mask), high = v128.load(mask, 16);
      const p = v128.and(exp4(f32x4.sub(f32x4.mul(v128.load(scores + j), scale), sum)), low);
      const p1 = v128.and(exp4(f32x4.sub(f32x4.mul(v128.load(scores + j, 16), scale), sum)), high);
      const dScore = f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(products + j), own)), scale);
      const dScore1 = f32x4.mul(f32x4.mul(p1, f32x4.sub(v128.load(products + j, 16), own)), scale);
      v128.store(scores + j, p);
      v128.store(scores + j, p1, 16);
      v128.store(products + j, v128.and(dScore, low));
      v128.store(products + j, v128.and(dScore1, high), 16);
    }
    const nothing = f32x4.splat(0);
    for (; j < cleared; j += 32) {
      v128.store(scores + j, nothing), v128.store(scores + j, nothing, 16);
      v128.store(products + j, nothing), v128.store(products + j, nothing, 16);
    }
    if (!isOne) clear(scores, products, firstKeys(r + i), keys0);
    scores += rowBytes, products += rowBytes;
    sums += H << 2, shared += 4;
  }
}

/** dOut·out of each row, four rows side by side, with the bits of \`dot\`. */
function sharedTerms(dOut: usize, out: usize, stride: usize, rows: i32, hd: i32, to: usize): void {
  const whole = <usize>(hd & ~3) << 2;
  const end = <usize>hd << 2;
  for (let i = 0; i < rows; i += 4, to += 16) {
    // The first row stands in for those past the last.
    const o1 = i + 1 < rows ? stride : 0;
    const o2 = i + 2 < rows ? stride * 2 : 0;
    const o3 = i + 3 < rows ? stride * 3 : 0;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    let x = dOut, y = out;
    for (; x < dOut + whole; x += 16, y += 16) {
      s0 = fma(v128.load(x), v128.load(y), s0);
      s1 = fma(v128.load(x + o1), v128.load(y + o1), s1);
      s2 = fma(v128.load(x + o2), v128.load(y + o2), s2);
      s3 = fma(v128.load(x + o3), v128.load(y + o3), s3);
    }
    let sums = sumsOfLanes(s0, s1, s2, s3);
    for (; x < dOut + end; x += 4, y += 4) {
      sums = f32x4(
        fma1(load<f32>(x), load<f32>(y), f32x4.extract_lane(sums, 0)),
        fma1(load<f32>(x + o1), load<f32>(y + o1), f32x4.extract_lane(sums, 1)),
        fma1(load<f32>(x + o2), load<f32>(y + o2), f32x4.extract_lane(sums, 2)),
        fma1(load<f32>(x + o3), load<f32>(y + o3), f32x4.extract_lane(sums, 3)),
      );
    }
    v128.store(to, sums);
    dOut += stride << 2, out += stride << 2;
  }
}

// @ts-ignore: decorator
@inline
function clear(scores: usize, products: usize, from: i32, to: i32): void {
  if (from >= to) return;
  const at = <usize>from << 2;
  const bytes = <usize>(to - from) << 2;
  fillRow(scores + at, 0, bytes);
  fillRow(products + at, 0, bytes);
}

/** out_j += Σ_i weights[i, j]·x_i for the keys of both intervals. */
function spread(
  weights: usize, rowBytes: usize, x: usize, stride: usize, r: i32, rows: i32, hd: i32, out: usize, kvStride: usize,
): void {
  for (let part = 0; part < 2; part++) {
    const keys = part == 0 ? keys0 : keys1;
    const column = part == 0 ? weights : weights + (<usize>keys0 << 2);
    const to = out + <usize>(part == 0 ? begin0 : begin1) * kvStride;
    let from = 0;
    for (let j = 0; j < keys; j += STRIP) {
      while ((part == 0 ? firstKeys(r + from) : secondKeys(r + from)) <= j) from++;
      const strip = column + <usize>from * rowBytes + (<usize>j << 2);
      const at = to + <usize>j * kvStride;
      sumRows(strip, rowBytes, x + <usize>from * stride, stride, rows - from, at, kvStride, keys - j, hd, true);
    }
  }
}
