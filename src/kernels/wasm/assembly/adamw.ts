// gradientNorm and adamw over flat arenas. Formulas: kernels.ts.
import { address, integer } from './arguments';
import { fma, sumLanes } from './simd';
import { barrier, claim } from './threads';

/** Elements of a partial sum: GRADIENT_NORM_BLOCK of kernels.ts. */
const BLOCK: i32 = 1024;

/** arguments: length, gradients, partials, norm */
export function gradientNorm(): void {
  const length = integer(0);
  const blocks = (length + BLOCK - 1) / BLOCK;
  for (let b = claim(4); b < blocks; b = claim(4)) {
    const last = min(b + 4, blocks);
    for (let i = b; i < last; i++) {
      store<f32>(address(2) + (<usize>i << 2), blockSquares(address(1), i * BLOCK, min(length, (i + 1) * BLOCK)));
    }
  }
  barrier();
  if (claim(1) != 0) return;
  let sum: f64 = 0;
  for (let b = 0; b < blocks; b++) sum += <f64>load<f32>(address(2) + (<usize>b << 2));
  store<f32>(address(3), <f32>sqrt(sum));
}

function blockSquares(gradients: usize, begin: i32, end: i32): f32 {
  let sum = f32x4.splat(0);
  let i = begin;
  for (; i + 4 <= end; i += 4) {
    const g = v128.load(gradients + (<usize>i << 2));
    sum = fma(g, g, sum);
  }
  let total = sumLanes(sum);
  for (; i < end; i++) {
    const g = load<f32>(gradients + (<usize>i << 2));
    total += g * g;
  }
  return total;
}

/** arguments: length, parameters, gradients, firstMoment, secondMoment, norm, settings, decayLength */
export function adamw(): void {
  const length = integer(0);
  const norm = load<f32>(address(5));
  // NaN − NaN and ∞ − ∞ are NaN: a step that is not finite changes nothing.
  if (norm - norm != 0) return;
  const clip = clipFactor(norm, load<f32>(address(6), 28));
  const decayLength = integer(7);
  for (let first = claim(BLOCK); first < length; first = claim(BLOCK)) {
    const last = min(first + BLOCK, length);
    if (first < decayLength && last > decayLength) {
      update(first, decayLength, clip, true);
      update(decayLength, last, clip, false);
    } else {
      update(first, last, clip, last <= decayLength);
    }
  }
}

/** What gradients are multiplied by. @param most  their norm after it; 0: no clipping */
export function clipFactor(norm: f32, most: f32): f32 {
  return most > 0 ? min<f32>(1, most / (norm + 1e-6)) : 1;
}

function update(begin: i32, end: i32, clip: f32, decay: bool): void {
  const parameters = address(1);
  const gradients = address(2);
  const first = address(3);
  const second = address(4);
  const settings = address(6);
  const lr = load<f32>(settings);
  const beta1 = load<f32>(settings, 4);
  const beta2 = load<f32>(settings, 8);
  const epsilon = load<f32>(settings, 12);
  const keep: f32 = decay ? 1 - lr * load<f32>(settings, 16) : 1;
  const rate: f32 = lr / load<f32>(settings, 20);
  const rootCorrection: f32 = sqrt<f32>(load<f32>(settings, 24));
  let i = begin;
  for (; i + 4 <= end; i += 4) {
    const at = <usize>i << 2;
    const g = f32x4.mul(v128.load(gradients + at), f32x4.splat(clip));
    const m = f32x4.add(f32x4.mul(f32x4.splat(beta1), v128.load(first + at)), f32x4.mul(f32x4.splat(1 - beta1), g));
    const squared = f32x4.mul(f32x4.mul(f32x4.splat(1 - beta2), g), g);
    const v = f32x4.add(f32x4.mul(f32x4.splat(beta2), v128.load(second + at)), squared);
    v128.store(first + at, m);
    v128.store(second + at, v);
    const root = f32x4.add(f32x4.div(f32x4.sqrt(v), f32x4.splat(rootCorrection)), f32x4.splat(epsilon));
    const p = f32x4.mul(v128.load(parameters + at), f32x4.splat(keep));
    v128.store(parameters + at, f32x4.sub(p, f32x4.div(f32x4.mul(f32x4.splat(rate), m), root)));
  }
  for (; i < end; i++) {
    const at = <usize>i << 2;
    const g = load<f32>(gradients + at) * clip;
    const m = beta1 * load<f32>(first + at) + (1 - beta1) * g;
    const v = beta2 * load<f32>(second + at) + (1 - beta2) * g * g;
    store<f32>(first + at, m);
    store<f32>(second + at, v);
    const p = load<f32>(parameters + at) * keep;
    store<f32>(parameters + at, p - (rate * m) / (sqrt<f32>(v) / rootCorrection + epsilon));
  }
}
