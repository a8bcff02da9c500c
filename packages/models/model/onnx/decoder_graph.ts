/**
 * The transformer as a graph of ONNX's own operators, in the layout that optimum writes and transformers.js opens.
 *
 *   in    input_ids [b, s], attention_mask [b, t], position_ids [b, s]: i64
 *         past_key_values.N.key, .value [b, kv, t − s, hd]: f32
 *   out   logits [b, s, vocabulary], last_hidden_state [b, s, width], present.N.key, .value [b, kv, t, hd]: f32
 *
 * A matrix has its name and its rows as in safetensors, since Gemm multiplies by it transposed: a tied embedding is there
 * once, for both of its uses. Narrow matrices are widened before they multiply; everything is computed in float32. Those in 4
 * bits are multiplied by an operator of onnxruntime's own (`four_bits.ts`).
 */
import { rotaryTables } from '../../../../src/model/rotary.ts';
import type { ModelShape } from '../../../../src/model/shape.ts';
import { BLOCK, BLOCK_BYTES, QUANTA, SCALES } from './four_bits.ts';
import { ELEMENT, type Element, Graph } from './graph.ts';
import type { LaterBytes } from './protobuf.ts';

/** A weight of the model, as the file is to have it. */
export type GraphWeight = PlainWeight | FourBitWeight;

interface PlainWeight {
  readonly shape: readonly number[];
  readonly element: Extract<Element, 'f32' | 'f16'>;
  readonly data: LaterBytes;
}

/** A matrix of a linear layer, whose rows are whole blocks. */
interface FourBitWeight {
  readonly shape: readonly number[];
  readonly element: 'q4';
  readonly quanta: LaterBytes;
  readonly scales: LaterBytes;
}

/** Below every score; ∞ would make a row without a key no number. */
const HIDDEN_SCORE = -3.0e38;

/** @param weights  by Hugging Face's names @param context  positions that it reads */
export function decoderGraph(shape: ModelShape, context: number, weights: ReadonlyMap<string, GraphWeight>): Graph {
  return new Decoder(shape, context, weights).graph;
}

class Decoder {
  readonly graph = new Graph();
  readonly #shape: ModelShape;
  readonly #weights: ReadonlyMap<string, GraphWeight>;
  /** Weights in float32, by name. */
  readonly #widened = new Map<string, string>();
  readonly #batch: string;
  readonly #sequence: string;
  readonly #total: string;
  readonly #isSeen: string;
  readonly #cos: string;
  readonly #sin: string;

  constructor(shape: ModelShape, context: number, weights: ReadonlyMap<string, GraphWeight>) {
    this.#shape = shape;
    this.#weights = weights;
    const { graph } = this;
    for (const [name, weight] of weights) this.#add(name, weight);
    const tokens = graph.input('input_ids', 'i64', ['batch_size', 'sequence_length']);
    const mask = graph.input('attention_mask', 'i64', ['batch_size', 'total_sequence_length']);
    const positions = graph.input('position_ids', 'i64', ['batch_size', 'sequence_length']);
    this.#batch = graph.node('Shape', [tokens], { start: 0, end: 1 });
    this.#sequence = graph.node('Shape', [tokens], { start: 1, end: 2 });
    this.#total = graph.node('Shape', [mask], { start: 1, end: 2 });
    this.#isSeen = this.#seen(mask);
    [this.#cos, this.#sin] = this.#rotary(positions, context);
    this.#build(tokens);
  }

  #add(name: string, weight: GraphWeight): void {
    if (weight.element !== 'q4') {
      this.graph.tensor({ name, ...weight });
      return;
    }
    const [rows, columns] = weight.shape as readonly [number, number]; // a matrix
    const blocks = columns / BLOCK;
    const { quanta, scales } = weight;
    this.graph.tensor({ name: name + QUANTA, shape: [rows, blocks, BLOCK_BYTES], element: 'u8', data: quanta });
    this.graph.tensor({ name: name + SCALES, shape: [rows * blocks], element: 'f32', data: scales });
  }

  #build(tokens: string): void {
    const { graph } = this;
    const { hiddenSize, numLayers, numKvHeads, headDim, vocabSize, tieWordEmbeddings } = this.#shape;
    const embedding = 'model.embed_tokens.weight';
    const gathered = this.#f32(graph.node('Gather', [embedding, tokens], { axis: 0 }), embedding);
    let x = graph.node('Reshape', [gathered, graph.integers([-1, hiddenSize])]);
    const cache = (name: string): string =>
      graph.input(name, 'f32', ['batch_size', numKvHeads, 'past_sequence_length', headDim]);
    const pasts = Array.from({ length: numLayers }, (_, layer) => ({
      key: cache(`past_key_values.${layer}.key`),
      value: cache(`past_key_values.${layer}.value`),
    }));
    pasts.forEach((past, layer) => {
      x = this.#layer(x, layer, past);
    });
    const normed = this.#norm(x, 'model.norm.weight');
    const rows = this.#shapeOf([this.#batch, this.#sequence], [hiddenSize]);
    graph.node('Reshape', [normed, rows], {}, 'last_hidden_state');
    const logits = this.#linear(normed, tieWordEmbeddings ? 'model.embed_tokens' : 'lm_head');
    graph.node('Reshape', [logits, this.#shapeOf([this.#batch, this.#sequence], [vocabSize])], {}, 'logits');
    graph.output('logits', 'f32', ['batch_size', 'sequence_length', vocabSize]);
    graph.output('last_hidden_state', 'f32', ['batch_size', 'sequence_length', hiddenSize]);
    for (let layer = 0; layer < numLayers; layer++) {
      for (const part of ['key', 'value']) {
        const sizes = ['batch_size', numKvHeads, 'total_sequence_length', headDim];
        graph.output(`present.${layer}.${part}`, 'f32', sizes);
      }
    }
  }

  #layer(x: string, layer: number, past: { readonly key: string; readonly value: string }): string {
    const { graph } = this;
    const name = `model.layers.${layer}`;
    const normed = this.#norm(x, `${name}.input_layernorm.weight`);
    const middle = graph.node('Add', [x, this.#attention(normed, layer, past)]);
    const inner = this.#norm(middle, `${name}.post_attention_layernorm.weight`);
    const gate = this.#linear(inner, `${name}.mlp.gate_proj`);
    const activated = graph.node('Mul', [gate, graph.node('Sigmoid', [gate])]);
    const up = graph.node('Mul', [activated, this.#linear(inner, `${name}.mlp.up_proj`)]);
    return graph.node('Add', [middle, this.#linear(up, `${name}.mlp.down_proj`)]);
  }

  /** Heads that share keys lie one below the other, so that each pair of products is one of matrices. */
  #attention(x: string, layer: number, past: { readonly key: string; readonly value: string }): string {
    const { graph } = this;
    const { numHeads, numKvHeads, headDim, qkNorm } = this.#shape;
    const name = `model.layers.${layer}.self_attn`;
    const heads = (part: string, count: number): string => {
      const rows = this.#linear(x, `${name}.${part}_proj`);
      const split = graph.node('Reshape', [rows, this.#shapeOf([this.#batch, this.#sequence], [count, headDim])]);
      const normed = qkNorm && part !== 'v' ? this.#norm(split, `${name}.${part}_norm.weight`) : split;
      return graph.node('Transpose', [normed], { perm: [0, 2, 1, 3] });
    };
    const q = this.#rotated(heads('q', numHeads));
    const joined = (part: 'key' | 'value', own: string): string =>
      graph.node('Concat', [past[part], own], { axis: 2 }, `present.${layer}.${part}`);
    const k = joined('key', this.#rotated(heads('k', numKvHeads)));
    const v = joined('value', heads('v', numKvHeads));
    const grouped = graph.node('Reshape', [q, this.#shapeOf([this.#batch], [numKvHeads, -1, headDim])]);
    const products = graph.node('MatMul', [grouped, graph.node('Transpose', [k], { perm: [0, 1, 3, 2] })]);
    const scaled = graph.node('Mul', [products, graph.real(1 / Math.sqrt(headDim))]);
    const square = [this.#batch, graph.integers([numHeads]), this.#sequence, this.#total];
    const scores = graph.node('Reshape', [scaled, graph.node('Concat', square, { axis: 0 })]);
    const seen = graph.node('Where', [this.#isSeen, scores, graph.real(HIDDEN_SCORE)]);
    const shares = graph.node('Softmax', [seen], { axis: -1 });
    const groups = graph.node('Concat', [this.#batch, graph.integers([numKvHeads, -1]), this.#total], { axis: 0 });
    const mixed = graph.node('MatMul', [graph.node('Reshape', [shares, groups]), v]);
    const apart = graph.node(
      'Concat',
      [this.#batch, graph.integers([numHeads]), this.#sequence, graph.integers([headDim])],
      {
        axis: 0,
      },
    );
    const turned = graph.node('Transpose', [graph.node('Reshape', [mixed, apart])], { perm: [0, 2, 1, 3] });
    const rows = graph.node('Reshape', [turned, graph.integers([-1, numHeads * headDim])]);
    return this.#linear(rows, `${name}.o_proj`);
  }

  /** [b, 1, s, t] a key is no later than its query, and not masked */
  #seen(mask: string): string {
    const { graph } = this;
    const scalar = (size: string): string => graph.node('Squeeze', [size, graph.integers([0])]);
    const [total, sequence] = [scalar(this.#total), scalar(this.#sequence)];
    const one = graph.integers(1);
    const keys = graph.node('Range', [graph.integers(0), total, one]);
    const queries = graph.node('Range', [graph.node('Sub', [total, sequence]), total, one]);
    const column = graph.node('Unsqueeze', [queries, graph.integers([1])]);
    const isBefore = graph.node('LessOrEqual', [keys, column]);
    const isText = graph.node('Cast', [mask], { to: ELEMENT.bool });
    return graph.node('And', [isBefore, graph.node('Unsqueeze', [isText, graph.integers([1, 2])])]);
  }

  /** cos and sin of each row's position, [b, 1, s, hd/2] */
  #rotary(positions: string, context: number): [cos: string, sin: string] {
    const { graph } = this;
    const half = this.#shape.headDim / 2;
    const bytes = 4 * context * half;
    const tables = (): ReturnType<typeof rotaryTables> => rotaryTables(this.#shape, context);
    const gathered = (name: 'cos' | 'sin'): string => {
      const read = async (): Promise<Uint8Array> => new Uint8Array(Float32Array.from(tables()[name]).buffer);
      const table = graph.tensor({ name, shape: [context, half], element: 'f32', data: { length: bytes, read } });
      const rows = graph.node('Gather', [table, positions], { axis: 0 });
      return graph.node('Unsqueeze', [rows, graph.integers([1])]);
    };
    return [gathered('cos'), gathered('sin')];
  }

  /** The pairs (i, i + hd/2) of each head, turned. */
  #rotated(x: string): string {
    const { graph } = this;
    const [first, second] = graph.halves(x, -1, this.#shape.headDim / 2);
    const product = (half: string, table: string): string => graph.node('Mul', [half, table]);
    const turned = graph.node('Sub', [product(first, this.#cos), product(second, this.#sin)]);
    const other = graph.node('Add', [product(second, this.#cos), product(first, this.#sin)]);
    return graph.node('Concat', [turned, other], { axis: -1 });
  }

  #norm(x: string, weight: string): string {
    const { graph } = this;
    const mean = graph.node('ReduceMean', [graph.node('Mul', [x, x])], { axes: [-1], keepdims: 1 });
    const root = graph.node('Sqrt', [graph.node('Add', [mean, graph.real(this.#shape.rmsNormEps)])]);
    return graph.node('Mul', [graph.node('Div', [x, root]), this.#weight(weight)]);
  }

  /** Rows by a matrix, and its bias where it has one. */
  #linear(x: string, module: string): string {
    const [name, bias] = [`${module}.weight`, `${module}.bias`];
    const added = this.#weights.has(bias) ? [this.#weight(bias)] : [];
    const weight = this.#weights.get(name);
    if (weight?.element !== 'q4') return this.graph.node('Gemm', [x, this.#weight(name), ...added], { transB: 1 });
    const [N, K] = weight.shape as readonly [number, number]; // a matrix
    const sizes = { K, N, bits: 4, block_size: BLOCK };
    const product = this.graph.ownNode('MatMulNBits', [x, name + QUANTA, name + SCALES], sizes);
    return added.length === 0 ? product : this.graph.node('Add', [product, ...added]);
  }

  #weight(name: string): string {
    const known = this.#widened.get(name);
    if (known !== undefined) return known;
    const wide = this.#f32(name, name);
    this.#widened.set(name, wide);
    return wide;
  }

  /** @param value  elements of the weight `name` */
  #f32(value: string, name: string): string {
    const isWide = this.#weights.get(name)?.element === 'f32';
    return isWide ? value : this.graph.node('Cast', [value], { to: ELEMENT.f32 });
  }

  #shapeOf(sizes: readonly string[], rest: readonly number[]): string {
    return this.graph.node('Concat', [...sizes, this.graph.integers(rest)], { axis: 0 });
  }
}
