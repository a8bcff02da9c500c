/**
 * A layer from its attention to its last product, forward and back: over all rows or, in a batch's last layer, over
 * scored rows (`scored_rows.ts`).
 */
import type { Kernels } from '../../kernels/kernels.ts';
import type { Slot } from '../../kernels/memory.ts';
import { backwardBranch, forwardBranch } from '../branch.ts';
import { backwardLinear, forwardLinear, matrixOf } from '../linear.ts';
import type { ForwardSlots, LayerActivations } from '../memory/activations.ts';
import type { PolicyPlan } from '../memory/plan.ts';
import type { MadeAgain } from '../memory/recompute.ts';
import type { BackwardSlots } from '../memory/slots.ts';
import { countOf } from '../memory/slots.ts';
import type { LayerGradients, LayerSlots } from '../parameters.ts';
import { attentionScale } from '../shape.ts';
import type { LayerTail } from './scored_rows.ts';
import { scoredGradients, tailOf } from './scored_rows.ts';

/** From queries, keys and values to what the layer's last product reads. */
export function forwardTail(kernels: Kernels, plan: PolicyPlan, weights: LayerSlots, kv: Slot, tail: LayerTail): void {
  const { adapterScratch: scratch } = plan.slots;
  const { rmsNormEps: eps } = plan.shape;
  const { rows, q, residual, intervals } = tail;
  const { attention, logSumExp, middle, middleNormed, middleRstd, gateUp, activated } = tail.activations;
  const scale = attentionScale(plan.shape);
  kernels.attention({ q, kv, intervals, out: attention, logSumExp, scale, heads: plan.shape, rows });
  const half = { weights, activations: tail.activations };
  forwardBranch(kernels, plan, 'attentionOutput', half, { x: attention, residual, out: middle, rows, scratch });

  kernels.rmsNorm({ x: middle, weight: weights.feedForwardNorm, out: middleNormed, rstd: middleRstd, eps, rows });
  forwardLinear(kernels, matrixOf('gateUp', weights), { x: middleNormed, out: gateUp, rows, scratch });
  kernels.swiglu({ gateUp, out: activated, activation: plan.shape.family?.activation, rows });
}

/** Gathers the rows of `x` that the tail works on into `to`, unless it works on all. */
export function gatherTail(kernels: Kernels, { slots }: PolicyPlan, x: Slot, to: Slot, tail: LayerTail): void {
  if (!tail.isScored) return;
  kernels.gatherRows({ x, index: slots.inputs.scoredIndex, out: to, rows: tail.rows });
}

/** What a layer's backward pass reads besides the forward pass's slots. */
export interface TailBackward {
  readonly weights: LayerSlots;
  readonly gradients: LayerGradients;
  readonly d: BackwardSlots;
  readonly isMadeAgain: (name: MadeAgain) => boolean;
}

/**
 * From the gradient of the layer's output to `dQ` and `dKv`, and to that of the residual stream at its input, of all
 * rows. In the last layer the output's gradient covers scored rows, in the slots of `scoredGradients`.
 */
export function backwardTail(
  kernels: Kernels,
  plan: PolicyPlan,
  forward: ForwardSlots,
  index: number,
  { weights, gradients, d: whole, isMadeAgain }: TailBackward,
): void {
  const { inputs, adapterScratch: scratch } = plan.slots;
  const { rmsNormEps: eps } = plan.shape;
  const kept = forward.layers[index] as LayerActivations;
  const tail = tailOf(plan, forward, index);
  const { rows, intervals, prefixGroups, activations, isScored } = tail;
  const { attention, logSumExp, middle, middleNormed, middleRstd, gateUp, activated } = activations;
  const d = isScored ? scoredGradients(plan, whole) : whole;

  const activation = plan.shape.family?.activation;
  const half = { weights, activations, gradients, dBranch: d.dNormed };
  if (isMadeAgain('activated')) kernels.swiglu({ gateUp, out: activated, activation, rows });
  backwardBranch(kernels, plan, 'down', half, {
    ...{ dOut: d.dX, x: activated, dX: d.dActivated, rows, scratch },
    forward: { out: tail.out, residual: middle },
  });
  kernels.swigluBackward({ gateUp, dOut: d.dActivated, dGateUp: d.dGateUp, activation, rows });
  if (isMadeAgain('middleNormed')) {
    const norm = { x: middle, out: middleNormed, rstd: middleRstd };
    kernels.rmsNorm({ ...norm, weight: weights.feedForwardNorm, eps, rows });
  }
  backwardLinear(kernels, matrixOf('gateUp', weights, gradients), {
    ...{ dOut: d.dGateUp, x: middleNormed, dX: d.dNormed, rows, scratch },
    forward: { out: gateUp },
  });
  kernels.rmsNormBackward({
    x: middle,
    weight: weights.feedForwardNorm,
    rstd: middleRstd,
    dOut: d.dNormed,
    dX: d.dX,
    dWeight: gradients.feedForwardNorm,
    rows,
  });

  // Only magnitudes read the product's residual.
  if (weights.adapters.attentionOutput?.columnScale !== undefined) {
    gatherTail(kernels, plan, kept.input, tail.residual, tail);
  }
  backwardBranch(kernels, plan, 'attentionOutput', half, {
    ...{ dOut: d.dX, x: attention, dX: d.dAttention, rows, scratch },
    forward: { out: middle, residual: tail.residual },
  });
  kernels.fill({ out: d.dKv, value: 0, rows: { begin: 0, end: countOf(inputs, 'kvRows') } });
  gatherTail(kernels, plan, kept.q, tail.q, tail);
  kernels.attentionBackward({
    q: tail.q,
    kv: forward.kv[index] as Slot,
    intervals,
    out: attention,
    logSumExp,
    scale: attentionScale(plan.shape),
    heads: plan.shape,
    dOut: d.dAttention,
    prefixGroups,
    prefixGroupCount: countOf(inputs, 'prefixGroups'),
    dQ: d.dQ,
    dKv: d.dKv,
  });
  if (!isScored) return;
  const { scoredOffsets: offsets } = inputs;
  kernels.gatherRowsBackward({ dOut: d.dX, offsets, dX: whole.dX, rows: forward.rows });
  kernels.gatherRowsBackward({ dOut: d.dQ, offsets, dX: whole.dQ, rows: forward.rows });
}
