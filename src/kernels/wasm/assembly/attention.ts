// attention over two intervals of kv rows. Formulas: kernels.ts. Its backward is attention_backward.ts.
//
// One (row, head) at a time: scores of all its keys are in the thread's scratch (context floats), keys in the
// order of the intervals, so the sum is the same in decode and in training.
//
// Cost a key: 2·hd multiply-adds. What they wait for is each other: so four keys' dot products run side by side
// (attention_dot.ts), and sums over keys are held for up to 32 columns at once (attention_mix.ts).
import { address, float, integer } from './arguments';
import { scoreKeys } from './attention_dot';
import { mixRows } from './attention_mix';
import { exp4, larger, log1, maxLanes, sumLanes } from './simd';
import { claim, grainOf, scratch } from './threads';

/** arguments: begin, end, q, kv, intervals, H, HK, hd, scale, out, logSumExp */
export function attention(): void {
  const begin = integer(0);
  const end = integer(1);
  const grain = grainOf(end - begin, 16);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) attendRow(r);
  }
}

/** The largest of n scores, which are padded to a multiple of 8. */
function highestOf(scores: usize, n: i32): f32 {
  const padded = (n + 7) & ~7;
  for (let j = n; j < padded; j++) store<f32>(scores + (<usize>j << 2), -1e30);
  let top = v128.load(scores);
  for (let j = 4; j < padded; j += 4) top = larger(top, v128.load(scores + (<usize>j << 2)));
  return maxLanes(top);
}

/** Turns n padded scores into e^(score − highest), in place; returns their sum. */
function exponentiate(scores: usize, n: i32, highest: f32): f32 {
  const shift = f32x4.splat(highest);
  let sum = f32x4.splat(0);
  for (let j = 0; j < n; j += 8) {
    const at = scores + (<usize>j << 2);
    const low = exp4(f32x4.sub(v128.load(at), shift));
    const high = exp4(f32x4.sub(v128.load(at, 16), shift));
    v128.store(at, low);
    v128.store(at, high, 16);
    sum = f32x4.add(f32x4.add(sum, low), high);
  }
  return sumLanes(sum);
}

function attendRow(r: i32): void {
  const H = integer(5);
  const HK = integer(6);
  const hd = integer(7);
  const head = <usize>hd << 2;
  const kvStride = <usize>(2 * HK) * head;
  const interval = address(4) + (<usize>r << 4);
  const row = <usize>r * <usize>H * head;
  for (let h = 0; h < H; h++) {
    const keys = address(3) + <usize>((h * HK) / H) * head;
    const q = address(2) + row + <usize>h * head;
    const out = address(9) + row + <usize>h * head;
    const n = scoreKeys(q, keys, kvStride, interval, hd, float(8), scratch);
    let logSumExp: f32 = 0;
    let inverse: f32 = 0;
    if (n > 0) {
      const highest = highestOf(scratch, n);
      const sum = exponentiate(scratch, n, highest);
      logSumExp = highest + log1(sum);
      inverse = 1 / sum;
    }
    store<f32>(address(10) + (<usize>(r * H + h) << 2), logSumExp);
    mixRows(scratch, keys + <usize>HK * head, kvStride, interval, hd, inverse, out);
  }
}
