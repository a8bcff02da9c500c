/**
 * The kernel interface: every operation that a backend must offer, with its formula, shapes and what it
 * overwrites or accumulates. The transformer's forward and backward are written once, as a schedule of these
 * calls (`model/`); a backend implements them and nothing else. A backend knows no model and no algorithm.
 *
 * Conventions
 * - N packed rows, R rows that carry a loss, C completions, D hidden size, F feed-forward size, V vocabulary,
 *   H query heads, HK key/value heads, hd head size. Operands are slots; a slot's shape gives the sizes.
 * - `=` overwrites, `+=` accumulates. A kernel touches only the rows it is given.
 * - Order: every sum runs in an order that is a function of its own length alone, so that a row has the same
 *   bits alone in decode and among thousands in training. `+=` over rows continues the chain of the earlier
 *   call, row after row, so that a batch cut at row borders gives the same bits as the whole.
 * - Whatever changes from step to step is read from a slot at replay (`Count`, settings slots), never baked in.
 */
import type { MagnitudeGradientArgs, MagnitudeScaleArgs, ScaleColumnsArgs } from './magnitudes.ts';
import type { Count, Rows, Slot } from './memory.ts';

export interface EmbeddingArgs {
  /** [N] ids */ readonly tokens: Slot;
  /** [V, D] */ readonly table: Slot;
  /** [N, D], = */ readonly out: Slot;
  readonly rows: Rows;
}

export interface EmbeddingBackwardArgs {
  /** [N, D] */ readonly dOut: Slot;
  /** [N] rows sorted by token, ties by row */ readonly sortedRows: Slot;
  /** [buckets] distinct tokens */ readonly bucketTokens: Slot;
  /** [buckets + 1] into sortedRows */ readonly bucketOffsets: Slot;
  readonly buckets: Count;
  /** [V, D], += */ readonly dTable: Slot;
}

export interface RmsNormArgs {
  /** [N, D] */ readonly x: Slot;
  /** [D] */ readonly weight: Slot;
  /** [N, D], = */ readonly out: Slot;
  /** [N], =; 1 / √(mean(x²) + eps) */ readonly rstd: Slot;
  readonly eps: number;
  readonly rows: Rows;
}

export interface RmsNormBackwardArgs {
  readonly x: Slot;
  readonly weight: Slot;
  readonly rstd: Slot;
  /** [N, D] */ readonly dOut: Slot;
  /** [N, D], += */ readonly dX: Slot;
  /** [D], +=; absent: the weight is frozen */ readonly dWeight?: Slot;
  readonly rows: Rows;
}

export interface LinearArgs {
  /** [N, in] */ readonly x: Slot;
  /** Where given, `x` may be wider: columns from here on are read. */
  readonly firstInput?: number;
  /** [out, in], one of the plan's matrices */ readonly weight: Slot;
  /** [out] */ readonly bias?: Slot;
  /** Shaped as `out`; may be the same slot */ readonly residual?: Slot;
  /** [N, out], = */ readonly out: Slot;
  /** Where given, `out` and `residual` may be wider: columns from here on are written, the others stay as they are. */
  readonly firstColumn?: number;
  readonly rows: Rows;
}

export interface LinearInputGradientArgs {
  /** [N, out] */ readonly dOut: Slot;
  /** Where given, `dOut` may be wider: columns from here on are read. */
  readonly firstColumn?: number;
  /** [out, in], one of the plan's matrices */ readonly weight: Slot;
  /** [N, in], =; += where `accumulate` */ readonly dX: Slot;
  readonly accumulate?: boolean;
  /** Where given, `dX` may be wider: columns from here on are written, the others stay as they are. */
  readonly firstInput?: number;
  readonly rows: Rows;
}

export interface LinearWeightGradientArgs {
  /** [N, out] */ readonly dOut: Slot;
  /** Where given, `dOut` may be wider: columns from here on are read. */
  readonly firstColumn?: number;
  /** [N, in] */ readonly x: Slot;
  /** Where given, `x` may be wider: columns from here on are read. */
  readonly firstInput?: number;
  /** [out, in], += */ readonly dWeight: Slot;
  /** [out], += */ readonly dBias?: Slot;
  readonly rows: Rows;
}

/** Geometry of attention heads; H is a multiple of HK and query head h reads key/value head ⌊h·HK/H⌋. */
export interface Heads {
  readonly numHeads: number;
  readonly numKvHeads: number;
  /** Even. */
  readonly headDim: number;
}

export interface RotaryArgs {
  /** [N, (H + 2·HK)·hd]: q, then k, then v of a row */ readonly qkv: Slot;
  /** [N] */ readonly positions: Slot;
  /** [positions, hd/2] */ readonly cos: Slot;
  /** [positions, hd/2] */ readonly sin: Slot;
  /** [N]: the row of `kv` that holds this row's key and value */ readonly kvRows: Slot;
  /** [N, H·hd], = */ readonly q: Slot;
  /** [capacity, 2·HK·hd], =: keys then values, written at kvRows[r] */ readonly kv: Slot;
  /** [hd]: RMS norm of each query (key) head before the rotation, as in Qwen3 */ readonly qNorm?: Slot;
  readonly kNorm?: Slot;
  readonly eps: number;
  readonly heads: Heads;
  readonly rows: Rows;
}

export interface RotaryBackwardArgs extends Omit<RotaryArgs, 'q' | 'kv'> {
  /** [N, H·hd] */ readonly dQ: Slot;
  /** [capacity, 2·HK·hd] */ readonly dKv: Slot;
  /** [N, (H + 2·HK)·hd], = */ readonly dQkv: Slot;
  /** [hd], +=; absent: there is no such norm, or it is frozen */ readonly dQNorm?: Slot;
  readonly dKNorm?: Slot;
}

export interface AttentionArgs {
  /** [N, H·hd] */ readonly q: Slot;
  /** [capacity, 2·HK·hd] */ readonly kv: Slot;
  /** [N, 2, 2]: two half-open ranges of kv rows, read in order; the second may be empty */ readonly intervals: Slot;
  /** [N, H·hd], = */ readonly out: Slot;
  /** [N, H], =; of the scaled scores */ readonly logSumExp: Slot;
  /** Usually 1/√hd. */
  readonly scale: number;
  readonly heads: Heads;
  readonly rows: Rows;
}

export interface AttentionBackwardArgs extends Omit<AttentionArgs, 'rows'> {
  /** [N, H·hd] */ readonly dOut: Slot;
  /** [prefixGroups + 1] row offsets: rows of one group attend only to kv rows that no other group reads */
  readonly prefixGroups: Slot;
  readonly prefixGroupCount: Count;
  /** [N, H·hd], = */ readonly dQ: Slot;
  /** [capacity, 2·HK·hd], += */ readonly dKv: Slot;
}

export interface SwigluArgs {
  /** [N, 2F]: gate, then up */ readonly gateUp: Slot;
  /** [N, F], = */ readonly out: Slot;
  /** Default: SiLU. */
  readonly activation?: GateActivation | undefined;
  readonly rows: Rows;
}

/** 2·√(2/π)·(x + 0.044715·x³) as linear·x + cubic·x³. */
export const GELU = { linear: 1.5957691216057308, cubic: 0.07135481627260025 } as const;

/** Instead of SiLU: GELU by its approximation with tanh. */
export type GateActivation = 'gelu_tanh';

export interface SwigluBackwardArgs {
  readonly gateUp: Slot;
  /** [N, F] */ readonly dOut: Slot;
  /** [N, 2F], = */ readonly dGateUp: Slot;
  readonly activation?: GateActivation | undefined;
  readonly rows: Rows;
}

export interface GatherRowsArgs {
  /** [N, D], of the type of `out` */ readonly x: Slot;
  /** [R], in any order */ readonly index: Slot;
  /** [M, D], =; without `places` M = R */ readonly out: Slot;
  /** [R], all different; where `x` is `out`, none that `index` names. Without it each row goes to its own. */
  readonly places?: Slot;
  /** Rows of `index`. */ readonly rows: Rows;
}

export interface GatherRowsBackwardArgs {
  /** [R, D] */ readonly dOut: Slot;
  /** [N + 1]: gathered rows [offsets[r], offsets[r + 1]) came from row r */ readonly offsets: Slot;
  /** [N, D], = */ readonly dX: Slot;
  /** Rows of `dX`. */ readonly rows: Rows;
}

export interface LinearLogprobArgs {
  /** [R, D] */ readonly hidden: Slot;
  /** [V, D], one of the plan's matrices */ readonly weight: Slot;
  /** [R] ids */ readonly targets: Slot;
  /** [1], > 0 */ readonly temperature: Slot;
  /** [R], = */ readonly logprobs: Slot;
  /** [R], = */ readonly logSumExp: Slot;
  /** [R], =; nats */ readonly entropies: Slot;
  readonly rows: Rows;
}

export interface LinearLogprobBackwardArgs extends Omit<LinearLogprobArgs, 'logprobs'> {
  /** [R] */ readonly dLogprobs: Slot;
  /** [R] */ readonly dEntropies: Slot;
  /** [R, D], = */ readonly dHidden: Slot;
  /** [V, D], +=; absent: the weight is frozen */ readonly dWeight?: Slot;
}

/** Places in a `sampling` settings slot. topK 0, topP 1, minP 0 are off; temperature 0 is greedy. */
export const SAMPLING = { temperature: 0, topK: 1, topP: 2, minP: 3, length: 4 } as const;

export interface SampleArgs {
  /** [B, D] */ readonly hidden: Slot;
  /** [V, D], one of the plan's matrices */ readonly weight: Slot;
  /** [SAMPLING.length] */ readonly sampling: Slot;
  /** [2] words of the Philox key: (seed, purpose) */ readonly key: Slot;
  /** [B, 2] low and high word of the run-wide rollout number */ readonly rolloutNumbers: Slot;
  /** [B] position in the completion */ readonly counters: Slot;
  /** [B], = */ readonly tokens: Slot;
  /** [B], =; tempered, over the full vocabulary */ readonly logprobs: Slot;
  /** [B], =; nats, tempered */ readonly entropies: Slot;
  /** [B], =; log of the probability mass that top-k, top-p and min-p kept; 0 when they are off */
  readonly keptLogMass: Slot;
  readonly rows: Rows;
}

export type ScaleRewards = 'group' | 'batch' | 'none';

export interface GroupAdvantagesArgs {
  /** [C] finite, group by group */ readonly rewards: Slot;
  /** [groups + 1] first completion of each group */ readonly offsets: Slot;
  readonly groups: Count;
  readonly scale: ScaleRewards;
  /** [C], = */ readonly advantages: Slot;
  /** [groups], =; 1 where max === min */ readonly dead: Slot;
}

/** Places in an `objective` settings slot. delta 0 is off; klCoef 0 ignores refLogprobs. */
export const OBJECTIVE = { clipEpsilonLow: 0, clipEpsilonHigh: 1, clipDelta: 2, klCoef: 3, length: 4 } as const;

export interface PolicyObjectiveArgs {
  /** [R] under the current, the sampling-time and the reference policy */ readonly logprobs: Slot;
  readonly oldLogprobs: Slot;
  readonly refLogprobs: Slot;
  /** [R] */ readonly entropies: Slot;
  /** [R] */ readonly advantages: Slot;
  /** [R] weight of a row's loss in the step's loss (the aggregation); 0 masks it */ readonly coefficients: Slot;
  /** [R] weight of a row's entropy bonus */ readonly entropyCoefficients: Slot;
  /** [OBJECTIVE.length] */ readonly settings: Slot;
  /** [R], =; each row's share of the step's loss */ readonly losses: Slot;
  /** [R], = */ readonly dLogprobs: Slot;
  /** [R], = */ readonly dEntropies: Slot;
  readonly rows: Rows;
}

/** Places in an `adamw` settings slot. maxGradNorm 0 turns clipping off. */
export const ADAMW = {
  learningRate: 0,
  beta1: 1,
  beta2: 2,
  epsilon: 3,
  weightDecay: 4,
  /** 1 − beta1ᵗ and 1 − beta2ᵗ, computed on the host in float64. */
  biasCorrection1: 5,
  biasCorrection2: 6,
  maxGradNorm: 7,
  length: 8,
} as const;

export interface GradientNormArgs {
  /** flat */ readonly gradients: Slot;
  /** [⌈length / GRADIENT_NORM_BLOCK⌉], = */ readonly partials: Slot;
  /** [1], = */ readonly norm: Slot;
}

/** Elements whose squares are summed into one partial sum of the gradient norm. */
export const GRADIENT_NORM_BLOCK = 1024;

export interface AdamwArgs {
  /** flat, += */ readonly parameters: Slot;
  readonly gradients: Slot;
  readonly firstMoment: Slot;
  readonly secondMoment: Slot;
  /** [1] */ readonly norm: Slot;
  /** [ADAMW.length] */ readonly settings: Slot;
  /** Parameters before this index are decayed (matrices), those from it on are not (norms, biases). */
  readonly decayLength: number;
}

/** Places in a `muon` settings slot. maxGradNorm 0 turns clipping off. */
export const MUON = { learningRate: 0, momentum: 1, weightDecay: 2, maxGradNorm: 3, length: 4 } as const;

/** The iteration X ← a·X + (b·A + c·A²)·X, A = X·Xᵀ, by which Muon brings singular values near 1; epsilon bounds the first norm. */
export const NEWTON_SCHULZ = { steps: 5, a: 3.4445, b: -4.775, c: 2.0315, epsilon: 1e-7 } as const;

/** Matrices of a call, at most: what a command has room for. */
export const MUON_MATRICES = 8;

/** A matrix that lies in a flat slot. */
export interface MatrixPlace {
  /** Its first element there. */
  readonly begin: number;
  readonly rows: number;
  readonly columns: number;
}

export interface MuonArgs {
  /** flat, += */ readonly parameters: Slot;
  readonly gradients: Slot;
  readonly firstMoment: Slot;
  /** [1] */ readonly norm: Slot;
  /** [MUON.length] */ readonly settings: Slot;
  /** 1 to MUON_MATRICES; no other element is touched. */
  readonly matrices: readonly MatrixPlace[];
}

/** The calls that a program is recorded from. Each records; nothing runs until the program is replayed. */
export interface Kernels {
  /** out[r] = table[tokens[r]] */
  embedding(args: EmbeddingArgs): void;
  /** dTable[bucketTokens[b]] += Σ dOut[r] over the bucket's rows, in order. Deterministic: one owner a bucket. */
  embeddingBackward(args: EmbeddingBackwardArgs): void;

  /** out = x · rstd · weight, rstd = 1/√(mean(x²) + eps). arXiv:1910.07467 */
  rmsNorm(args: RmsNormArgs): void;
  /** g = dOut·weight;  dX += rstd·g − x·rstd³·mean(g·x);  dWeight += Σ_r dOut·x·rstd */
  rmsNormBackward(args: RmsNormBackwardArgs): void;

  /** out = x·weightᵀ (+ bias) (+ residual), added in this order */
  linear(args: LinearArgs): void;
  /** dX = dOut·weight, or dX += dOut·weight */
  linearInputGradient(args: LinearInputGradientArgs): void;
  /** dWeight += dOutᵀ·x;  dBias += Σ_r dOut[r] */
  linearWeightGradient(args: LinearWeightGradientArgs): void;

  /** out = scale ⊙ x (+ bias) (+ residual), column by column, added in this order */
  scaleColumns(args: ScaleColumnsArgs): void;
  /**
   * scale = magnitude / ‖W + s·B·A‖ of each row, ‖W + s·B·A‖² = ‖W‖² + 2s·Σ_k B_k·(A·Wᵀ)_k + s²·B·(A·Aᵀ)·Bᵀ; 1 where
   * that norm is 0. arXiv:2402.09353
   */
  magnitudeScale(args: MagnitudeScaleArgs): void;
  /** dMagnitude += Σ_r dOut·(out − residual − bias) / magnitude: the norm is a constant. 0 where the magnitude is. */
  magnitudeGradient(args: MagnitudeGradientArgs): void;

  /**
   * Rotary position embedding of q and k in the half-split (Llama) form, after an optional RMS norm a head:
   * (a, b) = (x[i], x[i + hd/2]) → (a·cos − b·sin, b·cos + a·sin). Keys and values go to kv[kvRows[r]].
   * arXiv:2104.09864
   */
  rotary(args: RotaryArgs): void;
  /** The transposed rotation, then the norm's backward; reads dKv at kvRows[r]. */
  rotaryBackward(args: RotaryBackwardArgs): void;

  /**
   * out[r, h] = Σ_j softmax_j(scale·q[r, h]·k_j) v_j over the keys j of the row's two intervals, in order.
   * A prompt's keys are stored once and read by every completion of its group.
   */
  attention(args: AttentionArgs): void;
  /**
   * p_j = exp(scale·q·k_j − logSumExp);  ds_j = p_j·(dOut·v_j − dOut·out);
   * dQ = scale·Σ ds_j k_j;  dK_j += scale·ds_j q;  dV_j += p_j dOut.
   * One owner per prefix group and kv head: no atomics.
   */
  attentionBackward(args: AttentionBackwardArgs): void;

  /**
   * out = gate·σ(u)·up, u = gate: SiLU. With `gelu_tanh` u = GELU.linear·gate + GELU.cubic·gate³, and gate·σ(u) is
   * gate·(1 + tanh(u/2))/2. arXiv:2002.05202
   */
  swiglu(args: SwigluArgs): void;
  /** dGate = dOut·up·σ(u)·(1 + gate·u′·(1 − σ(u)));  dUp = dOut·gate·σ(u) */
  swigluBackward(args: SwigluBackwardArgs): void;

  /** out[places[i]] = x[index[i]]; without places out[i] = x[index[i]] */
  gatherRows(args: GatherRowsArgs): void;
  /** dX[r] = Σ dOut[i] over the gathered rows i that came from r; 0 where there is none */
  gatherRowsBackward(args: GatherRowsBackwardArgs): void;

  /**
   * u = (hidden·weightᵀ)/T;  logSumExp = log Σ e^u;  logprobs = u[target] − logSumExp;
   * entropies = logSumExp − Σ p·u, p = e^(u − logSumExp).  Never holds [R, V].
   */
  linearLogprob(args: LinearLogprobArgs): void;
  /**
   * du_v = dLogprobs·(1[v = target] − p_v) − dEntropies·p_v·(log p_v + entropies);  dz = du/T;
   * dHidden = dz·weight;  dWeight += dzᵀ·hidden.  Logits are recomputed by blocks of rows.
   */
  linearLogprobBackward(args: LinearLogprobBackwardArgs): void;

  /**
   * One token per row by inverse CDF: uniform = ⌊x/2⁸⌋·2⁻²⁴ of the first Philox word at counter
   * (counters[r], rolloutNumbers[r], 0), over the kept tokens in index order; the lowest index wins. Ties in
   * top-k and top-p go to the lower index. Temperature 0 takes the arg-max and reports log-probs at T = 1.
   */
  sample(args: SampleArgs): void;

  /**
   * (reward − group mean) / (std + 1e-4), std with n − 1, of the group, of the batch, or 1. A group whose
   * rewards are all equal is dead: exactly 0, decided by max === min before any mean. arXiv:2402.03300 §4.1
   */
  groupAdvantages(args: GroupAdvantagesArgs): void;
  /**
   * With ratio = e^(logprobs − oldLogprobs) and A the row's advantage:
   * policy = −min(min(ratio, delta)·A, clip(ratio, 1 − low, 1 + high)·A);  kl = e^x − x − 1, x = ref − logprobs;
   * losses = coefficients·(policy + klCoef·kl) − entropyCoefficients·entropies, and its derivatives.
   * arXiv:1707.06347, arXiv:2503.14476 (clip-higher), arXiv:2505.07291 (delta); k3: joschu.net/blog/kl-approx
   */
  policyObjective(args: PolicyObjectiveArgs): void;

  /** norm = √Σ gradients², in two fixed stages */
  gradientNorm(args: GradientNormArgs): void;
  /**
   * g = gradients·min(1, maxGradNorm/(norm + 1e-6));  m = β1 m + (1 − β1) g;  v = β2 v + (1 − β2) g²;
   * p = p·(1 − lr·decay) − lr/bc1 · m/(√v/√bc2 + eps).  Nothing changes where norm is not finite.
   * arXiv:1711.05101
   */
  adamw(args: AdamwArgs): void;
  /**
   * With g as adamw has it, for each matrix by itself: m = μ m + (1 − μ) g;  X = μ m + (1 − μ) g (Nesterov);
   * X = X/max(‖X‖, epsilon), then NEWTON_SCHULZ on its shorter side;
   * p = p·(1 − lr·decay) − lr·0.2·√max(rows, columns)·X.  Nothing changes where norm is not finite.
   * kellerjordan.github.io/posts/muon; the scale: arXiv:2502.16982
   */
  muon(args: MuonArgs): void;

  /** out = value, in `rows` of its first dimension, or everywhere */
  fill(args: { readonly out: Slot; readonly value: number; readonly rows?: Rows }): void;
  /** out += x, element by element */
  add(args: { readonly x: Slot; readonly out: Slot }): void;
  /** out = x, element by element */
  copy(args: { readonly x: Slot; readonly out: Slot }): void;
  /** out = factor·out, in `rows` of its first dimension */
  scale(args: { readonly out: Slot; readonly factor: number; readonly rows: Rows }): void;
  /** out = share·x + (1 − share)·out, element by element; share is [1]. A share of 1 copies. arXiv:2404.09656 */
  mix(args: { readonly x: Slot; readonly share: Slot; readonly out: Slot }): void;
}

export type KernelName = keyof Kernels;
