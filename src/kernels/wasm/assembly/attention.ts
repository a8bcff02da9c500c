// attention over two intervals of kv rows, and its backward. Formulas: kernels.ts.
//
// One (row, head) at a time: scores of all its keys stand in the thread's scratch (context floats), keys in the
// order of the intervals, so the sum is the same in decode and in training. The backward walks the rows of one
// island in order for one kv head, so dK and dV have a single owner; p is recomputed from the log-sum-exp.
//
// Cost a key: 2·hd multiply-adds forward, 5·hd backward. What they wait for is each other: so four keys' dot products
// run side by side (attention_dot.ts), and sums over keys or rows are held for up to 32 columns at once
// (attention_mix.ts).
import { address, float, integer } from './arguments';
import { scoreKeys } from './attention_dot';
import { mixRows, spreadRows } from './attention_mix';
import { dot, exp4, log1, maxLanes, sumLanes } from './simd';
import { claim, grainOf, scratch, threads } from './threads';

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

/** The largest of n scores, which are padded to a multiple of 4. */
function highestOf(scores: usize, n: i32): f32 {
  const padded = (n + 3) & ~3;
  for (let j = n; j < padded; j++) store<f32>(scores + (<usize>j << 2), -1e30);
  let top = v128.load(scores);
  for (let j = 4; j < padded; j += 4) top = f32x4.max(top, v128.load(scores + (<usize>j << 2)));
  return maxLanes(top);
}

/** Turns n padded scores into e^(score − highest), in place; returns their sum. */
function exponentiate(scores: usize, n: i32, highest: f32): f32 {
  const shift = f32x4.splat(highest);
  let sum = f32x4.splat(0);
  for (let j = 0; j < n; j += 4) {
    const at = scores + (<usize>j << 2);
    const e = exp4(f32x4.sub(v128.load(at), shift));
    v128.store(at, e);
    sum = f32x4.add(sum, e);
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

/** arguments: islandCount, islands, q, kv, intervals, H, HK, hd, scale, out, logSumExp, dOut, dQ, dKv */
export function attentionBackward(): void {
  const islands = integer(0);
  const HK = integer(6);
  const perKvHead = integer(5) / HK;
  const atOnce = kvHeadsAtOnce(islands, HK);
  const parts = (HK + atOnce - 1) / atOnce;
  for (let item = claim(1); item < islands * parts; item = claim(1)) {
    const island = address(1) + (<usize>(item / parts) << 2);
    const first = (item % parts) * atOnce;
    const past = min(first + atOnce, HK);
    const end = load<i32>(island, 4);
    for (let r = load<i32>(island); r < end; r++) {
      for (let kvHead = first; kvHead < past; kvHead++) attendRowBackward(r, kvHead, perKvHead);
    }
  }
}

/** Bytes of a row that one owner should write at least: where owners share a cache line, each waits for the other. */
const OWNED_BYTES: i32 = 128;

/** kv heads of an island that one thread takes: all of them where islands suffice to keep every thread at work. */
function kvHeadsAtOnce(islands: i32, HK: i32): i32 {
  if (islands >= threads << 4) return HK;
  return min(HK, max(1, OWNED_BYTES / (integer(7) << 2)));
}

/** All query heads of a row that read one kv head. */
function attendRowBackward(r: i32, kvHead: i32, perKvHead: i32): void {
  for (let h = kvHead * perKvHead; h < (kvHead + 1) * perKvHead; h++) attendBackward(r, h, kvHead);
}

function attendBackward(r: i32, h: i32, kvHead: i32): void {
  const H = integer(5);
  const HK = integer(6);
  const hd = integer(7);
  const scale = float(8);
  const head = <usize>hd << 2;
  const kvStride = <usize>(2 * HK) * head;
  const at = (<usize>r * <usize>H + <usize>h) * head;
  const q = address(2) + at;
  const dOut = address(11) + at;
  const dQ = address(12) + at;
  const logSumExp = load<f32>(address(10) + (<usize>(r * H + h) << 2));
  const shared = dot(dOut, address(9) + at, hd);
  const keys = address(3) + <usize>kvHead * head;
  const dKeys = address(13) + <usize>kvHead * head;
  const toValue = <usize>HK * head;
  const interval = address(4) + (<usize>r << 4);
  // Two rows of scratch: q·k_j and dOut·v_j, which become dScore_j and p_j, four keys at a time.
  const n = scoreKeys(q, keys, kvStride, interval, hd, scale, scratch);
  const padded = (n + 3) & ~3;
  const gradients = scratch + (<usize>padded << 2);
  scoreKeys(dOut, keys + toValue, kvStride, interval, hd, 1, gradients);
  for (let j = n; j < padded; j++) {
    store<f32>(scratch + (<usize>j << 2), -1e30);
    store<f32>(gradients + (<usize>j << 2), 0);
  }
  for (let j = 0; j < padded; j += 4) {
    const score = scratch + (<usize>j << 2);
    const gradient = gradients + (<usize>j << 2);
    const p = exp4(f32x4.sub(v128.load(score), f32x4.splat(logSumExp)));
    const dScore = f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(gradient), f32x4.splat(shared))), f32x4.splat(scale));
    v128.store(score, dScore);
    v128.store(gradient, p);
  }
  spreadRows(scratch, q, dKeys, kvStride, interval, hd);
  spreadRows(gradients, dOut, dKeys + toValue, kvStride, interval, hd);
  mixRows(scratch, keys, kvStride, interval, hd, 1, dQ);
}
