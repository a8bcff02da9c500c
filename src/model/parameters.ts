/**
 * The parameters: which tensor lies where, under Hugging Face's names; adapters under PEFT's (adapter.ts).
 *
 * Trained tensors lie in one flat arena, frozen ones in others: matrices that only products read, by their storage, and
 * the rest. Gradients, moments, the optimizer and further parameter sets cover only the first, and repeat its layout in
 * arenas of their own. Matrices come first in it (weight decay applies to them), norms and biases after them. q, k and
 * v of a layer are adjacent, as are gate and up, so that each group is also one matrix for a fused product.
 */
import { ConfigError } from '../errors.ts';
import type { ArenaBuilder, MatrixUse, PlannedMatrix, Slot } from '../kernels/memory.ts';
import { slotLength } from '../kernels/memory.ts';
import type { Storage } from '../kernels/storage.ts';
import type { AdapterSettings, AddTensor, LayerAdapters, MatrixName } from './adapter.ts';
import { adapterMatrices, checkAdapter, layOutAdapters, layOutMagnitudes, mapAdapters } from './adapter.ts';
import { layOutOffsetNorms, type OffsetNorms } from './offset_norms.ts';
import type { ModelShape } from './shape.ts';
import { qkvWidth, queryWidth } from './shape.ts';

/** One tensor of the model. */
export interface Parameter {
  /** As in Hugging Face's safetensors, e.g. `model.layers.0.self_attn.q_proj.weight`. */
  readonly name: string;
  readonly slot: Slot;
  readonly storage: Storage;
  /** How a run initialises what it does not read from files; `initialize.ts` has the formulas. */
  readonly initial: 'normal' | 'residual' | 'uniform' | 'one' | 'zero' | 'norm';
}

/** Whether a tensor of that name is trained. */
export type IsTrainable = (name: string) => boolean;

/** How a frozen matrix of that name, or the embedding, is kept. */
export type StorageOfTensor = (name: string) => Storage;

/** Where parameters go. */
export interface ParameterArenas {
  readonly trainable: ArenaBuilder;
  /** What no product reads, in float32. */
  readonly frozen: ArenaBuilder;
  /** Matrices that products read, in this storage. */
  frozenMatrices(storage: Storage): ArenaBuilder;
  /** Values computed from the weights: of adapters with magnitudes, and of norms that multiply by 1 + weight. */
  readonly derived?: ArenaBuilder | undefined;
  /** Tables that are read row by row, and by products if the head is tied. */
  frozenTables(storage: Storage): ArenaBuilder;
}

/** What checkpoints hold of a layer. */
interface LayerTensors {
  readonly inputNorm: Slot;
  /** [(H + 2·HK)·hd, D]: q, k, v */
  readonly qkv: Slot;
  readonly qkvBias: Slot | undefined;
  readonly qNorm: Slot | undefined;
  readonly kNorm: Slot | undefined;
  /** [D, H·hd] */
  readonly attentionOutput: Slot;
  readonly feedForwardNorm: Slot;
  /** Norms of what attention and feed-forward give, where the family has them. */
  readonly attentionBranchNorm: Slot | undefined;
  readonly feedForwardBranchNorm: Slot | undefined;
  /** [2F, D]: gate, up */
  readonly gateUp: Slot;
  /** [D, F] */
  readonly down: Slot;
}

export interface LayerSlots extends LayerTensors {
  readonly adapters: LayerAdapters;
}

/** The tensors as kernels use them. */
export interface TensorSlots {
  readonly embedding: Slot;
  /** With tied embeddings, the embedding's slot. */
  readonly head: Slot;
  readonly finalNorm: Slot;
  readonly layers: readonly LayerSlots[];
}

/** A whole model: the policy's weights, or another set of them. */
export interface ParameterSet extends TensorSlots {
  /** What kernels read in the place of norms, where those multiply by 1 + weight. All sets share it. */
  readonly offsetNorms?: OffsetNorms | undefined;
  /** What is trained, flat. */
  readonly trainable: Slot;
  /** Number of frozen elements. */
  readonly frozenCount: number;
  /** Elements of `trainable` before this index belong to matrices. */
  readonly decayLength: number;
  /** All tensors of the model, in the order of a model file; a tied head is not listed. */
  readonly parameters: readonly Parameter[];
  /** Those of its adapters, which are always trained. */
  readonly adapterParameters: readonly Parameter[];
}

/** The gradients of a layer's trained tensors. */
export type LayerGradients = { readonly [Name in keyof LayerTensors]: Slot | undefined } & {
  readonly adapters: LayerAdapters;
};

/** The tensors that have a gradient. */
export interface GradientSlots {
  /** All of them, flat: the layout of `trainable`. */
  readonly all: Slot;
  readonly embedding: Slot | undefined;
  readonly head: Slot | undefined;
  readonly finalNorm: Slot | undefined;
  readonly layers: readonly LayerGradients[];
}

/** Numbers in a set of tensors. */
export function countParameters(parameters: readonly Parameter[]): number {
  return parameters.reduce((sum, { slot }) => sum + slotLength(slot), 0);
}

type Names = (part: string) => string;

/**
 * Lays the weights out; the same shape and choice give the same offsets.
 * @param isTrainable  asked for each tensor of the model
 * @param adapter  what is added to its matrices, and is always trained
 * @param storageOf  asked for each frozen matrix, and for the embedding; tensors of one fused matrix are kept alike
 * @throws ConfigError if only some tensors of a fused matrix are trained, or the adapter is invalid
 */
export function layOutParameters(
  shape: ModelShape,
  { trainable, frozen, frozenMatrices, frozenTables, derived }: ParameterArenas,
  isTrainable: IsTrainable,
  {
    adapter,
    storageOf = () => 'f32',
  }: { readonly adapter?: AdapterSettings | undefined; readonly storageOf?: StorageOfTensor | undefined } = {},
): ParameterSet {
  const parameters: Parameter[] = [];
  const adapterParameters: Parameter[] = [];
  if (adapter !== undefined) checkAdapter(adapter);
  const addTo = (unchanged: (name: string) => ArenaBuilder): Add => {
    return (name, size, initial, fusedWith) => {
      if (fusedWith !== undefined) requireTogether(isTrainable, fusedWith, name);
      const arena = isTrainable(name) ? trainable : unchanged(name);
      const slot = arena.slot(size, { packed: fusedWith !== undefined });
      parameters.push({ name, slot, storage: arena.storage, initial });
      return slot;
    };
  };
  const add = addTo(() => frozen);
  const addMatrix = addTo((name) => frozenMatrices(storageOf(name)));
  const addTable = addTo((name) => frozenTables(storageOf(name)));
  const addOfAdapter: AddTensor = (name, size, initial, isPacked) => {
    const slot = trainable.slot(size, { packed: isPacked });
    adapterParameters.push({ name, slot, storage: trainable.storage, initial });
    return slot;
  };
  const adaptersOf = (layer: number): LayerAdapters =>
    adapter === undefined ? {} : layOutAdapters(shape, adapter, layer, addOfAdapter);
  const D = shape.hiddenSize;
  const embedding = addTable('model.embed_tokens.weight', [shape.vocabSize, D], 'normal');
  const matrices = Array.from({ length: shape.numLayers }, (_, layer) => ({
    ...layerMatrices(shape, addMatrix, (part) => `model.layers.${layer}.${part}`),
    adapters: adaptersOf(layer),
  }));
  const head = shape.tieWordEmbeddings ? embedding : addMatrix('lm_head.weight', [shape.vocabSize, D], 'normal');
  const decayLength = trainable.length;
  const vectors = Array.from({ length: shape.numLayers }, (_, layer) => {
    const name: Names = (part) => `model.layers.${layer}.${part}`;
    // One call computes the gradients of a bias and its matrix.
    if (shape.attentionBias)
      requireTogether(isTrainable, name('self_attn.q_proj.weight'), name('self_attn.q_proj.bias'));
    return layerVectors(shape, add, name);
  });
  const finalNorm = add('model.norm.weight', [D], initialNorm(shape));
  const isScaled = adapter?.useDora === true;
  if (isScaled)
    requireFrozen(
      matrices.flatMap(({ adapters, ...own }) => Object.keys(adapters).map((name) => own[name as MatrixName])),
      trainable,
    );
  const withMagnitudes = (adapters: LayerAdapters, layer: number): LayerAdapters =>
    isScaled && derived !== undefined
      ? layOutMagnitudes(shape, adapters, adapter, layer, addOfAdapter, (size) => derived.slot(size))
      : adapters;
  const layers = matrices.map(
    (layer, index) => ({ ...layer, ...vectors[index], adapters: withMagnitudes(layer.adapters, index) }) as LayerSlots,
  );
  return {
    embedding,
    head,
    finalNorm,
    layers,
    offsetNorms: shape.family?.offsetNorms && derived && layOutOffsetNorms({ finalNorm, layers }, derived),
    trainable: wholeOf(trainable),
    frozenCount: countParameters(parameters.filter(({ slot }) => slot.arena !== trainable.name)),
    decayLength,
    parameters,
    adapterParameters,
  };
}

function wholeOf(arena: ArenaBuilder): Slot {
  return { arena: arena.name, dtype: 'real', offset: 0, shape: [arena.length] };
}

/** Gradients of the trained part of `weights`, with the same layout, in `arena`. */
export function layOutGradients(weights: ParameterSet, arena: ArenaBuilder): GradientSlots {
  const moved = (slot: Slot): Slot => ({ ...slot, arena: arena.name });
  const copy = (slot: Slot | undefined): Slot | undefined =>
    slot && isTrained(weights, slot) ? moved(slot) : undefined;
  const { embedding, head, finalNorm, layers } = weights;
  return {
    all: arena.slot(weights.trainable.shape),
    embedding: copy(embedding),
    head: copy(head),
    finalNorm: copy(finalNorm),
    layers: layers.map((layer) => ({ ...mapLayer(layer, copy), adapters: mapAdapters(layer.adapters, moved) })),
  };
}

/** Another set of the trained part, in `arena`; frozen tensors are shared with `weights`. */
export function layOutSet(weights: ParameterSet, arena: ArenaBuilder): ParameterSet {
  const copy = (slot: Slot): Slot => (isTrained(weights, slot) ? { ...slot, arena: arena.name } : slot);
  const { embedding, head, finalNorm, layers, parameters, adapterParameters } = weights;
  const copyParameter = (parameter: Parameter): Parameter => ({ ...parameter, slot: copy(parameter.slot) });
  return {
    ...weights,
    embedding: copy(embedding),
    head: copy(head),
    finalNorm: copy(finalNorm),
    layers: layers.map((layer) => {
      const tensors = mapLayer(layer, (slot) => slot && copy(slot)) as LayerTensors; // what it has, it keeps
      return { ...tensors, adapters: mapAdapters(layer.adapters, copy) };
    }),
    trainable: arena.slot(weights.trainable.shape),
    parameters: parameters.map(copyParameter),
    adapterParameters: adapterParameters.map(copyParameter),
  };
}

export function isTrained(weights: ParameterSet, slot: Slot): boolean {
  return slot.arena === weights.trainable.arena;
}

/** Maps each tensor of a layer, by name, without its adapters. */
function mapLayer<Out extends Slot | undefined>(
  { adapters, ...tensors }: LayerSlots,
  of: (slot: Slot | undefined) => Out,
) {
  const entries = Object.entries(tensors).map(([name, slot]) => [name, of(slot)] as const);
  return Object.fromEntries(entries) as { readonly [Name in keyof LayerTensors]: Out }; // the names are the layer's
}

/** The lowest trained layer, where the backward pass ends; the number of layers if none is trained. */
export function lowestTrainedLayer(weights: ParameterSet): number {
  const { embedding, layers } = weights;
  if (isTrained(weights, embedding)) return 0;
  const lowest = layers.findIndex((layer) => slotsOf(layer).some((slot) => isTrained(weights, slot)));
  return lowest === -1 ? layers.length : lowest;
}

/** Every slot of a layer, and the matrices of its adapters. */
function slotsOf({ adapters, ...tensors }: LayerSlots): Slot[] {
  const layerSlots: readonly (Slot | undefined)[] = Object.values(tensors);
  return [...layerSlots.filter((slot) => slot !== undefined), ...adapterMatrices(adapters)];
}

/** @param fusedWith  the tensor that directly precedes it in one matrix or vector */
type Add = (name: string, size: readonly number[], initial: Parameter['initial'], fusedWith?: string) => Slot;

/** @throws ConfigError where one of two tensors that are used as one is trained and the other is not */
function requireTogether(isTrainable: IsTrainable, ...names: readonly [string, string]): void {
  const [trained, frozen] = isTrainable(names[0]) ? names : [names[1], names[0]];
  if (isTrainable(trained) === isTrainable(frozen)) return;
  const message = `${frozen}: frozen, and ${trained} is trained — they are used as one; freeze both or neither.`;
  throw new ConfigError('frozen-in-part', message, { trained, frozen });
}

/** @throws ConfigError if a matrix with magnitudes is trained itself: its norms would change with every step */
function requireFrozen(scaled: readonly (Slot | undefined)[], { name }: ArenaBuilder): void {
  if (scaled.every((slot) => slot?.arena !== name)) return;
  const message = 'adapter with magnitudes (use_dora) beside a matrix that is trained itself — freeze the matrix.';
  throw new ConfigError('adapter', message, {});
}

function layerMatrices(shape: ModelShape, add: Add, name: Names): Partial<LayerTensors> {
  const { hiddenSize: D, intermediateSize: F, numHeads, numKvHeads, headDim } = shape;
  const [q, k, gate] = [name('self_attn.q_proj.weight'), name('self_attn.k_proj.weight'), name('mlp.gate_proj.weight')];
  const query = add(q, [numHeads * headDim, D], 'normal');
  add(k, [numKvHeads * headDim, D], 'normal', q);
  add(name('self_attn.v_proj.weight'), [numKvHeads * headDim, D], 'normal', k);
  const attentionOutput = add(name('self_attn.o_proj.weight'), [D, queryWidth(shape)], 'residual');
  const gateSlot = add(gate, [F, D], 'normal');
  add(name('mlp.up_proj.weight'), [F, D], 'normal', gate);
  const down = add(name('mlp.down_proj.weight'), [D, F], 'residual');
  return {
    qkv: { ...query, shape: [qkvWidth(shape), D] },
    attentionOutput,
    gateUp: { ...gateSlot, shape: [2 * F, D] },
    down,
  };
}

/** What makes a norm multiply by 1. */
function initialNorm({ family }: ModelShape): Parameter['initial'] {
  return family?.offsetNorms ? 'zero' : 'one';
}

function layerVectors(shape: ModelShape, add: Add, name: Names): Partial<LayerTensors> {
  const { hiddenSize: D, numHeads, numKvHeads, headDim } = shape;
  const one = initialNorm(shape);
  const norm = (part: string): Slot => add(name(`${part}.weight`), [D], one);
  const inputNorm = norm('input_layernorm');
  const norms = shape.family?.branchNorms
    ? {
        attentionBranchNorm: norm('post_attention_layernorm'),
        feedForwardNorm: norm('pre_feedforward_layernorm'),
        feedForwardBranchNorm: norm('post_feedforward_layernorm'),
      }
    : { feedForwardNorm: norm('post_attention_layernorm') };
  let qkvBias: Slot | undefined;
  if (shape.attentionBias) {
    const [q, k] = [name('self_attn.q_proj.bias'), name('self_attn.k_proj.bias')];
    const bias = add(q, [numHeads * headDim], 'zero');
    add(k, [numKvHeads * headDim], 'zero', q);
    add(name('self_attn.v_proj.bias'), [numKvHeads * headDim], 'zero', k);
    qkvBias = { ...bias, shape: [qkvWidth(shape)] };
  }
  const qNorm = shape.qkNorm ? add(name('self_attn.q_norm.weight'), [headDim], one) : undefined;
  const kNorm = shape.qkNorm ? add(name('self_attn.k_norm.weight'), [headDim], one) : undefined;
  return { inputNorm, ...norms, qkvBias, qNorm, kNorm };
}

/** The weights that matrix kernels read, each once. @param lowest  layer that the backward pass ends with; default: no such pass */
export function weightMatrices(set: TensorSlots, lowest: number = Number.POSITIVE_INFINITY): PlannedMatrix[] {
  const both: readonly MatrixUse[] = ['forward', 'backward'];
  const usesFrom = (layer: number): readonly MatrixUse[] => (layer >= lowest ? both : ['forward']);
  const layers = set.layers.flatMap(({ qkv, attentionOutput, gateUp, down, adapters }, layer) =>
    [qkv, attentionOutput, gateUp, down, ...adapterMatrices(adapters)].map((slot) => ({ slot, uses: usesFrom(layer) })),
  );
  return [{ slot: set.head, uses: usesFrom(set.layers.length) }, ...layers];
}
