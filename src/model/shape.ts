/** Sizes of a decoder in the Llama shape, and what other families compute in another way. */
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
  /** What is not as in Llama; absent: nothing. */
  readonly family?: FamilyShape;
}

/** What single families compute in another way. Each is absent where it is as in Llama. */
export interface FamilyShape {
  /** The gate's activation; default: SiLU. */
  readonly activation?: 'gelu_tanh';
  /** What scores are multiplied by; default: 1/√hd. */
  readonly attentionScale?: number;
  /** What embeddings are multiplied by (Gemma, Granite). */
  readonly embeddingScale?: number;
  /** Norms multiply by 1 + weight (Gemma). */
  readonly offsetNorms?: true;
  /** RMS norm of what attention and feed-forward give, before it is added to the residual stream (Gemma). */
  readonly branchNorms?: true;
  /** What these are multiplied by before they are added (Granite). */
  readonly branchScale?: number;
  /** What logits are multiplied by (Granite). */
  readonly logitScale?: number;
  /** Layers in which a token sees the last `size` tokens alone, itself among them (Gemma's local ones). */
  readonly window?: { readonly size: number; readonly layers: readonly boolean[] };
  /** Layers whose positions turn by another θ without scaling (Gemma's local ones), or, null, not at all (SmolLM3). */
  readonly otherRope?: { readonly layers: readonly boolean[]; readonly theta: number | null };
}

/** Whether something comes between what a layer's halves give and the residual stream. */
export function hasBranches({ branchNorms, branchScale }: FamilyShape = {}): boolean {
  return branchNorms === true || branchScale !== undefined;
}

/** What scores of attention are multiplied by. */
export function attentionScale({ headDim, family }: ModelShape): number {
  return family?.attentionScale ?? 1 / Math.sqrt(headDim);
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
  /** As in YaRN: few turns are divided by `factor`, many kept, those between mixed; cos and sin times `attentionFactor`. */
  | {
      readonly type: 'yarn';
      readonly factor: number;
      readonly betaFast: number;
      readonly betaSlow: number;
      readonly attentionFactor: number;
      readonly originalMaxPositionEmbeddings: number;
      /** Whether the bounds between them are rounded to whole pairs. */
      readonly truncate: boolean;
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
