/**
 * Memory for whole distributions: log-probs of every token at each loss row. Planned only where a method asks for them; the
 * products with the head's matrix go through the kernels of any other matrix.
 */
import type { Slot } from '../../kernels/memory.ts';
import type { ParameterSet } from '../parameters.ts';
import type { ModelShape } from '../shape.ts';
import type { ArenaOf, Capacity } from './capacity.ts';

export interface DistributionSlots {
  /** [distribution rows, V] of the forward pass; then, from the host, the derivatives by them. */
  readonly logits: Slot;
  readonly backward: DistributionBackwardSlots | undefined;
}

export interface DistributionBackwardSlots {
  /** [distribution rows, D] the share of the distributions in `dHidden`. */
  readonly dHidden: Slot;
  /** Their share in the gradient of the head, kept apart so that its order does not depend on micro-batches; undefined where it is frozen. */
  readonly dHead: Slot | undefined;
}

export function distributionSlots(
  { vocabSize: V, hiddenSize: D }: ModelShape,
  { distributionRows: R = 0, training }: Capacity,
  weights: ParameterSet,
  arena: ArenaOf,
): DistributionSlots | undefined {
  if (R === 0) return undefined;
  const rows = arena('distributions', 'distributions');
  const logits = rows.slot([R, V]);
  if (!training) return { logits, backward: undefined };
  const isHeadTrained = weights.head.arena === weights.trainable.arena;
  const dHead = isHeadTrained ? arena('headGradient', 'gradients').slot(weights.head.shape) : undefined;
  return { logits, backward: { dHidden: rows.slot([R, D]), dHead } };
}
