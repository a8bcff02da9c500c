// swiglu and its backward. Formulas: kernels.ts. Element-wise, twice four lanes at a time: the two exponentials hide each
// other's latency, and an engine that fuses neighbours takes them as one. Each activation has code of its own: both are
// compiled from the same, with `isGelu` known.
import { address, integer } from './arguments';
import { exp1, mostOfExp, normalExp4, ones, smaller } from './simd';
import { claim, grainOf } from './threads';

/** GELU of kernels.ts. */
const LINEAR: f32 = 1.5957691216057308;
const CUBIC: f32 = 0.07135481627260025;

// @ts-ignore: decorator
@inline
function sigmoid4(x: v128): v128 {
  const one = ones();
  return f32x4.div(one, f32x4.add(one, normalExp4(smaller(f32x4.neg(x), mostOfExp()))));
}

/** linear + times·cubic·gate² */
// @ts-ignore: decorator
@inline
function curve4(gate: v128, times: f32): v128 {
  return f32x4.add(f32x4.splat(LINEAR), f32x4.mul(f32x4.splat(times * CUBIC), f32x4.mul(gate, gate)));
}

// @ts-ignore: decorator
@inline
function inner4(gate: v128, isGelu: bool): v128 {
  return isGelu ? f32x4.mul(gate, curve4(gate, 1)) : gate;
}

// @ts-ignore: decorator
@inline
function gated(gate: v128, up: v128, isGelu: bool): v128 {
  return f32x4.mul(f32x4.mul(gate, sigmoid4(inner4(gate, isGelu))), up);
}

// @ts-ignore: decorator
@inline
function sigmoid1(gate: f32, isGelu: bool): f32 {
  const x = isGelu ? gate * (LINEAR + CUBIC * (gate * gate)) : gate;
  return 1 / (1 + exp1(min<f32>(-x, 88)));
}

/** arguments: begin, end, gateUp, F, out, whether the activation is GELU */
export function swiglu(): void {
  if (integer(5) == 1) swigluRows(true);
  else swigluRows(false);
}

// @ts-ignore: decorator
@inline
function swigluRows(isGelu: bool): void {
  const begin = integer(0);
  const end = integer(1);
  const F = integer(3);
  const whole = F & ~7;
  const grain = grainOf(end - begin, 16);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const gate = address(2) + (<usize>(r * F) << 3);
      const up = gate + (<usize>F << 2);
      const out = address(4) + (<usize>(r * F) << 2);
      let j = 0;
      for (; j < whole; j += 8) {
        const at = <usize>j << 2;
        const low = gated(v128.load(gate + at), v128.load(up + at), isGelu);
        const high = gated(v128.load(gate + at, 16), v128.load(up + at, 16), isGelu);
        v128.store(out + at, low);
        v128.store(out + at, high, 16);
      }
      for (; j < F; j++) {
        const at = <usize>j << 2;
        const g = load<f32>(gate + at);
        store<f32>(out + at, g * sigmoid1(g, isGelu) * load<f32>(up + at));
      }
    }
  }
}

/** arguments: begin, end, gateUp, F, dOut, dGateUp, whether the activation is GELU */
export function swigluBackward(): void {
  const begin = integer(0);
  const end = integer(1);
  const F = integer(3);
  const isGelu = integer(6) == 1;
  const grain = grainOf(end - begin, 16);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const row = <usize>(r * F) << 3;
      const gate = address(2) + row, dOut = address(4) + (<usize>(r * F) << 2), dGate = address(5) + row;
      if (isGelu) swigluBackwardRow(gate, dOut, dGate, F, true);
      else swigluBackwardRow(gate, dOut, dGate, F, false);
    }
  }
}

// @ts-ignore: decorator
@inline
function swigluBackwardRow(gate: usize, dOut: usize, dGate: usize, F: i32, isGelu: bool): void {
  const toUp = <usize>F << 2;
  const whole = F & ~7;
  let j = 0;
  for (; j < whole; j += 8) {
    const at = <usize>j << 2;
    const g = v128.load(gate + at), g1 = v128.load(gate + at, 16);
    const s = sigmoid4(inner4(g, isGelu)), s1 = sigmoid4(inner4(g1, isGelu));
    const d = v128.load(dOut + at), d1 = v128.load(dOut + at, 16);
    const dUp = f32x4.mul(d, f32x4.mul(g, s)), dUp1 = f32x4.mul(d1, f32x4.mul(g1, s1));
    const ofGate = f32x4.mul(f32x4.mul(d, v128.load(gate + at + toUp)), slope4(g, s, isGelu));
    const ofGate1 = f32x4.mul(f32x4.mul(d1, v128.load(gate + at + toUp, 16)), slope4(g1, s1, isGelu));
    v128.store(dGate + at, ofGate);
    v128.store(dGate + at, ofGate1, 16);
    v128.store(dGate + at + toUp, dUp);
    v128.store(dGate + at + toUp, dUp1, 16);
  }
  for (; j < F; j++) {
    const at = <usize>j << 2;
    const g = load<f32>(gate + at);
    const d = load<f32>(dOut + at);
    const s = sigmoid1(g, isGelu);
    const turned = isGelu ? g * (LINEAR + 3 * CUBIC * (g * g)) : g;
    store<f32>(dGate + at, d * load<f32>(gate + at + toUp) * (s * (1 + turned * (1 - s))));
    store<f32>(dGate + at + toUp, d * (g * s));
  }
}

/** Derivative of g·s for s = σ(u). */
// @ts-ignore: decorator
@inline
function slope4(g: v128, s: v128, isGelu: bool): v128 {
  const one = ones();
  const turned = isGelu ? f32x4.mul(g, curve4(g, 3)) : g;
  return f32x4.mul(s, f32x4.add(one, f32x4.mul(turned, f32x4.sub(one, s))));
}
