/**
 * How the halves of a layer, attention and feed-forward, reach the residual stream: b = x·Wᵀ is what the last product of
 * a half gives.
 *
 *   Llama      out = residual + b
 *   Gemma      out = residual + norm(b)      `branchNorms`: b and 1/rms are kept for the backward pass
 *   Granite    out = residual + scale·b      `branchScale`
 *
 * Backward: dResidual += dOut, and db = normBackward(dOut), or scale·dOut.
 */
import type { Kernels } from '../kernels/kernels.ts';
import type { Slot } from '../kernels/memory.ts';
import { type BackwardLinearArgs, backwardLinear, type ForwardLinearArgs, forwardLinear, matrixOf } from './linear.ts';
import type { LayerActivations } from './memory/activations.ts';
import type { PolicyPlan } from './memory/plan.ts';
import type { LayerGradients, LayerSlots } from './parameters.ts';

/** The half of a layer, by its last matrix. */
export type Half = 'attentionOutput' | 'down';

interface HalfSlots {
  readonly weights: LayerSlots;
  readonly activations: LayerActivations;
}

/** out = residual + the half's branch of x */
export function forwardBranch(
  kernels: Kernels,
  plan: PolicyPlan,
  half: Half,
  { weights, activations }: HalfSlots,
  args: ForwardLinearArgs & { readonly residual: Slot },
): void {
  const matrix = matrixOf(half, weights);
  const { branchScale: scale } = plan.slots;
  if (scale === undefined) {
    forwardLinear(kernels, matrix, args);
    return;
  }
  const { x, residual, out, rows, scratch } = args;
  const { raw, rstd, norm } = normOf(half, weights, activations);
  const branch = activations.branch as Slot;
  forwardLinear(kernels, matrix, { x, out: raw ?? branch, rows, scratch });
  if (raw !== undefined) {
    kernels.rmsNorm({
      x: raw,
      weight: norm as Slot,
      out: branch,
      rstd: rstd as Slot,
      eps: plan.shape.rmsNormEps,
      rows,
    });
  }
  kernels.scaleColumns({ x: branch, scale, residual, out, rows });
}

/** Gradients of the half's last matrix and norm, +=, and dX = the gradient of x. @param dBranch  [N, D] room for db */
export function backwardBranch(
  kernels: Kernels,
  plan: PolicyPlan,
  half: Half,
  {
    weights,
    activations,
    gradients,
    dBranch,
  }: HalfSlots & { readonly gradients: LayerGradients; readonly dBranch: Slot },
  args: BackwardLinearArgs & { readonly forward: Pick<ForwardLinearArgs, 'out' | 'residual'> },
): void {
  const matrix = matrixOf(half, weights, gradients);
  const { branchScale: scale } = plan.slots;
  if (scale === undefined) {
    backwardLinear(kernels, matrix, args);
    return;
  }
  const { dOut, x, rows, scratch } = args;
  const { raw, rstd, norm, dNorm } = normOf(half, weights, activations, gradients);
  const branch = raw ?? (activations.branch as Slot);
  if (raw !== undefined) {
    kernels.fill({ out: dBranch, value: 0, rows });
    const of = { x: raw, weight: norm as Slot, rstd: rstd as Slot };
    kernels.rmsNormBackward({ ...of, dOut, dX: dBranch, dWeight: dNorm, rows });
  } else {
    kernels.scaleColumns({ x: dOut, scale, out: dBranch, rows });
    // Only magnitudes read the product's output, which is not kept.
    if (matrix.adapter?.columnScale !== undefined) forwardLinear(kernels, matrix, { x, out: branch, rows, scratch });
  }
  backwardLinear(kernels, matrix, { ...args, dOut: dBranch, forward: { out: branch } });
}

function normOf(half: Half, weights: LayerSlots, activations: LayerActivations, gradients?: LayerGradients) {
  return half === 'attentionOutput'
    ? {
        raw: activations.attended,
        rstd: activations.attendedRstd,
        norm: weights.attentionBranchNorm,
        dNorm: gradients?.attentionBranchNorm,
      }
    : {
        raw: activations.fed,
        rstd: activations.fedRstd,
        norm: weights.feedForwardBranchNorm,
        dNorm: gradients?.feedForwardBranchNorm,
      };
}
