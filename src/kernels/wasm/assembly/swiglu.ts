// swiglu and its backward. Formulas: kernels.ts. Element-wise, twice four lanes at a time: the two exponentials hide each
// other's latency, and an engine that fuses neighbours takes them as one.
import { address, integer } from './arguments';
import { exp1, mostOfExp, normalExp4, ones, smaller } from './simd';
import { claim, grainOf } from './threads';

// @ts-ignore: decorator
@inline
function sigmoid4(x: v128): v128 {
  const one = ones();
  return f32x4.div(one, f32x4.add(one, normalExp4(smaller(f32x4.neg(x), mostOfExp()))));
}

// @ts-ignore: decorator
@inline
function gated(gate: v128, up: v128): v128 {
  return f32x4.mul(f32x4.mul(gate, sigmoid4(gate)), up);
}

// @ts-ignore: decorator
@inline
function sigmoid1(x: f32): f32 {
  return 1 / (1 + exp1(min<f32>(-x, 88)));
}

/** arguments: begin, end, gateUp, F, out */
export function swiglu(): void {
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
        const low = gated(v128.load(gate + at), v128.load(up + at));
        const high = gated(v128.load(gate + at, 16), v128.load(up + at, 16));
        v128.store(out + at, low);
        v128.store(out + at, high, 16);
      }
      for (; j < F; j++) {
        const at = <usize>j << 2;
        const g = load<f32>(gate + at);
        store<f32>(out + at, g * sigmoid1(g) * load<f32>(up + at));
      }
    }
  }
}

/** arguments: begin, end, gateUp, F, dOut, dGateUp */
export function swigluBackward(): void {
  const begin = integer(0);
  const end = integer(1);
  const F = integer(3);
  const grain = grainOf(end - begin, 16);
  for (let i = begin + claim(grain); i < end; i = begin + claim(grain)) {
    const last = min(i + grain, end);
    for (let r = i; r < last; r++) {
      const row = <usize>(r * F) << 3;
      swigluBackwardRow(address(2) + row, address(4) + (<usize>(r * F) << 2), address(5) + row, F);
    }
  }
}

function swigluBackwardRow(gate: usize, dOut: usize, dGate: usize, F: i32): void {
  const toUp = <usize>F << 2;
  const whole = F & ~7;
  let j = 0;
  for (; j < whole; j += 8) {
    const at = <usize>j << 2;
    const g = v128.load(gate + at), g1 = v128.load(gate + at, 16);
    const s = sigmoid4(g), s1 = sigmoid4(g1);
    const d = v128.load(dOut + at), d1 = v128.load(dOut + at, 16);
    const dUp = f32x4.mul(d, f32x4.mul(g, s)), dUp1 = f32x4.mul(d1, f32x4.mul(g1, s1));
    const ofGate = f32x4.mul(f32x4.mul(d, v128.load(gate + at + toUp)), slope4(g, s));
    const ofGate1 = f32x4.mul(f32x4.mul(d1, v128.load(gate + at + toUp, 16)), slope4(g1, s1));
    v128.store(dGate + at, ofGate);
    v128.store(dGate + at, ofGate1, 16);
    v128.store(dGate + at + toUp, dUp);
    v128.store(dGate + at + toUp, dUp1, 16);
  }
  for (; j < F; j++) {
    const at = <usize>j << 2;
    const g = load<f32>(gate + at);
    const d = load<f32>(dOut + at);
    const s = sigmoid1(g);
    store<f32>(dGate + at, d * load<f32>(gate + at + toUp) * (s * (1 + g * (1 - s))));
    store<f32>(dGate + at + toUp, d * (g * s));
  }
}

/** Derivative of g·s for s = σ(g). */
// @ts-ignore: decorator
@inline
function slope4(g: v128, s: v128): v128 {
  const one = ones();
  return f32x4.mul(s, f32x4.add(one, f32x4.mul(g, f32x4.sub(one, s))));
}
