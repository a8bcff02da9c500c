/**
 * The parameters as one flat arena: which tensor lies where, under Hugging Face's names.
 *
 * Matrices come first (weight decay applies to them), norms and biases behind. q, k and v of a layer are
 * neighbours, and so are gate and up, so that each group is also ONE matrix for a fused product. Gradients,
 * optimizer moments and the reference policy use the same layout in arenas of their own.
 */
import type { ArenaBuilder, MatrixUse, PlannedMatrix, Slot } from '../kernels/memory.ts';
import { slotLength } from '../kernels/memory.ts';
import type { ModelShape } from './shape.ts';
import { qkvWidth, queryWidth } from './shape.ts';

/** One tensor of the model. */
export interface Parameter {
  /** As in Hugging Face's safetensors, e.g. `model.layers.0.self_attn.q_proj.weight`. */
  readonly name: string;
  readonly slot: Slot;
  /** How a run from scratch fills it. */
  readonly initial: 'normal' | 'residual' | 'one' | 'zero';
}

export interface LayerSlots {
  readonly inputNorm: Slot;
  /** [(H + 2·HK)·hd, D]: q, k, v */
  readonly qkv: Slot;
  readonly qkvBias: Slot | undefined;
  readonly qNorm: Slot | undefined;
  readonly kNorm: Slot | undefined;
  /** [D, H·hd] */
  readonly attentionOutput: Slot;
  readonly feedForwardNorm: Slot;
  /** [2F, D]: gate, up */
  readonly gateUp: Slot;
  /** [D, F] */
  readonly down: Slot;
}

/** Slots of one set of parameters (weights, gradients, a moment, a reference). */
export interface ParameterSlots {
  readonly embedding: Slot;
  readonly head: Slot;
  readonly finalNorm: Slot;
  readonly layers: readonly LayerSlots[];
  /** The whole arena, flat. */
  readonly all: Slot;
  /** Elements before this index belong to matrices. */
  readonly decayLength: number;
  readonly parameters: readonly Parameter[];
}

/** Trainable numbers in a set of tensors. */
export function countParameters(parameters: readonly Parameter[]): number {
  return parameters.reduce((sum, { slot }) => sum + slotLength(slot), 0);
}

type Names = (part: string) => string;

/** Lays one parameter set out in `arena`; the same shape gives the same offsets in every arena. */
export function layOutParameters(shape: ModelShape, arena: ArenaBuilder): ParameterSlots {
  const parameters: Parameter[] = [];
  const add = (name: string, size: readonly number[], initial: Parameter['initial'], packed = false): Slot => {
    const slot = arena.slot(size, { packed });
    parameters.push({ name, slot, initial });
    return slot;
  };
  const D = shape.hiddenSize;
  const embedding = add('model.embed_tokens.weight', [shape.vocabSize, D], 'normal');
  const matrices = Array.from({ length: shape.numLayers }, (_, layer) =>
    layerMatrices(shape, add, (part) => `model.layers.${layer}.${part}`),
  );
  const head = shape.tieWordEmbeddings ? embedding : add('lm_head.weight', [shape.vocabSize, D], 'normal');
  const decayLength = arena.length;
  const vectors = Array.from({ length: shape.numLayers }, (_, layer) =>
    layerVectors(shape, add, (part) => `model.layers.${layer}.${part}`),
  );
  const finalNorm = add('model.norm.weight', [D], 'one');
  return {
    embedding,
    head,
    finalNorm,
    layers: matrices.map((layer, index) => ({ ...layer, ...vectors[index] }) as LayerSlots),
    all: { arena: arena.name, dtype: 'real', offset: 0, shape: [arena.length] },
    decayLength,
    parameters,
  };
}

type Add = (name: string, size: readonly number[], initial: Parameter['initial'], packed?: boolean) => Slot;

function layerMatrices(shape: ModelShape, add: Add, name: Names): Partial<LayerSlots> {
  const { hiddenSize: D, intermediateSize: F, numHeads, numKvHeads, headDim } = shape;
  const query = add(name('self_attn.q_proj.weight'), [numHeads * headDim, D], 'normal');
  add(name('self_attn.k_proj.weight'), [numKvHeads * headDim, D], 'normal', true);
  add(name('self_attn.v_proj.weight'), [numKvHeads * headDim, D], 'normal', true);
  const attentionOutput = add(name('self_attn.o_proj.weight'), [D, queryWidth(shape)], 'residual');
  const gate = add(name('mlp.gate_proj.weight'), [F, D], 'normal');
  add(name('mlp.up_proj.weight'), [F, D], 'normal', true);
  const down = add(name('mlp.down_proj.weight'), [D, F], 'residual');
  return {
    qkv: { ...query, shape: [qkvWidth(shape), D] },
    attentionOutput,
    gateUp: { ...gate, shape: [2 * F, D] },
    down,
  };
}

function layerVectors(shape: ModelShape, add: Add, name: Names): Partial<LayerSlots> {
  const { hiddenSize: D, numHeads, numKvHeads, headDim } = shape;
  const inputNorm = add(name('input_layernorm.weight'), [D], 'one');
  const feedForwardNorm = add(name('post_attention_layernorm.weight'), [D], 'one');
  let qkvBias: Slot | undefined;
  if (shape.attentionBias) {
    const bias = add(name('self_attn.q_proj.bias'), [numHeads * headDim], 'zero');
    add(name('self_attn.k_proj.bias'), [numKvHeads * headDim], 'zero', true);
    add(name('self_attn.v_proj.bias'), [numKvHeads * headDim], 'zero', true);
    qkvBias = { ...bias, shape: [qkvWidth(shape)] };
  }
  const qNorm = shape.qkNorm ? add(name('self_attn.q_norm.weight'), [headDim], 'one') : undefined;
  const kNorm = shape.qkNorm ? add(name('self_attn.k_norm.weight'), [headDim], 'one') : undefined;
  return { inputNorm, feedForwardNorm, qkvBias, qNorm, kNorm };
}

/** The weights that matrix kernels read, each once. */
export function weightMatrices(slots: ParameterSlots, uses: readonly MatrixUse[]): PlannedMatrix[] {
  const layers = slots.layers.flatMap((layer) => [layer.qkv, layer.attentionOutput, layer.gateUp, layer.down]);
  return [slots.head, ...layers].map((slot) => ({ slot, uses }));
}
