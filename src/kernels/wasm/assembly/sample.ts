// sample: one token per row by inverse CDF from a counter-based uniform. Formula and order: kernels.ts.
//
// Scratch: blockRows rows of logits, then V probabilities, V order entries (int), V kept marks (bytes), and the bins.
//
// Nothing is sorted but the tokens of one bin.
import { address, integer } from './arguments';
import { blockOf, logits } from './linear_logprob';
import { philoxWord } from './philox';
import { exp4, log1 } from './simd';
import { SAMPLE_BIN_BYTES, SAMPLE_BINS } from './sizes';
import { logitStride, rowEntropy, rowLogSumExp, statistics, statisticsWithWeights, temper } from './softmax_row';
import { claim, scratch } from './threads';

let probabilities: usize = 0;
let order: usize = 0;
let kept: usize = 0;
let bins: usize = 0;

/**
 * arguments: begin, end, hidden, matrix, D, V, sampling, key, rolloutNumbers, counters, tokens, logprobs,
 * entropies, keptLogMass, blockRows, form
 */
export function sample(): void {
  const begin = integer(0);
  const end = integer(1);
  const V = integer(5);
  const block = integer(14);
  const form = integer(15);
  const grain = blockOf(end - begin, block, form, integer(4), V);
  const stride = logitStride(V);
  probabilities = scratch + ((<usize>block * <usize>stride) << 2);
  order = probabilities + (<usize>stride << 2);
  kept = order + (<usize>stride << 2);
  bins = kept + <usize>stride;
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    logits(address(2), address(3), form, integer(4), V, i, last, scratch, stride);
    for (let r = i; r < last; r++) sampleRow(r, scratch + ((<usize>(r - i) * <usize>stride) << 2), V);
  }
}

function sampleRow(r: i32, u: usize, V: i32): void {
  const settings = address(6);
  const temperature = load<f32>(settings);
  const greedy = temperature == 0;
  temper(u, V, greedy ? 1 : temperature);
  let token = 0;
  let keptLogMass: f32 = 0;
  if (greedy) {
    statistics(u, V);
    token = argMax(u, V);
  } else {
    statisticsWithWeights(u, V, probabilities);
    const topK = <i32>load<f32>(settings, 4);
    const topP = load<f32>(settings, 8);
    const minP = load<f32>(settings, 12);
    const total = addUp(V);
    if ((topK > 0 && topK < V) || topP < 1 || minP > 0) {
      const mass = filter(V, total, topK, topP, minP);
      if (mass < total) keptLogMass = log1(mass / total);
      token = chooseKept(V, mass * uniform(r));
    } else {
      token = choose(V, total * uniform(r));
    }
  }
  const at = <usize>r << 2;
  store<i32>(address(10) + at, token);
  store<f32>(address(11) + at, load<f32>(u + (<usize>token << 2)) - rowLogSumExp);
  store<f32>(address(12) + at, rowEntropy);
  store<f32>(address(13) + at, keptLogMass);
}

/** Uniform in [0, 1) on 24 bits. */
function uniform(r: i32): f32 {
  const number = address(8) + (<usize>r << 3);
  const word = philoxWord(
    load<u32>(address(9) + (<usize>r << 2)), load<u32>(number), load<u32>(number, 4), 0,
    load<u32>(address(7)), load<u32>(address(7), 4),
  );
  return <f32>(word >> 8) * <f32>(1.0 / 16777216.0);
}

function argMax(u: usize, V: i32): i32 {
  let best = 0;
  for (let v = 1; v < V; v++) {
    if (load<f32>(u + (<usize>v << 2)) > load<f32>(u + (<usize>best << 2))) best = v;
  }
  return best;
}

/** Weights between two of the sums that `addUp` leaves in `order`: V rounded up to whole blocks has that many bytes of it. */
const SUM_BLOCK: i32 = 64;

/** Sum of all weights in index order; `order` gets the sum before each block. */
function addUp(V: i32): f32 {
  let sum: f32 = 0;
  let to = order;
  for (let first = 0; first < V; first += SUM_BLOCK, to += 4) {
    store<f32>(to, sum);
    const end = probabilities + (<usize>min(first + SUM_BLOCK, V) << 2);
    for (let at = probabilities + (<usize>first << 2); at < end; at += 4) sum += load<f32>(at);
  }
  return sum;
}

/** First token whose cumulative weight, as `addUp` has it, exceeds `threshold`; the last of any weight where none does. */
function choose(V: i32, threshold: f32): i32 {
  let block = (V - 1) / SUM_BLOCK;
  // The sum before a block exceeds the threshold where the token is in an earlier one: sums never fall.
  while (block > 0 && load<f32>(order + (<usize>block << 2)) > threshold) block--;
  let sum = load<f32>(order + (<usize>block << 2));
  for (let v = block * SUM_BLOCK; v < V; v++) {
    sum += load<f32>(probabilities + (<usize>v << 2));
    if (sum > threshold) return v;
  }
  for (let v = V - 1; v > 0; v--) if (load<f32>(probabilities + (<usize>v << 2)) != 0) return v;
  return 0;
}

/** The same among kept tokens. */
function chooseKept(V: i32, threshold: f32): i32 {
  let sum: f32 = 0;
  let last = 0;
  for (let v = 0; v < V; v++) {
    const e = load<f32>(probabilities + (<usize>v << 2));
    if (load<u8>(kept + <usize>v) == 0 || e == 0) continue;
    sum += e;
    last = v;
    if (sum > threshold) return v;
  }
  return last;
}

/** top-k, then top-p of what is left, then min-p; marks what stays and returns its weight in index order. */
function filter(V: i32, total: f32, topK: i32, topP: f32, minP: f32): f32 {
  lastWeight = 0;
  lastIndex = V;
  const count = topK > 0 && topK < V ? topK : V;
  if (count < V || topP < 1) {
    countBins(V);
    let pool = <f64>total;
    if (count < V) pool = prefix(V, count, Infinity);
    if (topP < 1) prefix(V, count, <f64>topP * pool);
  }
  const floor = minP > 0 ? minP * largestWeight(V) : 0;
  let mass: f32 = 0;
  for (let v = 0; v < V; v++) {
    const e = load<f32>(probabilities + (<usize>v << 2));
    const stays = (e > lastWeight || (e == lastWeight && v <= lastIndex)) && e >= floor;
    store<u8>(kept + <usize>v, stays ? 1 : 0);
    if (stays) mass += e;
  }
  return mass;
}

function largestWeight(V: i32): f32 {
  let largest: f32 = 0;
  for (let v = 0; v < V; v++) largest = max(largest, load<f32>(probabilities + (<usize>v << 2)));
  return largest;
}

// A filter keeps a prefix of the tokens in order of weight, ties to the lower index; lastWeight and lastIndex are those of
// its last token. To find it, tokens are counted by the leading bits of their weight, which as integers order numbers
// from 0 to 1 as their values do, and only the bin in which the prefix ends is put in order.
const BIN_SHIFT: u32 = 20;
let lastWeight: f32 = 0;
let lastIndex: i32 = 0;

// @ts-ignore: decorator
@inline
function binOf(v: i32): i32 {
  return <i32>(load<u32>(probabilities + (<usize>v << 2)) >> BIN_SHIFT);
}

/** Tokens and weight of each bin. */
function countBins(V: i32): void {
  memory.fill(bins, 0, SAMPLE_BINS * SAMPLE_BIN_BYTES);
  for (let v = 0; v < V; v++) {
    const bin = bins + <usize>(binOf(v) * SAMPLE_BIN_BYTES);
    store<f64>(bin, load<f64>(bin) + <f64>load<f32>(probabilities + (<usize>v << 2)));
    store<i32>(bin, load<i32>(bin, 8) + 1, 8);
  }
}

/**
 * The shortest prefix that has `count` tokens or whose weight reaches `goal`; sets lastWeight and lastIndex, and returns
 * its weight. Sums are float64, over whole bins and then over the tokens of the last one.
 */
function prefix(V: i32, count: i32, goal: f64): f64 {
  let sum: f64 = 0;
  let tokens = 0;
  let bin = SAMPLE_BINS - 1;
  for (; bin > 0; bin--) {
    const at = bins + <usize>(bin * SAMPLE_BIN_BYTES);
    const after = tokens + load<i32>(at, 8);
    if (after >= count || sum + load<f64>(at) >= goal) break;
    sum += load<f64>(at);
    tokens = after;
  }
  let size = gather(V, bin);
  while (size > 0) {
    const first = load<i32>(order);
    lastIndex = first;
    lastWeight = load<f32>(probabilities + (<usize>first << 2));
    sum += <f64>lastWeight;
    tokens++;
    if (tokens >= count || sum >= goal) break;
    size--;
    store<i32>(order, load<i32>(order + (<usize>size << 2)));
    sift(0, size);
  }
  return sum;
}

/** The tokens of a bin as a heap in `order`, whose root is the first of them; returns how many they are. */
function gather(V: i32, bin: i32): i32 {
  let size = 0;
  for (let v = 0; v < V; v++) {
    if (binOf(v) != bin) continue;
    store<i32>(order + (<usize>size << 2), v);
    size++;
  }
  for (let root = size / 2 - 1; root >= 0; root--) sift(root, size);
  return size;
}

/** a before b: heavier first, ties to the lower index. */
// @ts-ignore: decorator
@inline
function before(a: i32, b: i32): bool {
  const x = load<f32>(probabilities + (<usize>a << 2));
  const y = load<f32>(probabilities + (<usize>b << 2));
  return x > y || (x == y && a < b);
}

/** Keeps the heap whose root comes first in the order. */
function sift(root: i32, size: i32): void {
  if (size == 0) return;
  const moved = load<i32>(order + (<usize>root << 2));
  while (true) {
    let child = root * 2 + 1;
    if (child >= size) break;
    let candidate = load<i32>(order + (<usize>child << 2));
    if (child + 1 < size) {
      const right = load<i32>(order + (<usize>child << 2), 4);
      if (before(right, candidate)) {
        candidate = right;
        child++;
      }
    }
    if (!before(candidate, moved)) break;
    store<i32>(order + (<usize>root << 2), candidate);
    root = child;
  }
  store<i32>(order + (<usize>root << 2), moved);
}
