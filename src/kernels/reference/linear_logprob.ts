/**
 * Log-probability of one target per row under a linear head with temperature, its log-sum-exp and entropy, and the
 * gradient of the first and the last. Formulas and shapes: kernels.ts (linearLogprob).
 */
import { dot } from './linear.ts';
import { logSumExpOf } from './log_sum_exp.ts';
import type { Values } from './operands.ts';
import type { ReferenceKernel } from './reference_kernel.ts';
import { int, matrix, real } from './shapes.ts';

const headOperands = () => ({
  hidden: real('R', 'D'),
  weight: matrix(['forward'], 'V', 'D'),
  targets: int('R'),
  temperature: real(1),
  logSumExp: real('R'),
  entropies: real('R'),
  rows: 'R',
});

/** u = (hidden·weightᵀ)/T;  logprobs = u[target] − logSumExp */
export const linearLogprob: ReferenceKernel<'linearLogprob'> = {
  rules: () => ({ ...headOperands(), logprobs: real('R') }),
  run(args, { D, V }) {
    const { hidden, weight, targets, temperature, logprobs, logSumExp, entropies, rows } = args;
    for (let r = rows.begin; r < rows.end; r++) {
      const u = temperedLogits(hidden.subarray(r * D, (r + 1) * D), weight, V, temperature[0]);
      logSumExp[r] = logSumExpOf(u);
      logprobs[r] = u[targets[r]] - logSumExp[r];
      entropies[r] = entropyOf(u, logSumExp[r]);
    }
  },
};

/** du_v = dLogprobs·(1[v = target] − p_v) − dEntropies·p_v·(log p_v + entropies);  dz = du/T */
export const linearLogprobBackward: ReferenceKernel<'linearLogprobBackward'> = {
  rules: () => ({
    ...headOperands(),
    weight: matrix(['forward', 'backward'], 'V', 'D'),
    dLogprobs: real('R'),
    dEntropies: real('R'),
    dHidden: real('R', 'D'),
    dWeight: real('V', 'D'),
  }),
  run(args, { D, V }) {
    const { hidden, weight, targets, temperature, logSumExp, entropies, rows } = args;
    const { dLogprobs, dEntropies, dHidden, dWeight } = args;
    for (let r = rows.begin; r < rows.end; r++) {
      const u = temperedLogits(hidden.subarray(r * D, (r + 1) * D), weight, V, temperature[0]);
      dHidden.fill(0, r * D, (r + 1) * D);
      for (let v = 0; v < V; v++) {
        const logP = u[v] - logSumExp[r];
        const p = Math.exp(logP);
        const isTarget = v === targets[r] ? 1 : 0;
        const du = dLogprobs[r] * (isTarget - p) - dEntropies[r] * p * (logP + entropies[r]);
        const dz = du / temperature[0];
        for (let i = 0; i < D; i++) {
          dHidden[r * D + i] += dz * weight[v * D + i];
          if (dWeight !== undefined) dWeight[v * D + i] += dz * hidden[r * D + i];
        }
      }
    }
  },
};

/** u = (row·weightᵀ)/T, [V] */
export function temperedLogits(row: Values, weight: Values, V: number, temperature: number): Float64Array {
  const D = row.length;
  const u = new Float64Array(V);
  for (let v = 0; v < V; v++) u[v] = dot(row, 0, weight, v * D, D) / temperature;
  return u;
}

/** logSumExp − Σ p·u, in nats */
export function entropyOf(u: Float64Array, logSumExp: number): number {
  let mean = 0;
  for (let v = 0; v < u.length; v++) mean += Math.exp(u[v] - logSumExp) * u[v];
  return logSumExp - mean;
}
