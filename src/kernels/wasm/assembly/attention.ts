// attention over two intervals of kv rows. Formulas: kernels.ts. Its backward is attention_backward.ts.
//
// One row at a time: scores of all heads and keys are in the thread's scratch, keys in the order of the intervals, so the
// sum is the same in decode and in training. Keys come before heads, as memory has them (attention_dot.ts).
//
// Cost a key: 2·hd multiply-adds. What they wait for is each other: so four keys' dot products run side by side, the
// softmax of four heads, and sums over keys are held for up to 32 columns at once (attention_mix.ts).
import { address, float, integer } from './arguments';
import { scoreKeys } from './attention_dot';
import { mixFour8, mixRows } from './attention_mix';
import { bytesOf } from './kept_keys';
import { fillRow } from './rows';
import { exp4, larger, log1, ones, sumsOfLanes } from './simd';
import { PACKED } from './sizes';
import { claim, grainOf, scratch } from './threads';

/** arguments: begin, end, q, kv, intervals, H, HK, hd, scale, out, logSumExp, form of keys and values */
export function attention(): void {
  const form = integer(11);
  const begin = integer(0);
  const end = integer(1);
  const grain = grainOf(end - begin, 16);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      if (form == PACKED) attendRow<f32>(r);
      else attendRow<u16>(r);
    }
  }
}

/** The largest of n scores in every fourth lane; they are padded with 8 that are lower. */
// @ts-ignore: decorator
@inline
function highestOf(scores: usize, n: i32): v128 {
  let top = v128.load(scores);
  for (let j = 4; j < n; j += 4) top = larger(top, v128.load(scores + (<usize>j << 2)));
  return top;
}

/** Turns n padded scores into e^(score − highest), in place; returns their sums, of every fourth. */
// @ts-ignore: decorator
@inline
function exponentiate(scores: usize, n: i32, highest: v128): v128 {
  let sum = f32x4.splat(0);
  for (let j = 0; j < n; j += 8) {
    const at = scores + (<usize>j << 2);
    const low = exp4(f32x4.sub(v128.load(at), highest));
    const high = exp4(f32x4.sub(v128.load(at, 16), highest));
    v128.store(at, low);
    v128.store(at, high, 16);
    sum = f32x4.add(f32x4.add(sum, low), high);
  }
  return sum;
}


/**
 * Softmax of four heads' n scores, whose rows are `stride` bytes apart, without the division, in place. Side by side their
 * sums become one vector, and no head waits for another one's logarithm. `results` gets their logSumExp, and then what
 * they are to be multiplied by.
 */
function exponentiateHeads(scores: usize, stride: usize, n: i32, results: usize): void {
  const s1 = scores + stride, s2 = s1 + stride, s3 = s2 + stride;
  const a = highestOf(scores, n), b = highestOf(s1, n), c = highestOf(s2, n), d = highestOf(s3, n);
  const ab = larger(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7));
  const cd = larger(v128.shuffle<f32>(c, d, 0, 2, 4, 6), v128.shuffle<f32>(c, d, 1, 3, 5, 7));
  const highest = larger(v128.shuffle<f32>(ab, cd, 0, 2, 4, 6), v128.shuffle<f32>(ab, cd, 1, 3, 5, 7));
  const sums = sumsOfLanes(
    exponentiate(scores, n, v128.shuffle<f32>(highest, highest, 0, 0, 0, 0)),
    exponentiate(s1, n, v128.shuffle<f32>(highest, highest, 1, 1, 1, 1)),
    exponentiate(s2, n, v128.shuffle<f32>(highest, highest, 2, 2, 2, 2)),
    exponentiate(s3, n, v128.shuffle<f32>(highest, highest, 3, 3, 3, 3)),
  );
  const logs = f32x4(
    log1(f32x4.extract_lane(sums, 0)), log1(f32x4.extract_lane(sums, 1)),
    log1(f32x4.extract_lane(sums, 2)), log1(f32x4.extract_lane(sums, 3)),
  );
  v128.store(results, f32x4.add(highest, logs));
  v128.store(results, f32x4.div(ones(), sums), 16);
}

/** Bytes of the results of `exponentiateHeads`. */
const RESULT_BYTES: usize = 32;

function attendRow<T>(r: i32): void {
  const H = integer(5);
  const HK = integer(6);
  const hd = integer(7);
  const head = <usize>hd << 2;
  const kept = bytesOf<T>(hd);
  const kvStride = <usize>(2 * HK) * kept;
  const interval = address(4) + (<usize>r << 4);
  const row = <usize>r * <usize>H;
  const stride = scoreStride(interval);
  const q = address(2) + row * head;
  const n = scoreKeys<T>(q, address(3), kvStride, interval, H, HK, hd, float(8), scratch + RESULT_BYTES, stride);
  for (let first = 0; first < H; first += 4) {
    let scores = scratch + RESULT_BYTES + <usize>first * stride;
    if (n > 0) exponentiateHeads(scores, stride, n, scratch);
    else fillRow(scratch, 0, RESULT_BYTES);
    const last = min(first + 4, H);
    if (hd == 8 && HK == H && last == first + 4) {
      const values = address(3) + <usize>(HK + first) * kept;
      v128.store(address(10) + ((row + <usize>first) << 2), v128.load(scratch));
      mixFour8<T>(scores, stride, values, kvStride, interval, scratch + 16, address(9) + (row + <usize>first) * head);
      continue;
    }
    for (let h = first; h < last; h++, scores += stride) {
      const result = scratch + (<usize>(h - first) << 2);
      const values = address(3) + <usize>(HK + (h * HK) / H) * kept;
      store<f32>(address(10) + ((row + <usize>h) << 2), load<f32>(result));
      mixRows<T>(scores, values, kvStride, interval, hd, load<f32>(result, 16), address(9) + (row + <usize>h) * head);
    }
  }
}

/** Bytes from a head's scores to the next one's: those of both intervals, padded. */
// @ts-ignore: decorator
@inline
function scoreStride(interval: usize): usize {
  const keys = max(0, load<i32>(interval, 4) - load<i32>(interval)) + max(0, load<i32>(interval, 12) - load<i32>(interval, 8));
  return <usize>((keys + 15) & ~7) << 2;
}
