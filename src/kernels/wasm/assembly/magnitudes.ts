// scaleColumns, magnitudeScale and magnitudeGradient. Formulas: kernels.ts.
//
// Rows of float32 one after another; the gram matrix and A·Wᵀ are rows of r a module. scaleColumns is one pass over the rows,
// 2 to 4 floats of memory a product; magnitudeScale r² + 2r multiply-adds an output, once a step; magnitudeGradient one pass
// over three matrices, by columns of 16 (a line of each row), every column one chain over the rows in order.
import { address, float, integer } from './arguments';
import { dot, fma, fma1 } from './simd';
import { claim, grainOf } from './threads';

/** arguments: begin, end, x, scale, width, out, bias or 0, residual or 0 */
export function scaleColumns(): void {
  const begin = integer(0);
  const end = integer(1);
  const bytes = <usize>integer(4) << 2;
  const grain = grainOf(end - begin, 32);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const at = <usize>r * bytes;
      const residual = address(7);
      scaleRowBy(address(2) + at, address(3), address(5) + at, bytes, address(6), residual == 0 ? 0 : residual + at);
    }
  }
}

/** y = scale ⊙ x (+ bias) (+ residual); 0 stands for what is not added. */
function scaleRowBy(x: usize, scale: usize, y: usize, bytes: usize, bias: usize, residual: usize): void {
  const whole = bytes & ~15;
  let at: usize = 0;
  for (; at < whole; at += 16) {
    let value = f32x4.mul(v128.load(scale + at), v128.load(x + at));
    if (bias != 0) value = f32x4.add(value, v128.load(bias + at));
    if (residual != 0) value = f32x4.add(value, v128.load(residual + at));
    v128.store(y + at, value);
  }
  for (; at < bytes; at += 4) {
    let value: f32 = load<f32>(scale + at) * load<f32>(x + at);
    if (bias != 0) value = value + load<f32>(bias + at);
    if (residual != 0) value = value + load<f32>(residual + at);
    store<f32>(y + at, value);
  }
}

/** arguments: outputs, r, magnitude, baseNorms, loraB, products, their width, gram, its width, factor, scale */
export function magnitudeScale(): void {
  const outputs = integer(0);
  const rank = integer(1);
  const stride = <usize>integer(6) << 2;
  const gramStride = <usize>integer(8) << 2;
  const factor = float(9);
  for (let i = claim(16); i < outputs; i = claim(16)) {
    const last = min(i + 16, outputs);
    for (let o = i; o < last; o++) {
      const at = <usize>o << 2;
      const row = address(4) + at * <usize>rank;
      let once: f32 = 0;
      let twice: f32 = 0;
      for (let k = 0; k < rank; k++) {
        const b = load<f32>(row + (<usize>k << 2));
        once = fma1(b, load<f32>(address(5) + <usize>k * stride + at), once);
        twice = fma1(b, dot(address(7) + <usize>k * gramStride, row, rank), twice);
      }
      const base = load<f32>(address(3) + at);
      const squared: f32 = base * base + factor * (2 * once + factor * twice);
      store<f32>(address(10) + at, squared > 0 ? load<f32>(address(2) + at) / sqrt<f32>(squared) : 1);
    }
  }
}

/** arguments: begin, end, dOut, out, bias or 0, residual or 0, their width, outputs, magnitude, dMagnitude */
export function magnitudeGradient(): void {
  const outputs = integer(7);
  for (let i = claim(16); i < outputs; i = claim(16)) {
    const last = min(i + 16, outputs);
    let o = i;
    for (; o + 4 <= last; o += 4) columnsOfFour(<usize>o << 2);
    for (; o < last; o++) columnAlone(<usize>o << 2);
  }
}

/** Four columns, from byte `at` of a row on. */
function columnsOfFour(at: usize): void {
  const stride = <usize>integer(6) << 2;
  const magnitude = v128.load(address(8) + at);
  const isNone = f32x4.eq(magnitude, f32x4.splat(0));
  const inverse = v128.andnot(f32x4.div(f32x4.splat(1), magnitude), isNone);
  const bias = address(4) == 0 ? f32x4.splat(0) : v128.load(address(4) + at);
  const first = <usize>integer(0) * stride + at;
  const last = <usize>integer(1) * stride + at;
  const dOut = address(2), out = address(3), residual = address(5);
  let sum = v128.load(address(9) + at);
  for (let row = first; row < last; row += stride) {
    let value = v128.load(out + row);
    if (residual != 0) value = f32x4.sub(value, v128.load(residual + row));
    value = f32x4.mul(f32x4.sub(value, bias), inverse);
    sum = fma(v128.load(dOut + row), value, sum);
  }
  v128.store(address(9) + at, sum);
}

/** The same for one. */
function columnAlone(at: usize): void {
  const stride = <usize>integer(6) << 2;
  const magnitude = load<f32>(address(8) + at);
  if (magnitude == 0) return;
  const inverse: f32 = 1 / magnitude;
  const bias: f32 = address(4) == 0 ? 0 : load<f32>(address(4) + at);
  const first = <usize>integer(0) * stride + at;
  const last = <usize>integer(1) * stride + at;
  let sum = load<f32>(address(9) + at);
  for (let row = first; row < last; row += stride) {
    let value = load<f32>(address(3) + row);
    if (address(5) != 0) value = value - load<f32>(address(5) + row);
    sum = fma1(load<f32>(address(2) + row), (value - bias) * inverse, sum);
  }
  store<f32>(address(9) + at, sum);
}
