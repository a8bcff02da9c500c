/**
 * Every buffer of a policy, planned before anything runs: weights, gradients, optimizer state, key/value cache,
 * activations kept for the backward pass, and the arrays that the host fills at each step.
 */
import { ConfigError } from '../../errors.ts';
import { ADAMW, GRADIENT_NORM_BLOCK, MUON, OBJECTIVE, SAMPLING } from '../../kernels/kernels.ts';
import type { ArenaSpec, MemoryPlan, PlannedMatrix, Slot } from '../../kernels/memory.ts';
import { ArenaBuilder, leadingRows } from '../../kernels/memory.ts';
import type { Storage } from '../../kernels/storage.ts';
import type { AdapterSettings } from '../adapter.ts';
import { openingRoom } from '../batch_openings.ts';
import { muonLimits } from '../optimizer.ts';
import { OUTPUT_NAMES } from '../outputs/names.ts';
import { OUTPUTS } from '../outputs/outputs.ts';
import type { IsTrainable, ParameterSet, StorageOfTensor } from '../parameters.ts';
import {
  isTrained,
  layOutGradients,
  layOutParameters,
  layOutSet,
  lowestTrainedLayer,
  weightMatrices,
} from '../parameters.ts';
import { layOutCopy } from '../rollout_copy.ts';
import type { ModelShape } from '../shape.ts';
import { hasBranches, kvWidth, qkvWidth, queryWidth, widestRow } from '../shape.ts';
import { windowWithin } from '../window.ts';
import type { ActivationArenas, ForwardSlots, LayerActivations } from './activations.ts';
import { leadingKeysAndValues, planKeysAndValues, planLayers, planRowInputs } from './activations.ts';
import { adapterScratch } from './adapter_scratch.ts';
import { aheadSlots } from './ahead_slots.ts';
import { type ArenaOf, type Capacity, mostCopied } from './capacity.ts';
import { type Keeping, type KeepingBackend, keepingOf, keepingOn } from './keeping.ts';
import type { Recompute } from './recompute.ts';
import {
  type BackwardSlots,
  COUNTS,
  countOf,
  type InputSlots,
  type PolicySlots,
  type ResultSlots,
  type RotarySlots,
} from './slots.ts';

export interface PolicyPlan extends Keeping {
  readonly shape: ModelShape;
  readonly capacity: Capacity;
  readonly slots: PolicySlots;
  readonly memory: MemoryPlan;
}

/** The trained part of a model. */
export interface Trained {
  /** Asked for each tensor of the model by its name. Default: all are trained; none beside an adapter, or by a policy that only samples. */
  readonly isTrainable?: IsTrainable | undefined;
  /** Low-rank matrices beside those of the model; they are always trained. */
  readonly adapter?: AdapterSettings | undefined;
  /** How frozen matrices and the embedding are kept; default: all in float32. */
  readonly storageOf?: StorageOfTensor | undefined;
}

/**
 * Plans every arena of a policy of this shape and capacity.
 *
 * @throws ConfigError if nothing would be trained, only part of a fused matrix would, or nothing can be copied
 */
export function planPolicy(shape: ModelShape, capacity: Capacity, trained: Trained = {}): PolicyPlan {
  const { training } = capacity;
  const { adapter, isTrainable = () => training && adapter === undefined } = trained;
  const keeping = keepingOf(capacity, trained);
  const { storages, storageOf, stepsPerRead } = keeping;
  const arenas: ArenaBuilder[] = [];
  const arena: ArenaOf = (name, purpose, kind = 'real') => {
    if (arenas.some((other) => other.name === name)) throw new Error(`two arenas named ${name} in one plan`);
    const dtype = kind === 'int' ? 'int' : 'real';
    const storage = kind === 'int' || kind === 'real' ? undefined : storages[kind];
    const builder = new ArenaBuilder(name, dtype, purpose, { storage });
    arenas.push(builder);
    return builder;
  };
  const frozen = new ArenaBuilder('frozen', 'real', 'weights');
  const frozenMatrices = new ArenaBuilder('frozenMatrices', 'real', 'weights', { packedAlone: true });
  const stored = new Map<Storage, ArenaBuilder>();
  const storedIn = (storage: Storage): ArenaBuilder => {
    const builder = stored.get(storage) ?? new ArenaBuilder(`frozen ${storage}`, 'real', 'weights', { storage });
    stored.set(storage, builder);
    return builder;
  };
  const ofWeights = {
    trainable: arena('weights', 'weights'),
    frozen,
    derived: adapter?.useDora || shape.family?.offsetNorms ? arena('derived', 'weights') : undefined,
    frozenMatrices: (storage: Storage) => (storage === 'f32' ? frozenMatrices : storedIn(storage)),
    frozenTables: (storage: Storage) => (storage === 'f32' ? frozen : storedIn(storage)),
  };
  const weights = layOutParameters(shape, ofWeights, isTrainable, { adapter, storageOf });
  arenas.push(...[frozen, frozenMatrices, ...stored.values()].filter(({ length }) => length > 0));
  if (training && weights.trainable.shape[0] === 0) throw nothingToTrain();
  const inputs = inputSlots(shape, capacity, arena('inputs', 'batch', 'int'));
  const { scoredQ, ...passes } = forwards(shape, capacity, inputs, arena, keeping);
  const head = headSlots(shape, capacity, arena('head', 'activations'));
  const slots: PolicySlots = {
    weights,
    gradients: training ? layOutGradients(weights, arena('gradients', 'gradients')) : undefined,
    firstMoment: training ? arena('firstMoment', 'optimizer').slot(weights.trainable.shape) : undefined,
    secondMoment: training ? arena('secondMoment', 'optimizer').slot(weights.trainable.shape) : undefined,
    sets: planSets(capacity, weights, arena),
    copy: storages.copy && layOutCopy(weights, arena('rolloutCopy', 'rollout copy', 'copy')),
    outputs: planOutputs(shape, capacity, weights, arena),
    embeddingGradient:
      training && shape.tieWordEmbeddings && weights.embedding.arena === weights.trainable.arena
        ? arena('embeddingGradient', 'gradients').slot([shape.vocabSize, shape.hiddenSize])
        : undefined,
    adapterScratch: adapterScratch(capacity, weights, arena),
    ...constants(shape, capacity, arena('rotary', 'activations')),
    ...passes,
    ...head,
    scored: { q: scoredQ, input: leadingRows(head.gathered, mostScored(capacity)) },
    backward: training ? backwardSlots(shape, capacity, weights, arena('backward', 'activations')) : undefined,
    inputs,
    ...resultSlots(capacity, arena('results', 'batch')),
    ahead: stepsPerRead > 1 ? aheadSlots(capacity, stepsPerRead, arena) : undefined,
  };
  const matrices = [
    ...weightMatrices(weights, training ? lowestTrainedLayer(weights) : undefined),
    ...scoredSets(capacity, slots).flatMap(([, set]) => ownMatrices(set)),
    ...(slots.copy?.matrices ?? []).map(({ to: slot }): PlannedMatrix => ({ slot, uses: ['forward'] })),
  ];
  const specs: ArenaSpec[] = arenas.map((builder) => builder.spec());
  const limits = {
    rows: capacity.rows,
    context: capacity.context,
    vocabSize: shape.vocabSize,
    width: widestRow(shape),
    headDim: shape.headDim,
    keptKeys: storages.keys,
    gradientWidth: isTrained(weights, weights.head) ? Math.max(widestRow(shape), shape.vocabSize) : widestRow(shape),
    muon: capacity.muon ? muonLimits(weights) : undefined,
    forwardOnly: !training,
  };
  return { ...keeping, shape, capacity, slots, memory: { arenas: specs, matrices, limits } };
}

/** Each set in an arena of its own, named as the set. */
function planSets({ sets = {} }: Capacity, weights: ParameterSet, arena: ArenaOf): ReadonlyMap<string, ParameterSet> {
  const entries = Object.entries(sets).map(([name, use]) => {
    const setArena = arena(name, `${name} policy`, use === 'scored' ? 'rounded' : 'real');
    return [name, layOutSet(weights, setArena)] as const;
  });
  return new Map(entries);
}

function planOutputs(
  shape: ModelShape,
  { outputRows = {}, training }: Capacity,
  weights: ParameterSet,
  arena: ArenaOf,
): PolicySlots['outputs'] {
  const planned = OUTPUT_NAMES.flatMap((name) => {
    const room = outputRows[name] ?? 0;
    return room === 0 ? [] : [[name, OUTPUTS[name].plan(shape, room, weights, training, arena)] as const];
  });
  return Object.fromEntries(planned);
}

/** The sets of a plan that batches are scored under, by name. */
export function scoredSets(
  { sets: uses = {} }: Capacity,
  { sets }: Pick<PolicySlots, 'sets'>,
): (readonly [name: string, set: ParameterSet])[] {
  return [...sets].filter(([name]) => uses[name] === 'scored');
}

/** The plan of a policy on this backend. */
export function planFor(backend: KeepingBackend, shape: ModelShape, capacity: Capacity, trained?: Trained): PolicyPlan {
  return planPolicy(shape, { ...keepingOn(backend), ...capacity }, trained);
}

/** A set's own matrices; frozen ones belong to the policy. */
function ownMatrices(set: ParameterSet): PlannedMatrix[] {
  return weightMatrices(set).filter(({ slot }) => slot.arena === set.trainable.arena);
}

function nothingToTrain(): ConfigError {
  return new ConfigError('nothing-to-train', 'every tensor is frozen — a policy that trains needs one that is not.');
}

function constants(
  { headDim, hiddenSize, family = {} }: ModelShape,
  { context }: Capacity,
  arena: ArenaBuilder,
): Pick<PolicySlots, 'cos' | 'sin' | 'otherRotary' | 'branchScale'> {
  const rotary = (): RotarySlots => ({
    cos: arena.slot([context, headDim / 2]),
    sin: arena.slot([context, headDim / 2]),
  });
  return {
    ...rotary(),
    otherRotary: family.otherRope && rotary(),
    branchScale: hasBranches(family) ? arena.slot([hiddenSize]) : undefined,
  };
}

function forwards(
  shape: ModelShape,
  capacity: Capacity,
  inputs: InputSlots,
  arena: ArenaOf,
  { storages, recompute }: Keeping,
): Pick<PolicySlots, 'sampling' | 'training' | 'rollout'> & { readonly scoredQ: Slot } {
  const { rows: N, kvRows, keptRows, training } = capacity;
  const cache = planKeysAndValues(shape, kvRows, arena('kv', 'KV cache', 'keys'));
  const activations = {
    rounded: arena('activations', 'activations', 'rounded'),
    exact: arena('residuals', 'activations'),
  };
  // A policy that only samples keeps no layer's activations: one set serves all.
  const layers = planLayers(shape, N, training ? shape.numLayers : 1, activations, recompute, mostScored(capacity));
  const output = activations.exact.slot([N, shape.hiddenSize]);
  const rows = { begin: 0, end: countOf(inputs, 'rows') };
  const shared = cache.map(() => layers[0] as LayerActivations);
  const sampling = { inputs, rows, layers: shared, kv: cache, output };
  const scoredQ = scoredQueries(
    shape,
    mostScored(capacity),
    layers[layers.length - 1] as LayerActivations,
    activations,
  );
  if (!training) return { sampling, scoredQ, training: undefined, rollout: undefined };
  // In the arena of the other activations if the storage is the same.
  const trainingKeys = (): ArenaBuilder =>
    storages.keys === storages.rounded ? activations.rounded : arena('trainingKv', 'activations', 'keys');
  // The cache's first rows serve both, unless rows are kept while the cache is still in use.
  const kv = keptRows > 0 ? planKeysAndValues(shape, N, trainingKeys()) : leadingKeysAndValues(cache, N);
  return {
    ...{ sampling, scoredQ },
    training: { inputs, rows, layers, kv, output },
    rollout: keptRows > 0 ? rolloutForward(shape, capacity, inputs, cache, arena, recompute) : undefined,
  };
}

/** Reuses slots of the feed-forward network, which are written only after attention has read these. */
function scoredQueries(shape: ModelShape, room: number, last: LayerActivations, { rounded }: ActivationArenas): Slot {
  const size = [room, queryWidth(shape)];
  return 2 * shape.intermediateSize >= queryWidth(shape) ? { ...last.gateUp, shape: size } : rounded.slot(size);
}

function rolloutForward(
  shape: ModelShape,
  { keptRows: rows, context }: Capacity,
  inputs: InputSlots,
  kv: readonly Slot[],
  arena: ArenaOf,
  recompute: Recompute,
): ForwardSlots {
  const kept = {
    rounded: arena('kept', 'kept rollouts', 'rounded'),
    exact: arena('keptResiduals', 'kept rollouts'),
  };
  return {
    inputs: planRowInputs(rows, arena('keptInputs', 'batch', 'int'), windowWithin(shape, context) !== undefined),
    rows: { begin: countOf(inputs, 'rolloutBegin'), end: countOf(inputs, 'rolloutEnd') },
    layers: planLayers(shape, rows, shape.numLayers, kept, recompute),
    kv,
    output: kept.exact.slot([rows, shape.hiddenSize]),
  };
}

/** Rows that reach the head at once: loss rows in training, one per completion in sampling. */
function headRows({ lossRows, completions }: Capacity): number {
  return Math.max(lossRows, completions);
}

/** Rows of a batch that are scored, at most. */
function mostScored({ rows, lossRows }: Capacity): number {
  return Math.min(rows, lossRows);
}

function headSlots(
  { hiddenSize: D }: ModelShape,
  capacity: Capacity,
  arena: ArenaBuilder,
): Pick<PolicySlots, 'gathered' | 'gatheredRstd' | 'hidden'> {
  const R = headRows(capacity);
  return { gathered: arena.slot([R, D]), gatheredRstd: arena.slot([R]), hidden: arena.slot([R, D]) };
}

function backwardSlots(
  shape: ModelShape,
  capacity: Capacity,
  weights: ParameterSet,
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
    normPartials: arena.slot([Math.ceil(weights.trainable.shape[0] / GRADIENT_NORM_BLOCK)]),
    gradNorm: arena.slot([1]),
  };
}

function inputSlots(shape: ModelShape, capacity: Capacity, arena: ArenaBuilder): InputSlots {
  const { rows: N, completions: C, groups } = capacity;
  const R = headRows(capacity);
  const scored = mostScored(capacity);
  const opened = openingRoom(capacity);
  const hasWindow = windowWithin(shape, capacity.context) !== undefined;
  return {
    ...planRowInputs(N, arena, hasWindow),
    prefixGroups: arena.slot([groups + 1]),
    sortedRows: arena.slot([N]),
    bucketTokens: arena.slot([shape.vocabSize]),
    bucketOffsets: arena.slot([shape.vocabSize + 1]),
    scoredIndex: arena.slot([scored]),
    scoredOffsets: arena.slot([N + 1]),
    scoredIntervals: arena.slot([scored, 2, 2]),
    scoredWindowIntervals: hasWindow ? arena.slot([scored, 2, 2]) : undefined,
    scoredGroups: arena.slot([groups + 1]),
    lossIndex: arena.slot([R]),
    lossOffsets: arena.slot([scored + 1]),
    targets: arena.slot([R]),
    rolloutNumbers: arena.slot([C, 2]),
    counters: arena.slot([C]),
    samplingKey: arena.slot([2]),
    groupOffsets: arena.slot([C + 1]),
    dead: arena.slot([C]),
    sampled: arena.slot([C]),
    openingFrom: arena.slot([opened]),
    openingRows: arena.slot([opened]),
    openingCopies: arena.slot([opened]),
    openingOffsets: arena.slot([opened + 1]),
    keptFrom: arena.slot([N]),
    keptScoredFrom: arena.slot([scored]),
    keptKvFrom: arena.slot([N]),
    kvFrom: arena.slot([mostCopied(capacity)]),
    kvTo: arena.slot([mostCopied(capacity)]),
    counts: arena.slot([COUNTS.length]),
  };
}

function resultSlots(capacity: Capacity, arena: ArenaBuilder): Pick<PolicySlots, 'results' | 'mixShare'> {
  const C = capacity.completions;
  const R = headRows(capacity);
  const results: ResultSlots = {
    temperature: arena.slot([1]),
    sampling: arena.slot([SAMPLING.length]),
    objective: arena.slot([OBJECTIVE.length]),
    adamw: arena.slot([ADAMW.length]),
    muon: capacity.muon ? arena.slot([MUON.length]) : undefined,
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
    advantages: arena.slot([R]),
    rewards: arena.slot([C]),
    groupAdvantages: arena.slot([C]),
  };
  return { results, mixShare: Object.keys(capacity.sets ?? {}).length > 0 ? arena.slot([1]) : undefined };
}
