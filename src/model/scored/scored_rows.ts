/**
 * The rows of a batch that predict a token with a loss, and where the last layer works on them.
 *
 * Only keys and values of the last layer's other rows are read, so from its attention on it works on the scored rows
 * only, forward and back. Each row's numbers are the same as among all rows: the others would add 0 to a gradient, and
 * the order of sums does not change.
 *
 *   forward    q and the residual stream of scored rows are gathered; attention to down runs over them
 *   backward   down to attention runs over them; dQ and the gradient of the residual stream are spread to all rows, 0 between
 *
 * This takes 2 gathers forward and 2 spreads back; intermediate values lie in slots that are free then.
 */
import type { Rows, Slot } from '../../kernels/memory.ts';
import { leadingRows } from '../../kernels/memory.ts';
import type { PackedBatch } from '../batch.ts';
import type { ForwardSlots, LayerActivations } from '../memory/activations.ts';
import { scoredActivations } from '../memory/activations.ts';
import type { PolicyPlan } from '../memory/plan.ts';
import type { BackwardSlots } from '../memory/slots.ts';
import { countOf } from '../memory/slots.ts';
import { queryWidth } from '../shape.ts';

/** Scored rows as the host lists them, counted from 0 in the order of the batch. */
export interface ScoredRows {
  /** [scored] the row of the batch that each is. */
  readonly index: Int32Array;
  /** [rows + 1] scored rows before each row of the batch. */
  readonly offsets: Int32Array;
  /** [scored, 2, 2] */
  readonly intervals: Int32Array;
  /** [groups + 1] first scored row of each group. */
  readonly groups: Int32Array;
  /** [loss rows] the scored row that predicts each completion token. */
  readonly lossIndex: Int32Array;
  /** [scored + 1] loss rows that each predicts. */
  readonly lossOffsets: Int32Array;
}

export function scoredRows({ rowCount, lossOffsets, intervals, prefixGroups, lossRowCount }: PackedBatch): ScoredRows {
  const offsets = new Int32Array(rowCount + 1);
  for (let row = 0; row < rowCount; row++) {
    offsets[row + 1] = offsets[row] + (lossOffsets[row + 1] > lossOffsets[row] ? 1 : 0);
  }
  const count = offsets[rowCount];
  const scored = {
    index: new Int32Array(count),
    intervals: new Int32Array(4 * count),
    lossIndex: new Int32Array(lossRowCount),
    lossOffsets: new Int32Array(count + 1),
  };
  for (let row = 0; row < rowCount; row++) {
    const at = offsets[row];
    if (offsets[row + 1] === at) continue;
    scored.index[at] = row;
    scored.intervals.set(intervals.subarray(4 * row, 4 * row + 4), 4 * at);
    scored.lossIndex.fill(at, lossOffsets[row], lossOffsets[row + 1]);
    scored.lossOffsets[at + 1] = lossOffsets[row + 1];
  }
  return { ...scored, offsets, groups: prefixGroups.map((row) => offsets[row]) };
}

/** The slots of a layer from its attention on. */
export interface LayerTail {
  readonly rows: Rows;
  readonly intervals: Slot;
  readonly prefixGroups: Slot;
  readonly q: Slot;
  /** The layer's input, which is added to what attention gives. */
  readonly residual: Slot;
  readonly activations: LayerActivations;
  readonly out: Slot;
  /** Whether it works on the scored rows, which are gathered into `q` and `residual`; else on all, where the layer left them. */
  readonly isScored: boolean;
}

/** All rows of the pass, except in the last layer of a batch. */
export function tailOf(plan: PolicyPlan, forward: ForwardSlots, layer: number): LayerTail {
  const { inputs } = plan.slots;
  const kept = forward.layers[layer] as LayerActivations;
  const out = forward.layers[layer + 1]?.input ?? forward.output;
  const { scored } = forward;
  const isNear = plan.shape.family?.window?.layers[layer] === true;
  if (scored === undefined || layer < forward.layers.length - 1) {
    return {
      rows: forward.rows,
      intervals: (isNear && forward.inputs.windowIntervals) || forward.inputs.intervals,
      prefixGroups: inputs.prefixGroups,
      q: kept.q,
      residual: kept.input,
      activations: kept,
      out,
      isScored: false,
    };
  }
  return {
    rows: { begin: 0, end: countOf(inputs, 'scoredRows') },
    intervals: (isNear && inputs.scoredWindowIntervals) || inputs.scoredIntervals,
    prefixGroups: inputs.scoredGroups,
    q: scored.q,
    residual: scored.input,
    activations: scoredActivations(kept, scoredRoom(plan)),
    out: leadingRows(out, scoredRoom(plan)),
    isScored: true,
  };
}

/** Scored rows that there is room for. */
export function scoredRoom({ slots }: PolicyPlan): number {
  return slots.inputs.scoredIndex.shape[0] as number;
}

/** Gradient slots of the scored rows; `dX` and `dQ` reuse slots that are free during the last layer's backward. */
export function scoredGradients(plan: PolicyPlan, d: BackwardSlots): BackwardSlots {
  const room = scoredRoom(plan);
  return {
    ...d,
    dX: leadingRows(d.dHidden, room),
    dNormed: leadingRows(d.dNormed, room),
    dGateUp: leadingRows(d.dGateUp, room),
    dActivated: leadingRows(d.dActivated, room),
    dAttention: leadingRows(d.dAttention, room),
    dQ: { ...d.dQkv, shape: [room, queryWidth(plan.shape)] },
  };
}
