// attentionBackward. Formulas: kernels.ts.
//
// Consecutive rows that read the same keys, each at least as far as the row before, are taken together, up to
// BLOCK_ROWS of them, one head at a time, so that everything is a product of small matrices on the micro-kernel:
//   S = Q·Kᵀ,  dP = dOut·Vᵀ            [rows × keys]
//   P = e^(scale·S − logSumExp),  dS = scale·P∘(dP − dOut·out), 0 where a row does not read a key
//   dV += Pᵀ·dOut,  dK += dSᵀ·Q,  dQ = dS·K
// Keys are numbered through both intervals. Products leave out what is 0 for a whole strip: keys after its last row's,
// rows before the first that reads its keys.
// Order: the blocks of a prefix group depend on that group alone, and each sum is one chain over keys or rows; one owner
// per prefix group and kv head.
//
// Cost a key: 5·hd multiply-adds; packing moves some 8·hd floats a row and 5·hd a key of a block.
import { address, float, integer } from './arguments';
import { packColumns, packRows, panels, PANEL_BYTES, tile, tileAlong } from './matmul';
import { chains, PANEL, STRIP, STRIP_BYTES } from './micro_kernel';
import { bytesOf } from './kept_keys';
import { fillRow } from './rows';
import { dot, exp4 } from './simd';
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
    for (let r = load<i32>(group); r < end; ) {
      const rows = rowsTogether(r, end);
      readIntervals(r, rows);
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

// @ts-ignore: decorator
@inline
function intervalOf(r: i32): usize {
  return address(4) + (<usize>r << 4);
}

/** Rows from r on that read the same keys, each at least as far as the row before. */
function rowsTogether(r: i32, groupEnd: i32): i32 {
  const first = intervalOf(r);
  const end = min(groupEnd, r + BLOCK_ROWS);
  let next = r + 1;
  for (; next < end; next++) {
    const at = intervalOf(next);
    if (load<i32>(at) != load<i32>(first) || load<i32>(at, 8) != load<i32>(first, 8)) break;
    if (load<i32>(at, 4) < load<i32>(at - 16, 4) || load<i32>(at, 12) < load<i32>(at - 16, 12)) break;
  }
  return next - r;
}

// The block at hand: first kv rows of both intervals, and how many keys its last row, which reads most, has of each.
let begin0: i32 = 0;
let begin1: i32 = 0;
let keys0: i32 = 0;
let keys1: i32 = 0;

// Where its keys and values are read: in kv itself, or widened in the scratch, one after another.
let keysAt: usize = 0;
let valuesAt: usize = 0;
let keyStride: usize = 0;
/** Rows there of the first key of either interval. */
let read0: i32 = 0;
let read1: i32 = 0;
/** What the widened ones take. */
let widenedBytes: usize = 0;

function readIntervals(r: i32, rows: i32): void {
  const last = intervalOf(r + rows - 1);
  begin0 = load<i32>(last);
  begin1 = load<i32>(last, 8);
  keys0 = max(0, load<i32>(last, 4) - begin0);
  keys1 = max(0, load<i32>(last, 12) - begin1);
}

/** Keys that row r reads of its first interval, and of its second. */
// @ts-ignore: decorator
@inline
function firstKeys(r: i32): i32 {
  return max(0, load<i32>(intervalOf(r), 4) - begin0);
}

// @ts-ignore: decorator
@inline
function secondKeys(r: i32): i32 {
  return max(0, load<i32>(intervalOf(r), 12) - begin1);
}

/** Keys of a row, counted from the block's first: one past the last that it reads. */
// @ts-ignore: decorator
@inline
function reach(r: i32): i32 {
  const second = secondKeys(r);
  return second > 0 ? keys0 + second : firstKeys(r);
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
  for (let i = 0; i < rows; i++) {
    const at = <usize>i * rowBytes;
    scoreGradients(r + i, h, first + <usize>i * stride, probabilities + at, gradients + at, across * PANEL);
  }

  const columns = panels(hd);
  packBlock(dOut, stride, rows, hd, packed);
  spread(probabilities, rowBytes, packed, r, rows, hd, dValues, kvStride);
  packBlock(q, stride, rows, hd, packed);
  spread(gradients, rowBytes, packed, r, rows, hd, dKeys, kvStride);
  packKeys(hd, packed);
  for (let i = 0; i < rows; i += STRIP) {
    const valid = min(STRIP, rows - i);
    const length = reach(r + i + valid - 1);
    packRows(gradients + <usize>i * rowBytes, rowBytes, length, valid, strip);
    const to = address(12) + first + <usize>i * stride;
    for (let p = 0; p < columns; p++) {
      const panel = packed + <usize>p * <usize>count * PANEL_BYTES;
      tile(strip, panel, length, to + <usize>p * PANEL_BYTES, stride, 0, 0, valid, hd - p * PANEL, false);
    }
  }
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
      chains(strip, panel, hd, out + <usize>i * rowBytes + <usize>p * PANEL_BYTES, rowBytes, false);
    }
  }
}

/** Scores become probabilities, and dOut·v their gradients times the scale, in place; 0 where row r does not read. */
function scoreGradients(r: i32, h: i32, at: usize, scores: usize, products: usize, padded: i32): void {
  const shared = f32x4.splat(dot(address(11) + at, address(9) + at, integer(7)));
  const logSumExp = f32x4.splat(load<f32>(address(10) + (<usize>(r * integer(5) + h) << 2)));
  const scale = f32x4.splat(float(8));
  const end = <usize>reach(r) << 2;
  for (let j: usize = 0; j < end; j += 32) {
    const p = exp4(f32x4.sub(f32x4.mul(v128.load(scores + j), scale), logSumExp));
    const p1 = exp4(f32x4.sub(f32x4.mul(v128.load(scores + j, 16), scale), logSumExp));
    const dScore = f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(products + j), shared)), scale);
    const dScore1 = f32x4.mul(f32x4.mul(p1, f32x4.sub(v128.load(products + j, 16), shared)), scale);
    v128.store(scores + j, p);
    v128.store(scores + j, p1, 16);
    v128.store(products + j, dScore);
    v128.store(products + j, dScore1, 16);
  }
  clear(scores, products, firstKeys(r), keys0);
  clear(scores, products, reach(r), padded);
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

/** Panels over the columns of a head, of the block's rows. */
function packBlock(x: usize, stride: usize, rows: i32, hd: i32, packed: usize): void {
  for (let p = 0; p < panels(hd); p++) {
    const panel = packed + <usize>p * <usize>rows * PANEL_BYTES;
    packColumns(x + <usize>p * PANEL_BYTES, stride, rows, min(PANEL, hd - p * PANEL), panel);
  }
}

/** Panels over the columns of a head, of the block's keys. */
function packKeys(hd: i32, packed: usize): void {
  for (let p = 0; p < panels(hd); p++) {
    const panel = packed + <usize>p * <usize>(keys0 + keys1) * PANEL_BYTES;
    const column = keysAt + <usize>p * PANEL_BYTES;
    const valid = min(PANEL, hd - p * PANEL);
    packColumns(column + <usize>read0 * keyStride, keyStride, keys0, valid, panel);
    packColumns(column + <usize>read1 * keyStride, keyStride, keys1, valid, panel + <usize>keys0 * PANEL_BYTES);
  }
}

/** out_j += Σ_i weights[i, j]·x_i for the keys of both intervals. */
function spread(
  weights: usize, rowBytes: usize, packed: usize, r: i32, rows: i32, hd: i32, out: usize, kvStride: usize,
): void {
  for (let part = 0; part < 2; part++) {
    const keys = part == 0 ? keys0 : keys1;
    const column = part == 0 ? weights : weights + (<usize>keys0 << 2);
    const to = out + <usize>(part == 0 ? begin0 : begin1) * kvStride;
    let from = 0;
    for (let j = 0; j < keys; j += STRIP) {
      while ((part == 0 ? firstKeys(r + from) : secondKeys(r + from)) <= j) from++;
      const valid = min(STRIP, keys - j);
      const strip = column + <usize>from * rowBytes + (<usize>j << 2);
      for (let p = 0; p < panels(hd); p++) {
        const panel = packed + (<usize>p * <usize>rows + <usize>from) * PANEL_BYTES;
        const at = to + <usize>j * kvStride + <usize>p * PANEL_BYTES;
        tileAlong(strip, rowBytes, panel, rows - from, at, kvStride, valid, hd - p * PANEL);
      }
    }
  }
}
