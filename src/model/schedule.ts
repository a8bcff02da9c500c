/**
 * The transformer's forward and backward passes, written once as a schedule of kernel calls.
 *
 *   x ─ rmsNorm ─ qkv ─ rotary ─ attention ─ out ─(+x)─ rmsNorm ─ gate/up ─ swiglu ─ down ─(+)─ next layer
 *
 * The backward is the forward read upwards: `dX` is the gradient of the residual stream and is added to in place.
 * Activations of a layer that were not kept are recomputed first, by the same calls over the same rows.
 */
import type { Kernels } from '../kernels/kernels.ts';
import { leadingRows, type Rows, type Slot } from '../kernels/memory.ts';
import { forwardBranch } from './branch.ts';
import { backwardLinear, forwardLinear, matrixOf } from './linear.ts';
import type { ForwardSlots, LayerActivations } from './memory/activations.ts';
import { isOfScoredRows, keptNames, scoredActivations } from './memory/activations.ts';
import type { PolicyPlan } from './memory/plan.ts';
import { type MadeAgain, madeAgain } from './memory/recompute.ts';
import type { BackwardSlots } from './memory/slots.ts';
import { countOf, type RotarySlots } from './memory/slots.ts';
import { asRead } from './offset_norms.ts';
import type { GradientSlots, LayerGradients, LayerSlots, ParameterSet } from './parameters.ts';
import { lowestTrainedLayer } from './parameters.ts';
import { backwardTail, forwardTail, gatherTail } from './scored/layer_tail.ts';
import { scoredGradients, scoredRoom, tailOf } from './scored/scored_rows.ts';

/** Rows that carry a loss. */
export function lossRows(plan: PolicyPlan): Rows {
  return { begin: 0, end: countOf(plan.slots.inputs, 'lossRows') };
}

/** Rows that sample a token. */
export function sampleRows(plan: PolicyPlan): Rows {
  return { begin: 0, end: countOf(plan.slots.inputs, 'samples') };
}

/** The forward pass over a batch, with each opening once. */
export function forwardBatch(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, forward: ForwardSlots): void {
  forwardLayers(kernels, plan, weights, ofBatch(plan, forward));
}

/** The pass over a batch, whose last layer needs only the scored rows. */
function ofBatch({ slots: { inputs, scored } }: PolicyPlan, forward: ForwardSlots): ForwardSlots {
  const copied = { begin: countOf(inputs, 'openingBegin'), end: countOf(inputs, 'openingEnd') };
  return { ...forward, copied, scored };
}

/** All layers over the rows of `forward`. `output` gets the result, for a batch only of its scored rows. */
export function forwardLayers(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, forward: ForwardSlots): void {
  const { inputs, layers, output, rows } = forward;
  const first = layers[0]?.input ?? output;
  const { embeddingScale: factor } = plan.shape.family ?? {};
  kernels.embedding({ tokens: inputs.tokens, table: weights.embedding, out: first, rows });
  if (factor !== undefined) kernels.scale({ out: first, factor, rows });
  asRead(weights).layers.forEach((layer, index) => {
    forwardLayer(kernels, plan, layer, forward, index);
  });
}

function forwardLayer(
  kernels: Kernels,
  plan: PolicyPlan,
  weights: LayerSlots,
  forward: ForwardSlots,
  index: number,
): void {
  forwardInside(kernels, plan, weights, forward, index);
  const { rows, out, activations } = tailOf(plan, forward, index);
  const { activated: x, middle: residual } = activations;
  const scratch = plan.slots.adapterScratch;
  forwardBranch(kernels, plan, 'down', { weights, activations }, { x, residual, out, rows, scratch });
}

/** Computes all activations of a layer that its backward reads. */
function forwardInside(
  kernels: Kernels,
  plan: PolicyPlan,
  weights: LayerSlots,
  forward: ForwardSlots,
  index: number,
): void {
  const { inputs, layers, kv: caches, rows, copied } = forward;
  const { shape } = plan;
  const { adapterScratch: scratch } = plan.slots;
  const { cos, sin } = rotaryOf(plan, index);
  const kept = layers[index] as LayerActivations;
  const kv = caches[index] as Slot;
  const eps = shape.rmsNormEps;
  kernels.rmsNorm({ x: kept.input, weight: weights.inputNorm, out: kept.inputNormed, rstd: kept.inputRstd, eps, rows });
  forwardLinear(kernels, matrixOf('qkv', weights), { x: kept.inputNormed, out: kept.qkv, rows, scratch });
  const { positions, kvRows } = inputs;
  const { qNorm, kNorm } = weights;
  kernels.rotary({ qkv: kept.qkv, positions, cos, sin, kvRows, q: kept.q, kv, qNorm, kNorm, eps, heads: shape, rows });
  if (copied) {
    // A batch that is scored in the cache has the first rows of it.
    const { openingFrom } = plan.slots.inputs;
    const count = Math.min(openingFrom.shape[0] as number, kv.shape[0] as number);
    const [index, out] = [leadingRows(openingFrom, count), leadingRows(kv, count)];
    if (count > 0) kernels.gatherRows({ x: kv, index, out, rows: copied });
  }
  const tail = tailOf(plan, forward, index);
  gatherTail(kernels, plan, kept.q, tail.q, tail);
  gatherTail(kernels, plan, kept.input, tail.residual, tail);
  forwardTail(kernels, plan, weights, kv, tail);
}

/** By what a layer's positions turn. */
function rotaryOf({ shape: { family }, slots }: PolicyPlan, layer: number): RotarySlots {
  return family?.otherRope?.layers[layer] ? (slots.otherRotary as RotarySlots) : slots;
}

/**
 * Gathers rows of `rollout` and of the cache into training rows [keptBegin, keptEnd), where they form the forward pass;
 * only scored rows for the end of the last layer and its output.
 */
export function keepRollouts(kernels: Kernels, plan: PolicyPlan, rollout: ForwardSlots, training: ForwardSlots): void {
  const { inputs } = plan.slots;
  const kvRows = { begin: countOf(inputs, 'keptKvBegin'), end: countOf(inputs, 'keptKvEnd') };
  const allRows = {
    index: inputs.keptFrom,
    rows: { begin: countOf(inputs, 'keptBegin'), end: countOf(inputs, 'keptEnd') },
  };
  const scored = {
    index: inputs.keptScoredFrom,
    rows: { begin: countOf(inputs, 'keptScoredBegin'), end: countOf(inputs, 'keptScoredEnd') },
  };
  const last = training.layers.length - 1;
  training.layers.forEach((all, layer) => {
    const to = layer === last ? scoredActivations(all, scoredRoom(plan)) : all;
    const sampled = rollout.layers[layer] as LayerActivations;
    for (const name of keptNames(plan.shape, plan.recompute)) {
      const rowSet = layer === last && isOfScoredRows(name) ? scored : allRows;
      kernels.gatherRows({ x: asRows(sampled[name] as Slot), out: asRows(to[name] as Slot), ...rowSet });
    }
    const [x, out] = [rollout.kv[layer] as Slot, training.kv[layer] as Slot];
    kernels.gatherRows({ x, index: inputs.keptKvFrom, out, rows: kvRows });
  });
  kernels.gatherRows({ x: rollout.output, out: leadingRows(training.output, scoredRoom(plan)), ...scored });
}

/** Copies rows of the cache, keys and values of every layer: row kvFrom[i] to row kvTo[i], for i < copied. */
export function copyKeysAndValues(kernels: Kernels, { slots: { inputs, sampling } }: PolicyPlan): void {
  const rows = { begin: 0, end: countOf(inputs, 'copied') };
  for (const kv of sampling.kv) kernels.gatherRows({ x: kv, index: inputs.kvFrom, places: inputs.kvTo, out: kv, rows });
}

/** A slot of one number per row, as a matrix of one column. */
export function asRows(slot: Slot): Slot {
  return slot.shape.length === 1 ? { ...slot, shape: [...slot.shape, 1] } : slot;
}

/** Final norm of the rows of `output` that `lossIndex` names, into `hidden`. */
export function forwardHead(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, output: Slot, rows: Rows): void {
  const { slots, shape } = plan;
  kernels.gatherRows({ x: output, index: slots.inputs.lossIndex, out: slots.gathered, rows });
  kernels.rmsNorm({
    x: slots.gathered,
    weight: asRead(weights).finalNorm,
    out: slots.hidden,
    rstd: slots.gatheredRstd,
    eps: shape.rmsNormEps,
    rows,
  });
  scaleLogits(kernels, plan, slots.hidden, rows);
}

/** Logits are the head's product with the final norm, which is scaled in their place; and so is its gradient. */
function scaleLogits(kernels: Kernels, { shape: { family } }: PolicyPlan, out: Slot, rows: Rows): void {
  if (family?.logitScale !== undefined) kernels.scale({ out, factor: family.logitScale, rows });
}

/** Log-prob, log-sum-exp and entropy of each loss row's target; log-probs go to `logprobs`. */
export function scoreTargets(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, logprobs: Slot): void {
  const { inputs, results, hidden } = plan.slots;
  const { temperature, logSumExp, entropies } = results;
  const rows = lossRows(plan);
  kernels.linearLogprob({
    hidden,
    weight: weights.head,
    targets: inputs.targets,
    temperature,
    logprobs,
    logSumExp,
    entropies,
    rows,
  });
}

/**
 * From `dHidden` to every gradient, added to the gradient arena. Frozen tensors have none, and the pass ends where
 * nothing below is trained.
 */
export function backwardPass(kernels: Kernels, plan: PolicyPlan): void {
  const { weights, inputs, embeddingGradient } = plan.slots;
  const { gradients, backward, training } = trainingSlots(plan);
  backwardHead(kernels, plan, gradients, backward);
  const lowest = lowestTrainedLayer(weights);
  const forward = ofBatch(plan, training);
  const { layers } = asRead(weights);
  for (let layer = weights.layers.length - 1; layer >= lowest; layer--) {
    const below = layer > lowest || gradients.embedding !== undefined;
    const own = { weights: layers[layer] as LayerSlots, gradients: gradients.layers[layer] as LayerGradients };
    backwardLayer(kernels, plan, layer, own, forward, backward, below);
  }
  const dTable = embeddingGradient ?? gradients.embedding;
  if (dTable === undefined) return;
  const { sortedRows, bucketTokens, bucketOffsets } = inputs;
  const { embeddingScale: factor } = plan.shape.family ?? {};
  if (factor !== undefined) kernels.scale({ out: backward.dX, factor, rows: training.rows });
  kernels.embeddingBackward({
    dOut: backward.dX,
    sortedRows,
    bucketTokens,
    bucketOffsets,
    buckets: countOf(inputs, 'buckets'),
    dTable,
  });
}

function trainingSlots({ slots: { gradients, backward, training } }: PolicyPlan) {
  if (gradients === undefined || backward === undefined || training === undefined)
    throw new Error('a policy planned without training has no backward');
  return { gradients, backward, training };
}

/** From derivatives by log-prob and entropy of each loss row to `dHidden`, which it overwrites. */
export function backwardTargets(kernels: Kernels, plan: PolicyPlan): void {
  const { weights, inputs, results, hidden } = plan.slots;
  const { gradients, backward } = trainingSlots(plan);
  const { temperature, logSumExp, entropies, dLogprobs, dEntropies } = results;
  kernels.linearLogprobBackward({
    hidden,
    weight: weights.head,
    targets: inputs.targets,
    temperature,
    logSumExp,
    entropies,
    dLogprobs,
    dEntropies,
    dHidden: backward.dHidden,
    dWeight: gradients.head,
    rows: lossRows(plan),
  });
}

/** From `dHidden` to the gradient of the last layer's output, for scored rows only; it overwrites `dHidden`. */
function backwardHead(kernels: Kernels, plan: PolicyPlan, gradients: GradientSlots, backward: BackwardSlots): void {
  const { weights, inputs, gathered, gatheredRstd } = plan.slots;
  const rows = lossRows(plan);
  scaleLogits(kernels, plan, backward.dHidden, rows);
  kernels.fill({ out: backward.dGathered, value: 0, rows });
  kernels.rmsNormBackward({
    x: gathered,
    weight: asRead(weights).finalNorm,
    rstd: gatheredRstd,
    dOut: backward.dHidden,
    dX: backward.dGathered,
    dWeight: gradients.finalNorm,
    rows,
  });
  kernels.gatherRowsBackward({
    dOut: backward.dGathered,
    offsets: inputs.lossOffsets,
    dX: scoredGradients(plan, backward).dX,
    rows: { begin: 0, end: countOf(inputs, 'scoredRows') },
  });
}

/** @param below  something below is trained: `dX` ends as the gradient of the layer's input */
function backwardLayer(
  kernels: Kernels,
  plan: PolicyPlan,
  index: number,
  { weights, gradients }: { readonly weights: LayerSlots; readonly gradients: LayerGradients },
  training: ForwardSlots,
  d: BackwardSlots,
  below: boolean,
): void {
  const { slots, shape } = plan;
  const { adapterScratch: scratch } = slots;
  const { rows } = training;
  const kept = training.layers[index] as LayerActivations;
  const { positions, kvRows } = slots.inputs;
  const eps = shape.rmsNormEps;
  const isWhole = plan.recompute === 'layers';
  if (isWhole) forwardInside(kernels, plan, weights, training, index);
  const isMadeAgain = (name: MadeAgain): boolean => !isWhole && madeAgain(plan.recompute).includes(name);
  backwardTail(kernels, plan, training, index, { weights, gradients, d, isMadeAgain });
  // Adds the copies' gradients to each row of an opening, by the same sum as an embedding's rows.
  const { openingRows: bucketTokens, openingCopies: sortedRows, openingOffsets: bucketOffsets } = slots.inputs;
  const buckets = countOf(slots.inputs, 'openingRows');
  if (bucketTokens.shape[0] !== 0) {
    kernels.embeddingBackward({ dOut: d.dKv, dTable: d.dKv, sortedRows, bucketTokens, bucketOffsets, buckets });
  }
  const { cos, sin } = rotaryOf(plan, index);
  const { qNorm, kNorm } = weights;
  kernels.rotaryBackward({
    qkv: kept.qkv,
    positions,
    cos,
    sin,
    kvRows,
    qNorm,
    kNorm,
    eps,
    heads: shape,
    rows,
    dQ: d.dQ,
    dKv: d.dKv,
    dQkv: d.dQkv,
    dQNorm: gradients.qNorm,
    dKNorm: gradients.kNorm,
  });
  const qkv = matrixOf('qkv', weights, gradients);
  if (isMadeAgain('inputNormed')) {
    const { input: x, inputNormed: out, inputRstd: rstd } = kept;
    kernels.rmsNorm({ x, weight: weights.inputNorm, out, rstd, eps, rows });
  }
  // Without a q/k norm the product's output is not kept: all layers share its rows.
  if (weights.adapters.qkv?.columnScale !== undefined && !shape.qkNorm && !isWhole) {
    forwardLinear(kernels, matrixOf('qkv', weights), { x: kept.inputNormed, out: kept.qkv, rows, scratch });
  }
  const wantsInput = below || gradients.inputNorm !== undefined;
  const dX = wantsInput ? d.dNormed : undefined;
  backwardLinear(kernels, qkv, {
    ...{ dOut: d.dQkv, x: kept.inputNormed, dX, rows, scratch },
    forward: { out: kept.qkv },
  });
  if (!wantsInput) return;
  kernels.rmsNormBackward({
    x: kept.input,
    weight: weights.inputNorm,
    rstd: kept.inputRstd,
    dOut: d.dNormed,
    dX: d.dX,
    dWeight: gradients.inputNorm,
    rows,
  });
}
