/** Gated linear unit with SiLU, arXiv:2002.05202. Formulas and shapes: kernels.ts (swiglu). */
import type { ReferenceKernel } from './reference_kernel.ts';
import { real } from './shapes.ts';

/** out = silu(gate)·up */
export const swiglu: ReferenceKernel<'swiglu'> = {
  rules: () => ({ gateUp: real('N', '2*F'), out: real('N', 'F'), rows: 'N' }),
  run({ gateUp, out, rows }, { F }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < F; i++) {
        const gate = gateUp[r * 2 * F + i];
        const up = gateUp[r * 2 * F + F + i];
        out[r * F + i] = gate * sigmoid(gate) * up;
      }
    }
  },
};

/** dGate = dOut·up·σ(gate)·(1 + gate·(1 − σ(gate)));  dUp = dOut·silu(gate) */
export const swigluBackward: ReferenceKernel<'swigluBackward'> = {
  rules: () => ({ gateUp: real('N', '2*F'), dOut: real('N', 'F'), dGateUp: real('N', '2*F'), rows: 'N' }),
  run({ gateUp, dOut, dGateUp, rows }, { F }) {
    for (let r = rows.begin; r < rows.end; r++) {
      for (let i = 0; i < F; i++) {
        const gateAt = r * 2 * F + i;
        const upAt = gateAt + F;
        const gate = gateUp[gateAt];
        const sigma = sigmoid(gate);
        dGateUp[gateAt] = dOut[r * F + i] * gateUp[upAt] * sigma * (1 + gate * (1 - sigma));
        dGateUp[upAt] = dOut[r * F + i] * gate * sigma;
      }
    }
  },
};

function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
