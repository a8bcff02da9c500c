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

/** Rows whose loads are under way at once: one after the other they would each wait for memory. */
const ROWS_AHEAD = 8;

/**
 * WGSL: a loop of one invocation over rows begin() to end() that folds them in order; `loads` are expressions of the
 * row `r`, `fold` the statement that uses them by name.
 */
export function rowsAhead({
  loads,
  fold,
}: {
  readonly loads: Readonly<Record<string, string>>;
  readonly fold: string;
}) {
  const ahead = Array.from({ length: ROWS_AHEAD }, (_, i) => i);
  const names = Object.keys(loads);
  const load = (name: string, row: string): string => (loads[name] ?? '').replace(/\br\b/g, row);
  const numbered = (i: number): string => fold.replace(new RegExp(`\\b(${names.join('|')})\\b`, 'g'), `$1_${i}`);
  return /* wgsl */ `
  var row = begin();
  for (; row + ${ROWS_AHEAD - 1}u < end(); row += ${ROWS_AHEAD}u) {
    ${ahead.flatMap((i) => names.map((name) => `let ${name}_${i} = ${load(name, `(row + ${i}u)`)};`)).join('\n    ')}
    ${ahead.map(numbered).join('\n    ')}
  }
  for (; row < end(); row++) {
    ${names.map((name) => `let ${name}_0 = ${load(name, 'row')};`).join(' ')}
    ${numbered(0)}
  }`;
}
