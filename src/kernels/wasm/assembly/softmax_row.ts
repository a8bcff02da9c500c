// One row of logits over the whole vocabulary, in the thread's scratch: what the scorer and the sampler share.
//
// Both compute a row's logits with the same panels and its statistics with these functions, in one order that
// depends on V alone; so the sampler's log-prob of a token is the scorer's, bit for bit.
import { PANEL } from './micro_kernel';
import { exp4, fma, larger, log1, maxLanes, sumLanes } from './simd';

export let rowMax: f32 = 0;
export let rowLogSumExp: f32 = 0;
export let rowEntropy: f32 = 0;

/**
 * Logits that are summed before their sum is added to the others. Of 49,152 added one by one, the small ones are lost beside
 * the large: log-probs were 3e-5 too high. A vocabulary of no more than these has the sums that it always had.
 */
const SUMMED: i32 = 1024;

/** Floats between two rows of logits: V rounded up to whole panels. */
// @ts-ignore: decorator
@inline
export function logitStride(V: i32): i32 {
  return (V + PANEL - 1) & ~(PANEL - 1);
}

/** u = logits/T in place; padding becomes −1e30, whose exponential is exactly 0. */
export function temper(logits: usize, V: i32, temperature: f32): void {
  const padded = logitStride(V);
  if (temperature != 1) {
    const T = f32x4.splat(temperature);
    for (let v = 0; v < padded; v += 4) {
      const at = logits + (<usize>v << 2);
      v128.store(at, f32x4.div(v128.load(at), T));
    }
  }
  for (let v = V; v < padded; v++) store<f32>(logits + (<usize>v << 2), -1e30);
}

/** Sets rowMax, rowLogSumExp and rowEntropy = logSumExp − Σ p·u from tempered logits. */
export function statistics(u: usize, V: i32): void {
  const padded = logitStride(V);
  const shift = findMax(u, padded);
  let sum = f32x4.splat(0);
  let weighted = sum;
  for (let begin = 0; begin < padded; begin += SUMMED) {
    const end = min(padded, begin + SUMMED);
    let part = f32x4.splat(0);
    let weightedPart = part;
    for (let v = begin; v < end; v += 4) {
      const x = f32x4.sub(v128.load(u + (<usize>v << 2)), shift);
      const e = exp4(x);
      part = f32x4.add(part, e);
      weightedPart = fma(e, larger(x, f32x4.splat(-1e30)), weightedPart);
    }
    sum = f32x4.add(sum, part);
    weighted = f32x4.add(weighted, weightedPart);
  }
  setStatistics(sum, weighted);
}

/** The same, and weights[v] = e^(u − max). */
export function statisticsWithWeights(u: usize, V: i32, weights: usize): void {
  const padded = logitStride(V);
  const shift = findMax(u, padded);
  let sum = f32x4.splat(0);
  let weighted = sum;
  for (let begin = 0; begin < padded; begin += SUMMED) {
    const end = min(padded, begin + SUMMED);
    let part = f32x4.splat(0);
    let weightedPart = part;
    for (let v = begin; v < end; v += 4) {
      const at = <usize>v << 2;
      const x = f32x4.sub(v128.load(u + at), shift);
      const e = exp4(x);
      v128.store(weights + at, e);
      part = f32x4.add(part, e);
      weightedPart = fma(e, larger(x, f32x4.splat(-1e30)), weightedPart);
    }
    sum = f32x4.add(sum, part);
    weighted = f32x4.add(weighted, weightedPart);
  }
  setStatistics(sum, weighted);
}

/** Sets rowMax; returns it in all lanes. */
// @ts-ignore: decorator
@inline
function findMax(u: usize, padded: i32): v128 {
  let top = v128.load(u);
  for (let v = 4; v < padded; v += 4) top = larger(top, v128.load(u + (<usize>v << 2)));
  rowMax = maxLanes(top);
  return f32x4.splat(rowMax);
}

function setStatistics(sum: v128, weighted: v128): void {
  const total = sumLanes(sum);
  const logTotal = log1(total);
  rowLogSumExp = rowMax + logTotal;
  rowEntropy = logTotal - sumLanes(weighted) / total;
}
