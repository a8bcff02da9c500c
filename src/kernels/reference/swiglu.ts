/** Gated linear unit with SiLU or GELU, arXiv:2002.05202. Formulas and shapes: kernels.ts (swiglu). */
import { type GateActivation, GELU } from '../kernels.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** out = gate·σ(u)·up */
export const swiglu: ReferenceKernel<'swiglu'> = {
  rules: () => ({ gateUp: real('N', '2*F'), out: real('N', 'F'), rows: 'N' }),
  run({ gateUp, out, rows, activation }, { F }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < F; i++) {
        const gate = gateUp[r * 2 * F + i];
        const up = gateUp[r * 2 * F + F + i];
        out[r * F + i] = gate * sigmoid(inner(gate, activation).u) * up;
      }
    }
  },
};

/** dGate = dOut·up·σ(u)·(1 + gate·u′·(1 − σ(u)));  dUp = dOut·gate·σ(u) */
export const swigluBackward: ReferenceKernel<'swigluBackward'> = {
  rules: () => ({ gateUp: real('N', '2*F'), dOut: real('N', 'F'), dGateUp: real('N', '2*F'), rows: 'N' }),
  run({ gateUp, dOut, dGateUp, rows, activation }, { F }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < F; i++) {
        const gateAt = r * 2 * F + i;
        const upAt = gateAt + F;
        const gate = gateUp[gateAt];
        const { u, slope } = inner(gate, activation);
        const sigma = sigmoid(u);
        dGateUp[gateAt] = dOut[r * F + i] * gateUp[upAt] * sigma * (1 + gate * slope * (1 - sigma));
        dGateUp[upAt] = dOut[r * F + i] * gate * sigma;
      }
    }
  },
};

/** u of a gate, and its derivative. */
function inner(gate: number, activation: GateActivation | undefined): { readonly u: number; readonly slope: number } {
  if (activation === undefined) return { u: gate, slope: 1 };
  const { linear, cubic } = GELU;
  return { u: gate * (linear + cubic * gate * gate), slope: linear + 3 * cubic * gate * gate };
}

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
