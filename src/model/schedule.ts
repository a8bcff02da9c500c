/**
 * The transformer's forward and backward passes, written once as a schedule of kernel calls.
 *
 *   x ─ rmsNorm ─ qkv ─ rotary ─ attention ─ out ─(+x)─ rmsNorm ─ gate/up ─ swiglu ─ down ─(+)─ next layer
 *
 * The backward is the forward read upwards: `dX` is the gradient of the residual stream and is added to in place. What of a
 * layer was not kept is computed first, by the same calls over the same rows.
 */
import type { Kernels } from '../kernels/kernels.ts';
import { leadingRows, type Rows, type Slot } from '../kernels/memory.ts';
import { backwardLinear, forwardLinear, matrixOf } from './linear.ts';
import type { ForwardSlots, LayerActivations } from './memory/activations.ts';
import { keptSlots } from './memory/activations.ts';
import type { PolicyPlan } from './memory/plan.ts';
import { type MadeAgain, madeAgain } from './memory/recompute.ts';
import type { BackwardSlots } from './memory/slots.ts';
import { countOf } from './memory/slots.ts';
import type { GradientSlots, LayerGradients, LayerSlots, ParameterSet } from './parameters.ts';
import { lowestTrainedLayer } from './parameters.ts';

/** Rows that carry a loss. */
export function lossRows(plan: PolicyPlan): Rows {
  return { begin: 0, end: countOf(plan.slots.inputs, 'lossRows') };
}

/** Rows that sample a token. */
export function sampleRows(plan: PolicyPlan): Rows {
  return { begin: 0, end: countOf(plan.slots.inputs, 'samples') };
}

/** The forward pass over a batch, whose openings are there once. */
export function forwardBatch(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, forward: ForwardSlots): void {
  forwardLayers(kernels, plan, weights, { ...forward, copied: openingRows(plan) });
}

function openingRows({ slots: { inputs } }: PolicyPlan): Rows {
  return { begin: countOf(inputs, 'openingBegin'), end: countOf(inputs, 'openingEnd') };
}

/** All layers over the rows of `forward`; the result is in its `output`. */
export function forwardLayers(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, forward: ForwardSlots): void {
  const { inputs, layers, output, rows } = forward;
  const inputOf = (layer: number): Slot => layers[layer]?.input ?? output;
  kernels.embedding({ tokens: inputs.tokens, table: weights.embedding, out: inputOf(0), rows });
  weights.layers.forEach((layer, index) => {
    forwardLayer(kernels, plan, layer, forward, index, inputOf(index + 1));
  });
}

function forwardLayer(
  kernels: Kernels,
  plan: PolicyPlan,
  weights: LayerSlots,
  forward: ForwardSlots,
  index: number,
  out: Slot,
): void {
  forwardInside(kernels, plan, weights, forward, index);
  const { activated: x, middle: residual } = forward.layers[index] as LayerActivations;
  const { rows } = forward;
  forwardLinear(kernels, matrixOf('down', weights), { x, residual, out, rows, scratch: plan.slots.adapterScratch });
}

/** All activations of a layer from its input: what its backward reads. */
function forwardInside(
  kernels: Kernels,
  plan: PolicyPlan,
  weights: LayerSlots,
  { inputs, layers, kv: caches, rows, copied }: ForwardSlots,
  index: number,
): void {
  const { shape } = plan;
  const { cos, sin, adapterScratch: scratch } = plan.slots;
  const kept = layers[index] as LayerActivations;
  const kv = caches[index] as Slot;
  const eps = shape.rmsNormEps;
  kernels.rmsNorm({ x: kept.input, weight: weights.inputNorm, out: kept.inputNormed, rstd: kept.inputRstd, eps, rows });
  forwardLinear(kernels, matrixOf('qkv', weights), { x: kept.inputNormed, out: kept.qkv, rows, scratch });
  const { positions, kvRows, intervals } = inputs;
  const { qNorm, kNorm } = weights;
  kernels.rotary({ qkv: kept.qkv, positions, cos, sin, kvRows, q: kept.q, kv, qNorm, kNorm, eps, heads: shape, rows });
  if (copied) {
    // A batch that is scored in the cache has the first rows of it.
    const { openingFrom } = plan.slots.inputs;
    const count = Math.min(openingFrom.shape[0] as number, kv.shape[0] as number);
    const [index, out] = [leadingRows(openingFrom, count), leadingRows(kv, count)];
    if (count > 0) kernels.gatherRows({ x: kv, index, out, rows: copied });
  }
  const { input: residual, q, attention, logSumExp, middle, middleNormed, middleRstd } = kept;
  const scale = attentionScale(plan);
  kernels.attention({ q, kv, intervals, out: attention, logSumExp, scale, heads: shape, rows });
  forwardLinear(kernels, matrixOf('attentionOutput', weights), { x: attention, residual, out: middle, rows, scratch });

  kernels.rmsNorm({ x: middle, weight: weights.feedForwardNorm, out: middleNormed, rstd: middleRstd, eps, rows });
  forwardLinear(kernels, matrixOf('gateUp', weights), { x: middleNormed, out: kept.gateUp, rows, scratch });
  kernels.swiglu({ gateUp: kept.gateUp, out: kept.activated, rows });
}

/** Gathers rows of `rollout` and of the cache into training rows [keptBegin, keptEnd), where they are its forward pass. */
export function keepRollouts(kernels: Kernels, plan: PolicyPlan, rollout: ForwardSlots, training: ForwardSlots): void {
  const { inputs } = plan.slots;
  const rows = { begin: countOf(inputs, 'keptBegin'), end: countOf(inputs, 'keptEnd') };
  const kvRows = { begin: countOf(inputs, 'keptKvBegin'), end: countOf(inputs, 'keptKvEnd') };
  const keep = (x: Slot, out: Slot): void => kernels.gatherRows({ x, index: inputs.keptFrom, out, rows });
  training.layers.forEach((to, index) => {
    const from = keptSlots(plan.shape, rollout.layers[index] as LayerActivations, plan.recompute);
    keptSlots(plan.shape, to, plan.recompute).forEach((out, place) => {
      keep(asRows(from[place] as Slot), asRows(out));
    });
    const [x, out] = [rollout.kv[index] as Slot, training.kv[index] as Slot];
    kernels.gatherRows({ x, index: inputs.keptKvFrom, out, rows: kvRows });
  });
  keep(rollout.output, training.output);
}

/** Copies rows of the cache, keys and values of every layer, to the rows [copiedBegin, copiedEnd) of the cache. */
export function copyKeysAndValues(kernels: Kernels, { slots: { inputs, sampling } }: PolicyPlan): void {
  const rows = { begin: countOf(inputs, 'copiedBegin'), end: countOf(inputs, 'copiedEnd') };
  for (const kv of sampling.kv) kernels.gatherRows({ x: kv, index: inputs.kvFrom, out: kv, rows });
}

/** A slot of one number per row, as a matrix of one column. */
export function asRows(slot: Slot): Slot {
  return slot.shape.length === 1 ? { ...slot, shape: [...slot.shape, 1] } : slot;
}

function attentionScale({ shape }: PolicyPlan): number {
  return 1 / Math.sqrt(shape.headDim);
}

/** Final norm of the rows of `output` that `lossIndex` names, into `hidden`. */
export function forwardHead(kernels: Kernels, plan: PolicyPlan, weights: ParameterSet, output: Slot, rows: Rows): void {
  const { slots, shape } = plan;
  kernels.gatherRows({ x: output, index: slots.inputs.lossIndex, out: slots.gathered, rows });
  kernels.rmsNorm({
    x: slots.gathered,
    weight: weights.finalNorm,
    out: slots.hidden,
    rstd: slots.gatheredRstd,
    eps: shape.rmsNormEps,
    rows,
  });
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
 * From `dHidden` to every gradient, added to what the gradient arena holds. What is frozen has none, and the pass ends where
 * nothing below is trained.
 */
export function backwardPass(kernels: Kernels, plan: PolicyPlan): void {
  const { weights, inputs, embeddingGradient } = plan.slots;
  const { gradients, backward, training } = trainingSlots(plan);
  backwardHead(kernels, plan, gradients, backward, training.rows);
  const lowest = lowestTrainedLayer(weights);
  for (let layer = weights.layers.length - 1; layer >= lowest; layer--) {
    const below = layer > lowest || gradients.embedding !== undefined;
    backwardLayer(kernels, plan, layer, gradients.layers[layer] as LayerGradients, training, backward, below);
  }
  const dTable = embeddingGradient ?? gradients.embedding;
  if (dTable === undefined) return;
  const { sortedRows, bucketTokens, bucketOffsets } = inputs;
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

/** From `dHidden` to the last layer's output. */
function backwardHead(
  kernels: Kernels,
  plan: PolicyPlan,
  gradients: GradientSlots,
  backward: BackwardSlots,
  batchRows: Rows,
): void {
  const { weights, inputs, gathered, gatheredRstd } = plan.slots;
  const rows = lossRows(plan);
  kernels.fill({ out: backward.dGathered, value: 0, rows });
  kernels.rmsNormBackward({
    x: gathered,
    weight: weights.finalNorm,
    rstd: gatheredRstd,
    dOut: backward.dHidden,
    dX: backward.dGathered,
    dWeight: gradients.finalNorm,
    rows,
  });
  kernels.gatherRowsBackward({
    dOut: backward.dGathered,
    offsets: inputs.lossOffsets,
    dX: backward.dX,
    rows: batchRows,
  });
}

/** @param below  something below is trained: `dX` ends as the gradient of the layer's input */
function backwardLayer(
  kernels: Kernels,
  plan: PolicyPlan,
  index: number,
  gradients: LayerGradients,
  training: ForwardSlots,
  d: BackwardSlots,
  below: boolean,
): void {
  const { slots, shape } = plan;
  const { adapterScratch: scratch } = slots;
  const { rows } = training;
  const weights = slots.weights.layers[index] as LayerSlots;
  const kept = training.layers[index] as LayerActivations;
  const kv = training.kv[index] as Slot;

  const eps = shape.rmsNormEps;
  const down = matrixOf('down', weights, gradients);
  const isWhole = plan.recompute === 'layers';
  if (isWhole) forwardInside(kernels, plan, weights, { ...training, copied: openingRows(plan) }, index);
  const isMadeAgain = (name: MadeAgain): boolean => !isWhole && madeAgain(plan.recompute).includes(name);
  if (isMadeAgain('activated')) kernels.swiglu({ gateUp: kept.gateUp, out: kept.activated, rows });
  const output = training.layers[index + 1]?.input ?? training.output;
  backwardLinear(kernels, down, {
    ...{ dOut: d.dX, x: kept.activated, dX: d.dActivated, rows, scratch },
    forward: { out: output, residual: kept.middle },
  });
  kernels.swigluBackward({ gateUp: kept.gateUp, dOut: d.dActivated, dGateUp: d.dGateUp, rows });
  const gateUp = matrixOf('gateUp', weights, gradients);
  if (isMadeAgain('middleNormed')) {
    const { middle: x, middleNormed: out, middleRstd: rstd } = kept;
    kernels.rmsNorm({ x, weight: weights.feedForwardNorm, out, rstd, eps, rows });
  }
  backwardLinear(kernels, gateUp, {
    ...{ dOut: d.dGateUp, x: kept.middleNormed, dX: d.dNormed, rows, scratch },
    forward: { out: kept.gateUp },
  });
  kernels.rmsNormBackward({
    x: kept.middle,
    weight: weights.feedForwardNorm,
    rstd: kept.middleRstd,
    dOut: d.dNormed,
    dX: d.dX,
    dWeight: gradients.feedForwardNorm,
    rows,
  });

  const attentionOutput = matrixOf('attentionOutput', weights, gradients);
  backwardLinear(kernels, attentionOutput, {
    ...{ dOut: d.dX, x: kept.attention, dX: d.dAttention, rows, scratch },
    forward: { out: kept.middle, residual: kept.input },
  });
  kernels.fill({ out: d.dKv, value: 0, rows: { begin: 0, end: countOf(slots.inputs, 'kvRows') } });
  const { positions, kvRows, intervals, prefixGroups } = slots.inputs;
  kernels.attentionBackward({
    q: kept.q,
    kv,
    intervals,
    out: kept.attention,
    logSumExp: kept.logSumExp,
    scale: attentionScale(plan),
    heads: shape,
    dOut: d.dAttention,
    prefixGroups,
    prefixGroupCount: countOf(slots.inputs, 'prefixGroups'),
    dQ: d.dQ,
    dKv: d.dKv,
  });
  // To each row of an opening what its copies got: the sum that an embedding's rows take from their tokens.
  const { openingRows: bucketTokens, openingCopies: sortedRows, openingOffsets: bucketOffsets } = slots.inputs;
  const buckets = countOf(slots.inputs, 'openingRows');
  if (bucketTokens.shape[0] !== 0) {
    kernels.embeddingBackward({ dOut: d.dKv, dTable: d.dKv, sortedRows, bucketTokens, bucketOffsets, buckets });
  }
  const { cos, sin } = slots;
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
  // Without a norm of q and k, what the product gave is not kept: it shares its rows with the other layers.
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
