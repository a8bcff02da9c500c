/** Gated linear unit with SiLU or GELU, arXiv:2002.05202. Formulas and shapes: kernels.ts (swiglu). One thread per element. */
import { type GateActivation, GELU, type SwigluArgs, type SwigluBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';
import { EXP } from './math.ts';

/** σ(u) of a gate, and u′. */
function helpersOf(activation: GateActivation | undefined): string {
  const { linear, cubic } = GELU;
  const isGelu = activation === 'gelu_tanh';
  const inner = isGelu ? `gate * (${linear} + ${cubic} * gate * gate)` : 'gate';
  const slope = isGelu ? `${linear} + ${3 * cubic} * gate * gate` : '1.0';
  return /* wgsl */ `
${EXP}
fn share(gate: f32) -> f32 { return 1.0 / (1.0 + exp_f32(-(${inner}))); }
fn slope(gate: f32) -> f32 { return ${slope}; }`;
}

/** out = gate·σ(u)·up */
export function swiglu(recorder: Recorder, { gateUp, out, rows, activation }: SwigluArgs): void {
  elementwise(recorder, {
    label: 'swiglu',
    operands: { gate_up: read(gateUp), out: write(out) },
    rows,
    per: out,
    helpers: helpersOf(activation),
    code: /* wgsl */ `
  let gate_at = 2u * r * P.width + column;
  let gate = load_gate_up(gate_at);
  store_out(i, gate * share(gate) * load_gate_up(gate_at + P.width));`,
  });
}

/** dGate = dOut·up·σ(u)·(1 + gate·u′·(1 − σ(u)));  dUp = dOut·gate·σ(u) */
export function swigluBackward(
  recorder: Recorder,
  { gateUp, dOut, dGateUp, rows, activation }: SwigluBackwardArgs,
): void {
  elementwise(recorder, {
    label: 'swigluBackward',
    operands: { gate_up: read(gateUp), dOut: read(dOut), dGate_up: write(dGateUp) },
    rows,
    per: dOut,
    helpers: helpersOf(activation),
    code: /* wgsl */ `
  let gate_at = 2u * r * P.width + column;
  let gate = load_gate_up(gate_at);
  let up = load_gate_up(gate_at + P.width);
  let s = share(gate);
  let d = load_dOut(i);
  store_dGate_up(gate_at, d * up * s * (1.0 + gate * slope(gate) * (1.0 - s)));
  store_dGate_up(gate_at + P.width, d * gate * s);`,
  });
}
