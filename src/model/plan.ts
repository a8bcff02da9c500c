/**
 * Every buffer of a policy, planned before anything runs: weights, gradients, optimizer state, key/value cache,
 * activations kept for the backward pass, and the arrays that the host fills at each step.
 */
import { ADAMW, GRADIENT_NORM_BLOCK, OBJECTIVE, SAMPLING } from '../kernels/kernels.ts';
import type { ArenaSpec, Count, MemoryPlan, Slot } from '../kernels/memory.ts';
import { ArenaBuilder } from '../kernels/memory.ts';
import type { ParameterSlots } from './parameters.ts';
import { layOutParameters, weightMatrices } from './parameters.ts';
import type { ModelShape } from './shape.ts';
import { kvWidth, qkvWidth, queryWidth, widestRow } from './shape.ts';

/** How much a policy must hold at once. */
export interface Capacity {
  /** Packed rows of a training batch, or of one decoding step. */
  readonly rows: number;
  /** Rows that carry a loss in a training batch. */
  readonly lossRows: number;
  /** Groups in a training batch. */
  readonly groups: number;
  /** Completions in a training batch, and sampled side by side. */
  readonly completions: number;
  /** Rows of the key/value cache: at least `rows`. */
  readonly kvRows: number;
  /** Longest prompt plus completion, in tokens. */
  readonly context: number;
  /** false for a policy that only samples: no gradients, no optimizer. */
  readonly training: boolean;
  /** A second, frozen set of weights for the KL term. */
  readonly reference: boolean;
}

/** Activations of one layer that its backward pass reads. */
export interface LayerActivations {
  readonly input: Slot;
  readonly inputRstd: Slot;
  readonly inputNormed: Slot;
  readonly qkv: Slot;
  readonly q: Slot;
  readonly attention: Slot;
  readonly logSumExp: Slot;
  readonly middle: Slot;
  readonly middleRstd: Slot;
  readonly middleNormed: Slot;
  readonly gateUp: Slot;
  readonly activated: Slot;
}

export interface PolicySlots {
  readonly weights: ParameterSlots;
  readonly gradients: ParameterSlots | undefined;
  readonly firstMoment: ParameterSlots | undefined;
  readonly secondMoment: ParameterSlots | undefined;
  readonly reference: ParameterSlots | undefined;
  /** With a tied head: the embedding's share of the gradient, kept apart so that its order does not depend on micro-batches. */
  readonly embeddingGradient: Slot | undefined;
  readonly cos: Slot;
  readonly sin: Slot;
  readonly kv: readonly Slot[];
  readonly layers: readonly LayerActivations[];
  /** Output of the last layer, and what the head reads of it. */
  readonly output: Slot;
  readonly gathered: Slot;
  readonly gatheredRstd: Slot;
  readonly hidden: Slot;
  readonly backward: BackwardSlots | undefined;
  readonly inputs: InputSlots;
  readonly results: ResultSlots;
}

export interface BackwardSlots {
  readonly dX: Slot;
  readonly dNormed: Slot;
  readonly dGateUp: Slot;
  readonly dActivated: Slot;
  readonly dAttention: Slot;
  readonly dQ: Slot;
  readonly dKv: Slot;
  readonly dQkv: Slot;
  readonly dHidden: Slot;
  readonly dGathered: Slot;
  readonly normPartials: Slot;
  readonly gradNorm: Slot;
}

/** Int arrays: what the host fills before a replay, the counts that programs read, and the two that programs write. */
export interface InputSlots {
  readonly tokens: Slot;
  readonly positions: Slot;
  readonly kvRows: Slot;
  readonly intervals: Slot;
  readonly islands: Slot;
  readonly sortedRows: Slot;
  readonly bucketTokens: Slot;
  readonly bucketOffsets: Slot;
  /** Rows that reach the head: those with a loss in training, those that sample in decoding. */
  readonly lossIndex: Slot;
  readonly lossOffsets: Slot;
  readonly targets: Slot;
  readonly completionOf: Slot;
  readonly rolloutNumbers: Slot;
  readonly counters: Slot;
  readonly samplingKey: Slot;
  readonly groupOffsets: Slot;
  /** Written by `advantages`: 1 for a group whose rewards are all equal. */
  readonly dead: Slot;
  /** Written by `sample`: one token id a sampled row. */
  readonly sampled: Slot;
  readonly counts: Slot;
}

/** Places in `inputs.counts`. */
export const COUNTS = { rows: 0, lossRows: 1, islands: 2, buckets: 3, samples: 4, groups: 5, length: 8 } as const;

/** Real arrays over loss rows and completions, and settings. */
export interface ResultSlots {
  readonly temperature: Slot;
  readonly sampling: Slot;
  readonly objective: Slot;
  readonly adamw: Slot;
  readonly logprobs: Slot;
  readonly logSumExp: Slot;
  readonly entropies: Slot;
  readonly keptLogMass: Slot;
  readonly oldLogprobs: Slot;
  readonly refLogprobs: Slot;
  readonly coefficients: Slot;
  readonly entropyCoefficients: Slot;
  readonly losses: Slot;
  readonly dLogprobs: Slot;
  readonly dEntropies: Slot;
  readonly rewards: Slot;
  readonly advantages: Slot;
}

export interface PolicyPlan {
  readonly shape: ModelShape;
  readonly capacity: Capacity;
  readonly slots: PolicySlots;
  readonly memory: MemoryPlan;
}

/** A count that a program reads at replay. */
export function countOf(inputs: InputSlots, place: keyof Omit<typeof COUNTS, 'length'>): Count {
  return { slot: inputs.counts, index: COUNTS[place] };
}

/** Plans every arena of a policy of this shape and capacity. */
export function planPolicy(shape: ModelShape, capacity: Capacity): PolicyPlan {
  const arenas: ArenaBuilder[] = [];
  const arena = (name: string, purpose: string, dtype: 'real' | 'int' = 'real'): ArenaBuilder => {
    const builder = new ArenaBuilder(name, dtype, purpose);
    arenas.push(builder);
    return builder;
  };
  const parameterSet = (name: string, purpose: string): ParameterSlots => layOutParameters(shape, arena(name, purpose));
  const { training } = capacity;
  const weights = parameterSet('weights', 'weights');
  const slots: PolicySlots = {
    weights,
    gradients: training ? parameterSet('gradients', 'gradients') : undefined,
    firstMoment: training ? parameterSet('firstMoment', 'optimizer') : undefined,
    secondMoment: training ? parameterSet('secondMoment', 'optimizer') : undefined,
    reference: capacity.reference ? parameterSet('reference', 'reference policy') : undefined,
    embeddingGradient:
      training && shape.tieWordEmbeddings
        ? arena('embeddingGradient', 'gradients').slot([shape.vocabSize, shape.hiddenSize])
        : undefined,
    ...rotaryTables(shape, capacity, arena('rotary', 'activations')),
    kv: keyValueCache(shape, capacity, arena('kv', 'KV cache')),
    ...activations(shape, capacity, arena('activations', 'activations')),
    backward: training ? backwardSlots(shape, capacity, weights, arena('backward', 'activations')) : undefined,
    inputs: inputSlots(shape, capacity, arena('inputs', 'batch', 'int')),
    results: resultSlots(capacity, arena('results', 'batch')),
  };
  const matrices = [...weightMatrices(weights), ...(slots.reference ? weightMatrices(slots.reference) : [])];
  const specs: ArenaSpec[] = arenas.map((builder) => builder.spec());
  const limits = {
    rows: capacity.rows,
    context: capacity.context,
    vocabSize: shape.vocabSize,
    width: widestRow(shape),
  };
  return { shape, capacity, slots, memory: { arenas: specs, matrices, limits } };
}

function rotaryTables(shape: ModelShape, { context }: Capacity, arena: ArenaBuilder): Pick<PolicySlots, 'cos' | 'sin'> {
  const half = shape.headDim / 2;
  return { cos: arena.slot([context, half]), sin: arena.slot([context, half]) };
}

function keyValueCache(shape: ModelShape, { kvRows }: Capacity, arena: ArenaBuilder): Slot[] {
  return Array.from({ length: shape.numLayers }, () => arena.slot([kvRows, kvWidth(shape)]));
}

type ActivationSlots = Pick<PolicySlots, 'layers' | 'output' | 'gathered' | 'gatheredRstd' | 'hidden'>;

/** Rows that reach the head at once: loss rows in training, one a completion in sampling. */
function headRows({ lossRows, completions }: Capacity): number {
  return Math.max(lossRows, completions);
}

function activations(shape: ModelShape, capacity: Capacity, arena: ArenaBuilder): ActivationSlots {
  const { hiddenSize: D, intermediateSize: F, numHeads } = shape;
  const N = capacity.rows;
  // Raw q/k/v are read by the backward of the q/k norm alone; without it all layers share one buffer.
  const sharedQkv = shape.qkNorm ? undefined : arena.slot([N, qkvWidth(shape)]);
  const layer = (): LayerActivations => ({
    input: arena.slot([N, D]),
    inputRstd: arena.slot([N]),
    inputNormed: arena.slot([N, D]),
    qkv: sharedQkv ?? arena.slot([N, qkvWidth(shape)]),
    q: arena.slot([N, queryWidth(shape)]),
    attention: arena.slot([N, queryWidth(shape)]),
    logSumExp: arena.slot([N, numHeads]),
    middle: arena.slot([N, D]),
    middleRstd: arena.slot([N]),
    middleNormed: arena.slot([N, D]),
    gateUp: arena.slot([N, 2 * F]),
    activated: arena.slot([N, F]),
  });
  const R = headRows(capacity);
  // A policy that only samples keeps no layer's activations: one set serves all.
  const kept = capacity.training ? shape.numLayers : 1;
  return {
    layers: Array.from({ length: kept }, layer),
    output: arena.slot([N, D]),
    gathered: arena.slot([R, D]),
    gatheredRstd: arena.slot([R]),
    hidden: arena.slot([R, D]),
  };
}

function backwardSlots(
  shape: ModelShape,
  capacity: Capacity,
  weights: ParameterSlots,
  arena: ArenaBuilder,
): BackwardSlots {
  const { hiddenSize: D, intermediateSize: F } = shape;
  const N = capacity.rows;
  const R = headRows(capacity);
  return {
    dX: arena.slot([N, D]),
    dNormed: arena.slot([N, D]),
    dGateUp: arena.slot([N, 2 * F]),
    dActivated: arena.slot([N, F]),
    dAttention: arena.slot([N, queryWidth(shape)]),
    dQ: arena.slot([N, queryWidth(shape)]),
    dKv: arena.slot([N, kvWidth(shape)]),
    dQkv: arena.slot([N, qkvWidth(shape)]),
    dHidden: arena.slot([R, D]),
    dGathered: arena.slot([R, D]),
    normPartials: arena.slot([Math.ceil((weights.all.shape[0] ?? 0) / GRADIENT_NORM_BLOCK)]),
    gradNorm: arena.slot([1]),
  };
}

function inputSlots(shape: ModelShape, capacity: Capacity, arena: ArenaBuilder): InputSlots {
  const { rows: N, completions: C, groups } = capacity;
  const R = headRows(capacity);
  return {
    tokens: arena.slot([N]),
    positions: arena.slot([N]),
    kvRows: arena.slot([N]),
    intervals: arena.slot([N, 2, 2]),
    islands: arena.slot([groups + 1]),
    sortedRows: arena.slot([N]),
    bucketTokens: arena.slot([shape.vocabSize]),
    bucketOffsets: arena.slot([shape.vocabSize + 1]),
    lossIndex: arena.slot([R]),
    lossOffsets: arena.slot([N + 1]),
    targets: arena.slot([R]),
    completionOf: arena.slot([R]),
    rolloutNumbers: arena.slot([C, 2]),
    counters: arena.slot([C]),
    samplingKey: arena.slot([2]),
    groupOffsets: arena.slot([C + 1]),
    dead: arena.slot([C]),
    sampled: arena.slot([C]),
    counts: arena.slot([COUNTS.length]),
  };
}

function resultSlots(capacity: Capacity, arena: ArenaBuilder): ResultSlots {
  const C = capacity.completions;
  const R = headRows(capacity);
  return {
    temperature: arena.slot([1]),
    sampling: arena.slot([SAMPLING.length]),
    objective: arena.slot([OBJECTIVE.length]),
    adamw: arena.slot([ADAMW.length]),
    logprobs: arena.slot([R]),
    logSumExp: arena.slot([R]),
    entropies: arena.slot([R]),
    keptLogMass: arena.slot([C]),
    oldLogprobs: arena.slot([R]),
    refLogprobs: arena.slot([R]),
    coefficients: arena.slot([R]),
    entropyCoefficients: arena.slot([R]),
    losses: arena.slot([R]),
    dLogprobs: arena.slot([R]),
    dEntropies: arena.slot([R]),
    rewards: arena.slot([C]),
    advantages: arena.slot([C]),
  };
}
