/**
 * Columns scaled to magnitudes, and the magnitudes' gradient. Formulas and shapes: kernels.ts (scaleColumns).
 *
 * scaleColumns has a thread an element; the other two have one an output: r² + 2r multiply-adds over B, A·Wᵀ and A·Aᵀ once a
 * step, and a chain over the rows in order, three loads a row. Neither a root nor a quotient is exact here, so what must be
 * 1 at the start, and the norm that nothing has changed, are taken as they are.
 */
import type { MagnitudeGradientArgs, MagnitudeScaleArgs, ScaleColumnsArgs } from '../../../src/kernels/magnitudes.ts';
import type { Recorder } from '../recorder.ts';
import { flatWorkgroups, read, widthOf, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';
import { foldInOrder } from './math.ts';

/** out = scale ⊙ x (+ bias) (+ residual) */
export function scaleColumns(recorder: Recorder, { x, scale, bias, residual, out, rows }: ScaleColumnsArgs): void {
  const isInPlace = x === out;
  elementwise(recorder, {
    label: 'scaleColumns',
    operands: {
      x: isInPlace ? undefined : read(x),
      scale: read(scale),
      bias: bias && read(bias),
      residual: residual && read(residual),
      out: write(out),
    },
    rows,
    per: out,
    code: `var value = load_scale(column) * ${isInPlace ? 'load_out' : 'load_x'}(i);
  ${bias === undefined ? '' : 'value = value + load_bias(column);'}
  ${residual === undefined ? '' : 'value = value + load_residual(i);'}
  store_out(i, value);`,
  });
}

/** scale = magnitude / ‖W + s·B·A‖, by row */
export function magnitudeScale(recorder: Recorder, args: MagnitudeScaleArgs): void {
  const { magnitude, baseNorms, loraB, products, gram, firstInput, firstColumn, factor, scale } = args;
  const [outputs, rank] = loraB.shape as [number, number];
  recorder.dispatch({
    label: 'magnitudeScale',
    operands: {
      magnitude: read(magnitude),
      baseNorms: read(baseNorms),
      loraB: read(loraB),
      products: read(products),
      gram: read(gram),
      scale: write(scale),
    },
    scalars: {
      ...{ outputs, rank, stride: widthOf(products), inner: widthOf(gram), firstInput, firstColumn },
      factor: { float: factor },
    },
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let o = id.x;
  if (o >= P.outputs) { return; }
  var once = 0.0;
  var twice = 0.0;
  for (var k = 0u; k < P.rank; k++) {
    let b = load_loraB(o * P.rank + k);
    once = fma(b, load_products((P.firstInput + k) * P.stride + P.firstColumn + o), once);
    var inner = 0.0;
    for (var l = 0u; l < P.rank; l++) {
      inner = fma(load_gram((P.firstInput + k) * P.inner + P.firstInput + l), load_loraB(o * P.rank + l), inner);
    }
    twice = fma(b, inner, twice);
  }
  let base = load_baseNorms(o);
  let change = P.factor * (2.0 * once + P.factor * twice);
  let norm = select(sqrt(max(base * base + change, 0.0)), base, change == 0.0);
  let magnitude = load_magnitude(o);
  store_scale(o, select(magnitude / norm, 1.0, magnitude == norm || norm <= 0.0));
}`,
    workgroups: () => flatWorkgroups(outputs),
  });
}

/** dMagnitude += Σ_r dOut·(out − residual − bias) / magnitude */
export function magnitudeGradient(recorder: Recorder, args: MagnitudeGradientArgs): void {
  const { dOut, out, bias, residual, magnitude, firstColumn, dMagnitude } = args;
  const rows = recorder.rows(args.rows);
  const width = magnitude.shape[0] ?? 0;
  const minus = [
    ...(residual === undefined ? [] : [' - load_residual(r * P.stride + P.firstColumn + id.x)']),
    ...(bias === undefined ? [] : [' - bias']),
  ].join('');
  recorder.dispatch({
    label: 'magnitudeGradient',
    operands: {
      dOut: read(dOut),
      out: read(out),
      bias: bias && read(bias),
      residual: residual && read(residual),
      magnitude: read(magnitude),
      dMagnitude: write(dMagnitude),
    },
    counts: { begin: rows.begin, end: rows.end },
    scalars: { width, stride: widthOf(dOut), firstColumn },
    code: /* wgsl */ `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= P.width) { return; }
  let magnitude = load_magnitude(id.x);
  if (magnitude == 0.0) { return; }
  let inverse = 1.0 / magnitude;
  ${bias === undefined ? '' : 'let bias = load_bias(P.firstColumn + id.x);'}
  var sum = load_dMagnitude(id.x);
  ${foldInOrder({
    index: 'r',
    from: 'begin()',
    to: 'end()',
    loads: {
      gradient: 'load_dOut(r * P.stride + P.firstColumn + id.x)',
      scaled: `load_out(r * P.stride + P.firstColumn + id.x)${minus}`,
    },
    fold: 'sum = fma(gradient, scaled * inverse, sum);',
  })}
  store_dMagnitude(id.x, sum);
}`,
    workgroups: () => (rows.end.value > rows.begin.value ? [Math.ceil(width / 64), 1] : [0, 0]),
    work: () => (rows.end.value - rows.begin.value) * width,
  });
}
