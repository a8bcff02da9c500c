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
  readonly rmsNormEps: number;
  readonly tieWordEmbeddings: boolean;
  /** Bias on the q, k, v projections, as in Qwen2. */
  readonly attentionBias: boolean;
  /** RMS norm of each query and key head before the rotation, as in Qwen3. */
  readonly qkNorm: boolean;
}

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
