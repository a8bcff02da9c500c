/** Sizes of a decoder in the Llama shape; switches cover Qwen2 (biases) and Qwen3 (q/k norm). */
export interface ModelShape {
  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly intermediateSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  /** Even. */
  readonly headDim: number;
  readonly ropeTheta: number;
  /** How the rotary frequencies differ from θ^(−2i/hd); absent: not at all. */
  readonly ropeScaling?: RopeScaling;
  readonly rmsNormEps: number;
  readonly tieWordEmbeddings: boolean;
  /** Bias on the q, k, v projections, as in Qwen2. */
  readonly attentionBias: boolean;
  /** RMS norm of each query and key head before the rotation, as in Qwen3. */
  readonly qkNorm: boolean;
}

/** Changes of the rotary frequencies that stay the same for every length; `rotary.ts` has the formulas. */
export type RopeScaling =
  | {
      /** As in Llama 3.1: low frequencies are divided by `factor`, high ones are kept, those between are mixed. */
      readonly type: 'llama3';
      readonly factor: number;
      readonly lowFreqFactor: number;
      readonly highFreqFactor: number;
      readonly originalMaxPositionEmbeddings: number;
    }
  /** All divided by `factor`. */
  | { readonly type: 'linear'; readonly factor: number }
  /** [hd/2] each divided by its own factor, as GGUF files hold them. */
  | { readonly type: 'factors'; readonly factors: readonly number[] };

/** Floats of one row of the fused q/k/v projection. */
export function qkvWidth(shape: ModelShape): number {
  return (shape.numHeads + 2 * shape.numKvHeads) * shape.headDim;
}

/** Floats of one row of queries, or of attention's output. */
export function queryWidth(shape: ModelShape): number {
  return shape.numHeads * shape.headDim;
}

/** Floats of one row of the key/value cache of one layer. */
export function kvWidth(shape: ModelShape): number {
  return 2 * shape.numKvHeads * shape.headDim;
}

/** Widest row of any weight matrix except the head's vocabulary side. */
export function widestRow(shape: ModelShape): number {
  return Math.max(shape.hiddenSize, 2 * shape.intermediateSize, qkvWidth(shape), queryWidth(shape));
}
