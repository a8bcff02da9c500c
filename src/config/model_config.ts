/**
 * The model's shape, in the spelling of a Llama-family `config.json`.
 *
 * The vocabulary size is not a key: it comes from the task's tokenizer. With `model_name_or_path` all of this comes from
 * the model's files, and what is written says the same.
 */

import type { FamilyShape, RopeScaling } from '../model/shape.ts';
import { flag, integer, key, number, optional, type Values } from '../options/keys.ts';
import type { Section } from './section.ts';

/** Every key under `model:`. */
export const MODEL_KEYS = {
  hiddenSize: key(
    'hidden_size',
    integer({ min: 2, max: 65536, example: 128 })
      .default(128)
      .describe('Width of the residual stream, in elements. Default {default}, the countdown model.'),
  ),
  intermediateSize: key(
    'intermediate_size',
    optional(integer({ min: 1, max: 262144, example: 336 })).describe(
      'Width of the feed-forward layer, in elements. Default 8/3 of hidden_size, rounded down to a multiple of 16.',
    ),
  ),
  numLayers: key(
    'num_hidden_layers',
    integer({ min: 1, max: 1024, example: 3 }).default(3).describe('Number of transformer layers.'),
  ),
  numHeads: key(
    'num_attention_heads',
    integer({ min: 1, max: 1024, example: 4 }).default(4).describe('Number of query heads.'),
  ),
  numKvHeads: key(
    'num_key_value_heads',
    optional(integer({ min: 1, max: 1024, example: 4 })).describe(
      'Number of key and value heads; divides num_attention_heads. Default: as many as query heads.',
    ),
  ),
  headDim: key(
    'head_dim',
    optional(integer({ min: 2, max: 1024, example: 32 })).describe(
      'Width of one head, in elements; even. Default hidden_size / num_attention_heads.',
    ),
  ),
  ropeTheta: key(
    'rope_theta',
    number({ above: 0, example: 10000 }).default(10000).describe('Base of the rotary position frequencies.'),
  ),
  rmsNormEps: key(
    'rms_norm_eps',
    number({ above: 0, example: 1e-5 }).default(1e-5).describe('Added to the mean square in RMSNorm.'),
  ),
  tieWordEmbeddings: key(
    'tie_word_embeddings',
    flag()
      .default(true)
      .describe('Share the embedding with the output layer. Default {default}: a small model has no use for two.'),
  ),
  attentionBias: key('attention_bias', flag().default(false).describe('Bias on the q, k, v projections.')),
  qkNorm: key('qk_norm', flag().default(false).describe('RMSNorm on queries and keys, as Qwen3.')),
  initializerRange: key(
    'initializer_range',
    number({ above: 0, example: 0.05 })
      .default(0.02)
      .describe('Standard deviation of the initial weights. Default {default}; 0.05 learns faster at widths near 128.'),
  ),
  maxPositionEmbeddings: key(
    'max_position_embeddings',
    optional(integer({ min: 1, max: 1_000_000, example: 64 })).describe(
      'Longest sequence, in tokens. Default: what the task needs for a prompt and a completion.',
    ),
  ),
};

type ModelValues = Values<typeof MODEL_KEYS>;

type DerivedSizes = Pick<ModelConfig, 'intermediateSize' | 'numKvHeads' | 'headDim'>;

/** The model's shape with every default filled in. `maxPositionEmbeddings` is absent where the task decides. */
export type ModelConfig = Omit<ModelValues, 'intermediateSize' | 'numKvHeads' | 'headDim' | 'maxPositionEmbeddings'> & {
  readonly intermediateSize: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  readonly maxPositionEmbeddings?: number;
  /** Only pretrained models have it. */
  readonly ropeScaling?: RopeScaling;
  readonly family?: FamilyShape;
};

/** Keys that are no part of a shape: with weights that are there already they change nothing. */
export const KEYS_OF_RANDOM_WEIGHTS = [
  MODEL_KEYS.initializerRange.yaml,
  MODEL_KEYS.maxPositionEmbeddings.yaml,
] as const;

/** Fills in the sizes that follow from others and reports shapes that no kernel can run. */
export function resolveModel(section: Section<typeof MODEL_KEYS>): ModelConfig {
  const { values } = section;
  const { numHeads } = values;
  const derived = derivedSizes(values);
  const { numKvHeads = derived.numKvHeads, headDim = derived.headDim } = values;
  if (section.sound('numHeads', 'numKvHeads') && numHeads % numKvHeads !== 0) {
    const rule = `does not divide num_attention_heads (${numHeads}): each KV head serves a whole number of query heads`;
    section.refuse('numKvHeads', `${rule}; use ${divisors(numHeads)}`);
  }
  if (section.sound('hiddenSize', 'numHeads', 'headDim')) checkHeadDim(section, headDim);
  const { intermediateSize = derived.intermediateSize } = values;
  return { ...values, intermediateSize, numKvHeads, headDim };
}

/** The sizes that follow from others where they are not written. */
export function derivedSizes({ hiddenSize, numHeads }: Pick<ModelValues, 'hiddenSize' | 'numHeads'>): DerivedSizes {
  const intermediateSize = Math.max(16, Math.floor((hiddenSize * 8) / 3 / 16) * 16);
  return { intermediateSize, numKvHeads: numHeads, headDim: hiddenSize / numHeads };
}

function checkHeadDim(section: Section<typeof MODEL_KEYS>, headDim: number): void {
  const { hiddenSize, numHeads } = section.values;
  if (!Number.isInteger(headDim)) {
    const near = Math.max(1, Math.round(hiddenSize / numHeads / 2)) * 2 * numHeads;
    const rule = `not divisible by num_attention_heads (${numHeads})`;
    section.refuse('hiddenSize', `${rule}; use ${near}, or give head_dim`);
  } else if (headDim % 2 !== 0) {
    const rule = `a head of ${headDim} elements is odd, and rotary positions turn pairs`;
    if (section.values.headDim !== undefined) section.refuse('headDim', `${rule}; use ${headDim + 1}`);
    else section.refuse('hiddenSize', `${rule}; use ${(headDim + 1) * numHeads}, or give an even head_dim`);
  }
}

function divisors(count: number): string {
  const found: number[] = [];
  for (let candidate = 1; candidate <= count; candidate++) if (count % candidate === 0) found.push(candidate);
  return found.join(', ');
}
