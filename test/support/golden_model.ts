/** The golden model fixtures in this project's terms: shape, weights by name, groups, and row orders. */
import type { PackedBatch, TokenGroup } from '../../src/model/batch.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import type { ModelGolden, Tensor } from '../golden/load.ts';
import { loadGolden } from '../golden/load.ts';

export interface GoldenModel {
  readonly shape: ModelShape;
  readonly weights: ReadonlyMap<string, Float64Array>;
  readonly groups: readonly TokenGroup[];
  readonly scores: readonly { temperature: number; logprobs: Float64Array; entropies: Float64Array }[];
  readonly backward: {
    temperature: number;
    g: Float64Array;
    h: Float64Array;
    gradients: ReadonlyMap<string, Float64Array>;
  };
  /** From a batch's loss rows to the fixture's order (group, completion, token), and back. */
  inFixtureOrder(batch: PackedBatch, values: ArrayLike<number>): Float64Array;
  inBatchOrder(batch: PackedBatch, values: ArrayLike<number>): Float64Array;
}

/** For each loss row of the batch, its place when completions are laid one behind the other. */
export function fixtureIndex(batch: PackedBatch): Int32Array {
  const lengths = new Int32Array(batch.completionCount);
  for (const completion of batch.completionOf) lengths[completion]!++;
  const first = new Int32Array(batch.completionCount + 1);
  lengths.forEach((length, i) => {
    first[i + 1] = first[i]! + length;
  });
  return batch.completionOf.map((completion, row) => first[completion]! + batch.tokenOf[row]!);
}

/** The fixtures' groups, as plain arrays in JSON. */
export function toGroups(
  groups: readonly { prompt: readonly number[]; completions: readonly (readonly number[])[] }[],
): TokenGroup[] {
  return groups.map(({ prompt, completions }) => ({
    prompt: Int32Array.from(prompt),
    completions: completions.map((tokens) => Int32Array.from(tokens)),
  }));
}

function tensors(record: Readonly<Record<string, Tensor>>): Map<string, Float64Array> {
  return new Map(Object.entries(record).map(([name, tensor]) => [name, tensor.data]));
}

function shapeOf(config: ModelGolden['config'], weights: ReadonlyMap<string, Float64Array>): ModelShape {
  const size = (key: string): number => Number(config[key]);
  return {
    vocabSize: size('vocab_size'),
    hiddenSize: size('hidden_size'),
    intermediateSize: size('intermediate_size'),
    numLayers: size('num_hidden_layers'),
    numHeads: size('num_attention_heads'),
    numKvHeads: size('num_key_value_heads'),
    headDim: Number(config.head_dim ?? size('hidden_size') / size('num_attention_heads')),
    ropeTheta: size('rope_theta'),
    rmsNormEps: size('rms_norm_eps'),
    tieWordEmbeddings: !weights.has('lm_head.weight'),
    attentionBias: weights.has('model.layers.0.self_attn.q_proj.bias'),
    qkNorm: weights.has('model.layers.0.self_attn.q_norm.weight'),
  };
}

export type GoldenModelName = 'llama_gqa' | 'llama_tied' | 'qwen2' | 'qwen3';
/** Families that only files of models have. */
export type GoldenFamilyName = 'gemma3' | 'gemma3_window' | 'granite' | 'granite4' | 'smollm3' | 'phi3' | 'llama_yarn';

export function loadGoldenModel(
  name: GoldenModelName | GoldenFamilyName,
  readShape: typeof shapeOf = shapeOf,
): GoldenModel {
  const golden = loadGolden(name);
  const weights = tensors(golden.weights);
  return {
    shape: readShape(golden.config, weights),
    weights,
    groups: toGroups(golden.groups),
    scores: golden.scores.map((score) => ({
      temperature: score.temperature,
      logprobs: score.logprob.data,
      entropies: score.entropy.data,
    })),
    backward: {
      temperature: golden.backward.temperature,
      g: golden.backward.g.data,
      h: golden.backward.h.data,
      gradients: tensors(golden.backward.grads),
    },
    inFixtureOrder: (batch, values) => {
      const out = new Float64Array(values.length);
      fixtureIndex(batch).forEach((place, row) => {
        out[place] = values[row]!;
      });
      return out;
    },
    inBatchOrder: (batch, values) => Float64Array.from(fixtureIndex(batch), (place) => values[place]!),
  };
}

/** Largest |actual − expected| relative to the largest |expected|. */
export function worstRelative(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  let worst = actual.length === expected.length ? 0 : Number.POSITIVE_INFINITY;
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    worst = Math.max(worst, Math.abs(actual[i]! - expected[i]!));
    if (Number.isNaN(actual[i]!)) worst = Number.POSITIVE_INFINITY;
    scale = Math.max(scale, Math.abs(expected[i]!));
  }
  return worst / Math.max(scale, 1e-12);
}
