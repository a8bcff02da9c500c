/**
 * WGSL functions that several kernels share. Every sum that they take has one order, fixed by its length.
 *
 * exp_f32 and log_f32 are written out: WGSL allows its own exp and log errors of many units in the last place, and
 * drivers use that freedom differently. These stay below 2 units where fma is fused, and give the same bits in every
 * kernel. Polynomials: Cephes, expf and logf.
 */

/** e^x; 0 below −103, infinite above 88.8, NaN for NaN. */
export const EXP = /* wgsl */ `
fn exp_f32(x: f32) -> f32 {
  if ((bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u) { return x; }
  let bounded = clamp(x, -104.0, 89.0);
  let n = round(bounded * 1.44269504);
  let r = fma(n, 2.12194440e-4, fma(n, -0.693359375, bounded));
  var p = fma(1.9875691500e-4, r, 1.3981999507e-3);
  p = fma(p, r, 8.3334519073e-3);
  p = fma(p, r, 4.1665795894e-2);
  p = fma(p, r, 1.6666665459e-1);
  p = fma(p, r, 5.0000001201e-1);
  let e = fma(p, r * r, r) + 1.0;
  let low = i32(n) >> 1u;
  let high = i32(n) - low;
  return e * bitcast<f32>((low + 127) << 23u) * bitcast<f32>((high + 127) << 23u);
}`;

/** log x of a positive normal number; exactly 0 at 1. */
export const LOG = /* wgsl */ `
fn log_f32(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  let half = bitcast<f32>((bits & 0x007fffffu) | 0x3f000000u);
  let is_small = half < 0.70710678;
  let exponent = f32(i32(bits >> 23u) - 126 - select(0, 1, is_small));
  let m = select(half - 1.0, half + half - 1.0, is_small);
  let z = m * m;
  var p = fma(7.0376836292e-2, m, -1.1514610310e-1);
  p = fma(p, m, 1.1676998740e-1);
  p = fma(p, m, -1.2420140846e-1);
  p = fma(p, m, 1.4249322787e-1);
  p = fma(p, m, -1.6668057665e-1);
  p = fma(p, m, 2.0000714765e-1);
  p = fma(p, m, -2.4999993993e-1);
  p = fma(p, m, 3.3333331174e-1);
  var y = fma(exponent, -2.12194440e-4, p * m * z);
  y = fma(z, -0.5, y);
  return fma(exponent, 0.693359375, m + y);
}`;

/** Elements whose loads are under way at once: one after the other they would each wait for memory. */
const AHEAD = 8;

/**
 * WGSL: a loop of one invocation over the numbers `from` to `to` that folds them in order; `loads` are expressions of
 * `index`, `fold` the statement that uses them by name, and `index` too where it needs it.
 */
export function foldInOrder({
  index,
  from,
  to,
  loads,
  fold,
  ahead: count = AHEAD,
}: {
  readonly index: string;
  readonly from: string;
  readonly to: string;
  readonly loads: Readonly<Record<string, string>>;
  readonly fold: string;
  /** Loads that are under way at once; 1 for a plain loop, whose text is short. */
  readonly ahead?: number;
}): string {
  const ahead = Array.from({ length: count }, (_, i) => i);
  const names = new RegExp(`\\b(${Object.keys(loads).join('|')})\\b`, 'g');
  const at = (text: string, place: number): string =>
    text.replace(new RegExp(`\\b${index}\\b`, 'g'), place === 0 ? index : `(${index} + ${place}u)`);
  const loaded = (i: number): string =>
    Object.entries(loads)
      .map(([name, load]) => `let ${name}_${i} = ${at(load, i)};`)
      .join(' ');
  const folded = (i: number): string => at(fold.replace(names, `$1_${i}`), i);
  const inBlocks = /* wgsl */ `
    for (; ${index} + ${count - 1}u < ${to}; ${index} += ${count}u) {
      ${ahead.map(loaded).join('\n      ')}
      ${ahead.map(folded).join('\n      ')}
    }`;
  return /* wgsl */ `{
    var ${index} = ${from};${count > 1 ? inBlocks : ''}
    for (; ${index} < ${to}; ${index}++) { ${loaded(0)} ${folded(0)} }
  }`;
}
