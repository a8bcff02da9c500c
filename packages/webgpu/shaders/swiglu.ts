/** Gated linear unit with SiLU, arXiv:2002.05202. Formulas and shapes: kernels.ts (swiglu). One thread per element. */
import type { SwigluArgs, SwigluBackwardArgs } from '../../../src/kernels/kernels.ts';
import type { Recorder } from '../recorder.ts';
import { read, write } from '../recorder.ts';
import { elementwise } from './elementwise.ts';
import { EXP } from './math.ts';

const SIGMOID = /* wgsl */ `
${EXP}
fn sigmoid(x: f32) -> f32 { return 1.0 / (1.0 + exp_f32(-x)); }`;

/** out = silu(gate)·up */
export function swiglu(recorder: Recorder, { gateUp, out, rows }: SwigluArgs): void {
  elementwise(recorder, {
    label: 'swiglu',
    operands: { gate_up: read(gateUp), out: write(out) },
    rows,
    per: out,
    helpers: SIGMOID,
    code: /* wgsl */ `
  let gate_at = 2u * r * P.width + column;
  let gate = load_gate_up(gate_at);
  store_out(i, gate * sigmoid(gate) * load_gate_up(gate_at + P.width));`,
  });
}

/** dGate = dOut·up·σ(gate)·(1 + gate·(1 − σ(gate)));  dUp = dOut·silu(gate) */
export function swigluBackward(recorder: Recorder, { gateUp, dOut, dGateUp, rows }: SwigluBackwardArgs): void {
  elementwise(recorder, {
    label: 'swigluBackward',
    operands: { gate_up: read(gateUp), dOut: read(dOut), dGate_up: write(dGateUp) },
    rows,
    per: dOut,
    helpers: SIGMOID,
    code: /* wgsl */ `
  let gate_at = 2u * r * P.width + column;
  let gate = load_gate_up(gate_at);
  let up = load_gate_up(gate_at + P.width);
  let s = sigmoid(gate);
  let d = load_dOut(i);
  store_dGate_up(gate_at, d * up * s * (1.0 + gate * (1.0 - s)));
  store_dGate_up(gate_at + P.width, d * gate * s);`,
  });
}
