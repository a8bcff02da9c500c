/**
 * config.json of a Hugging Face model, as transformers 4 and 5 write it, as a shape.
 *
 * transformers computes these architectures from the keys that are read here and from no others, so other keys
 * are left alone; a value that this engine does not compute is refused by its key, never ignored.
 */
import type { FamilyShape, ModelShape, RopeScaling } from '../../../../src/model/shape.ts';
import { allButEvery, GEMMA_EVERY, GEMMA_LOCAL_THETA, gemmaShape } from './gemma.ts';
import type { PretrainedModel } from './source.ts';
import { requireLayers, unsupported } from './source.ts';

type Json = Readonly<Record<string, unknown>>;

/** What transformers takes for a key that is not there, and what it computes of keys of an architecture's own. */
interface Architecture {
  readonly className: string;
  readonly numKvHeads?: number;
  readonly headDim?: number;
  readonly slidingWindow?: number;
  readonly tied?: true;
  readonly attentionBias?: boolean;
  readonly qkNorm?: true;
  /** The gate's activation, where it is not SiLU. */
  readonly activation?: string;
  /** Keys that change what is computed, and their only values that are computed here. */
  readonly fixed?: typeof FIXED;
  /** The key of the feed-forward layer's width, where it is not intermediate_size. */
  readonly width?: string;
  readonly family?: (config: Json, file: string) => FamilyShape;
}

const softcapping = { neutral: [null], rule: 'scores and logits are not capped here' };

/** By model_type. */
const ARCHITECTURES: Readonly<Record<string, Architecture>> = {
  llama: { className: 'LlamaForCausalLM' },
  mistral: { className: 'MistralForCausalLM', numKvHeads: 8, slidingWindow: 4096, attentionBias: false },
  qwen2: { className: 'Qwen2ForCausalLM', numKvHeads: 32, attentionBias: true },
  qwen3: { className: 'Qwen3ForCausalLM', numKvHeads: 32, headDim: 128, qkNorm: true },
  gemma3_text: {
    className: 'Gemma3ForCausalLM',
    ...{ numKvHeads: 4, headDim: 256, tied: true, qkNorm: true },
    activation: 'gelu_pytorch_tanh',
    fixed: {
      attn_logit_softcapping: softcapping,
      final_logit_softcapping: softcapping,
      use_bidirectional_attention: { neutral: [false], rule: 'a token sees those before it alone' },
    },
    family: gemmaFamily,
  },
  granite: { className: 'GraniteForCausalLM', family: graniteFamily },
  // Granite 4. Those that are dense and have no recurrent layer are Granite 3 with other names of tensors.
  granitemoehybrid: {
    className: 'GraniteMoeHybridForCausalLM',
    fixed: {
      num_local_experts: { neutral: [0], rule: 'layers of experts are not computed here' },
      position_embedding_type: { neutral: ['rope', null], rule: 'positions turn, or none do' },
    },
    width: 'shared_intermediate_size',
    family: hybridFamily,
  },
  phi3: { className: 'Phi3ForCausalLM', attentionBias: false },
  smollm3: { className: 'SmolLM3ForCausalLM', numKvHeads: 4, tied: true, family: smolFamily },
};

/** What asks for kernels that are not here, of families that people try. */
const NOT_COMPUTED: Readonly<Record<string, string>> = {
  gemma3: 'pictures beside text; its part gemma3_text is computed',
  gemma3n: 'layers that share keys, and inputs of each layer',
  gpt_oss: 'layers of experts',
  lfm2: 'short convolutions in place of attention',
  qwen3_5: 'pictures beside text, and layers of linear attention',
  qwen3_5_text: 'layers of linear attention',
  qwen3_next: 'layers of linear attention',
};

/** Keys that change what is computed, each with the only value that is computed here. */
const FIXED: Readonly<Record<string, { readonly neutral: readonly unknown[]; readonly rule: string }>> = {
  mlp_bias: { neutral: [false], rule: 'the feed-forward layer here has no biases' },
  partial_rotary_factor: { neutral: [1], rule: 'positions turn whole heads here' },
  rope_interleaved: { neutral: [false], rule: 'positions turn the halves of a head here' },
  quantization_config: {
    neutral: [],
    rule: 'weights are read as F32, F16 or BF16; take the model that it was made of',
  },
  auto_map: { neutral: [], rule: 'the model computes by code of its own, which is not run' },
};

const SILU = ['silu', 'swish'];
/** Kinds of layers that are computed here; Granite 4's files call the first `attention`. */
const LAYERS: readonly unknown[] = ['full_attention', 'attention', 'sliding_attention'];

/** Gemma 3: every sixth layer, if nothing else is said, sees all tokens and turns by another θ than the others. */
function gemmaFamily(config: Json, file: string): FamilyShape {
  const scalar = positive(config.query_pre_attn_scalar ?? 256, `${file}: query_pre_attn_scalar`);
  const count = natural(config, 'num_hidden_layers', file);
  const types: readonly unknown[] = Array.isArray(config.layer_types) ? config.layer_types : [];
  const layers =
    types.length > 0
      ? Array.from({ length: count }, (_, layer) => types[layer] === 'sliding_attention')
      : allButEvery(natural(config, 'sliding_window_pattern', file, GEMMA_EVERY), count);
  const local = (config.rope_parameters as Json | undefined)?.sliding_attention as Json | undefined;
  const window = wholeNumber(config.sliding_window ?? 4096, `${file}: sliding_window`);
  const theta = local?.rope_theta ?? config.rope_local_base_freq ?? GEMMA_LOCAL_THETA;
  const hiddenSize = natural(config, 'hidden_size', file);
  return {
    ...gemmaShape(hiddenSize, layers, window, positive(theta, `${file}: rope_local_base_freq`)),
    attentionScale: 1 / Math.sqrt(scalar),
  };
}

function graniteFamily(config: Json, file: string): FamilyShape {
  const multiplier = (key: string): number => positive(config[key] ?? 1, `${file}: ${key}`);
  return {
    embeddingScale: multiplier('embedding_multiplier'),
    attentionScale: multiplier('attention_multiplier'),
    branchScale: multiplier('residual_multiplier'),
    logitScale: 1 / multiplier('logits_scaling'),
  };
}

/** Without a position_embedding_type positions turn nothing, and without layer_types all layers are recurrent. */
function hybridFamily(config: Json, file: string): FamilyShape {
  if (config.num_local_experts === undefined) {
    throw unsupported(`${file}: num_local_experts is missing`, 'then there are 8, and no experts are computed here');
  }
  if (!Array.isArray(config.layer_types ?? config.layers_block_type)) {
    throw unsupported(`${file}: layer_types is missing`, 'then all layers are recurrent, which are not computed here');
  }
  const turns = config.position_embedding_type === 'rope';
  const layers = Array.from({ length: natural(config, 'num_hidden_layers', file) }, () => true);
  return { ...graniteFamily(config, file), ...(!turns && { otherRope: { layers, theta: null } }) };
}

/** SmolLM3: in every fourth layer, if nothing else is said, positions turn nothing. */
function smolFamily(config: Json, file: string): FamilyShape {
  const count = natural(config, 'num_hidden_layers', file);
  const given: readonly unknown[] = Array.isArray(config.no_rope_layers) ? config.no_rope_layers : [];
  const turning =
    given.length > 0
      ? Array.from({ length: count }, (_, layer) => given[layer] === 1)
      : allButEvery(natural(config, 'no_rope_layer_interval', file, 4), count);
  const layers = turning.map((turns) => !turns);
  return layers.includes(true) ? { otherRope: { layers, theta: null } } : {};
}

/** @throws CheckpointError `model-unsupported` naming the key */
export function readModelConfig(config: Json, file = 'config.json'): Omit<PretrainedModel, 'tensors'> {
  const type = config.model_type;
  if (typeof type !== 'string' || !Object.hasOwn(ARCHITECTURES, type)) {
    const known = Object.keys(ARCHITECTURES).join(', ');
    const why = typeof type === 'string' && Object.hasOwn(NOT_COMPUTED, type) ? `has ${NOT_COMPUTED[type]}; ` : '';
    throw unsupported(`${file}: model_type ${shown(type)}`, `${why}this engine computes ${known}`, { type });
  }
  const of = ARCHITECTURES[type];
  const { className } = of;
  const { architectures } = config;
  if (Array.isArray(architectures) && architectures.length > 0 && !architectures.includes(className)) {
    const rule = `has another head than a language model's; ${className} is computed here`;
    throw unsupported(`${file}: architectures ${JSON.stringify(architectures)}`, rule);
  }
  for (const [key, { neutral, rule }] of Object.entries({ ...FIXED, ...of.fixed })) {
    const value = config[key] ?? undefined;
    if (value !== undefined && !neutral.includes(value)) throw unsupported(`${file}: ${key} ${shown(value)}`, rule);
  }
  requireActivation(config, of, file);
  const numHeads = natural(config, 'num_attention_heads', file);
  const hiddenSize = natural(config, 'hidden_size', file);
  const numKvHeads = natural(config, 'num_key_value_heads', file, of.numKvHeads ?? numHeads);
  const headDim = natural(config, 'head_dim', file, of.headDim ?? hiddenSize / numHeads);
  if (numHeads % numKvHeads !== 0) {
    throw unsupported(`${file}: num_key_value_heads ${numKvHeads}`, `does not divide num_attention_heads ${numHeads}`);
  }
  if (headDim % 2 !== 0)
    throw unsupported(`${file}: head_dim ${headDim}`, 'rotary positions turn pairs; it must be even');
  const positions = natural(config, 'max_position_embeddings', file);
  const window = slidingWindow(config, type, of, file);
  const family = of.family?.(config, file);
  const shape: ModelShape = {
    vocabSize: natural(config, 'vocab_size', file),
    hiddenSize,
    intermediateSize: natural(config, of.width ?? 'intermediate_size', file),
    numLayers: requireLayers(natural(config, 'num_hidden_layers', file), `${file}: num_hidden_layers`),
    numHeads,
    numKvHeads,
    headDim,
    ...rotation(config, file, headDim / 2, positions),
    rmsNormEps: positive(config.rms_norm_eps ?? 1e-6, `${file}: rms_norm_eps`),
    tieWordEmbeddings: flag(config, 'tie_word_embeddings', file, of.tied),
    attentionBias: of.attentionBias ?? flag(config, 'attention_bias', file),
    qkNorm: of.qkNorm === true,
    ...(family && Object.keys(family).length > 0 && { family }),
  };
  return window < positions
    ? { shape, context: window, contextKey: 'sliding_window' }
    : { shape, context: positions, contextKey: 'max_position_embeddings' };
}

/**
 * Tokens from which on a layer would no longer see the first one; infinite where no window is in use. Shorter sequences
 * are computed as if there were none.
 */
function slidingWindow(config: Json, type: string, of: Architecture, file: string): number {
  const given = config.sliding_window === undefined ? (of.slidingWindow ?? null) : config.sliding_window;
  const { layers_block_type: older, layer_types: types = older } = config;
  const kinds = Array.isArray(types) ? types : [];
  const unknown = kinds.find((kind) => !LAYERS.includes(kind));
  if (unknown !== undefined) throw unsupported(`${file}: layer_types ${shown(unknown)}`, 'is not computed here');
  const isUsed =
    ['mistral', 'phi3'].includes(type) || config.use_sliding_window === true || kinds.includes('sliding_attention');
  if (given === null || type === 'llama' || type === 'gemma3_text' || !isUsed) return Number.POSITIVE_INFINITY;
  return wholeNumber(given, `${file}: sliding_window`);
}

/** Older files have rope_theta beside rope_scaling, those of transformers 5 both in rope_parameters. */
function rotation(
  config: Json,
  file: string,
  pairs: number,
  positions: number,
): Pick<ModelShape, 'ropeTheta' | 'ropeScaling'> {
  const key = config.rope_parameters ? 'rope_parameters' : 'rope_scaling';
  // Where kinds of layers have their own, these are of those that see all tokens.
  const given = (config[key] as Json | undefined)?.full_attention ?? config[key] ?? {};
  if (typeof given !== 'object' || Array.isArray(given))
    throw unsupported(`${file}: ${key} ${shown(given)}`, 'is not an object');
  const scaling = given as Json;
  const place = `${file}: ${key}`;
  const ropeTheta = positive(scaling.rope_theta ?? config.rope_theta ?? 10_000, `${file}: rope_theta`);
  const turned = scaling.partial_rotary_factor ?? 1;
  if (turned !== 1)
    throw unsupported(`${place}.partial_rotary_factor ${shown(turned)}`, 'positions turn whole heads here');
  const type = scaling.rope_type ?? scaling.type ?? 'default';
  const number = (name: string): number => positive(scaling[name], `${place}.${name}`);
  switch (type) {
    case 'default':
      return { ropeTheta };
    case 'linear':
      return { ropeTheta, ropeScaling: { type: 'linear', factor: number('factor') } };
    case 'llama3': {
      const ropeScaling: RopeScaling = {
        type: 'llama3',
        factor: number('factor'),
        lowFreqFactor: number('low_freq_factor'),
        highFreqFactor: number('high_freq_factor'),
        originalMaxPositionEmbeddings: number('original_max_position_embeddings'),
      };
      return { ropeTheta, ropeScaling };
    }
    // Up to the positions that it was trained with nothing changes, and no longer text is computed.
    case 'dynamic':
      return { ropeTheta };
    case 'yarn':
      return { ropeTheta, ropeScaling: yarn(scaling, place, positions) };
    case 'longrope':
      return { ropeTheta, ropeScaling: { type: 'factors', factors: sameFactors(scaling, place, pairs) } };
    default:
      throw unsupported(
        `${place}: rope_type ${shown(type)}`,
        'positions are turned by default, linear, llama3, yarn or dynamic here',
      );
  }
}

function yarn(scaling: Json, place: string, positions: number): RopeScaling {
  const number = (name: string, byDefault?: number): number => positive(scaling[name] ?? byDefault, `${place}.${name}`);
  const originalMaxPositionEmbeddings = number('original_max_position_embeddings', positions);
  const factor = number('factor', positions / originalMaxPositionEmbeddings);
  const scaleOf = (times: unknown): number =>
    factor <= 1 ? 1 : 0.1 * positive(times, `${place}.mscale`) * Math.log(factor) + 1;
  const { mscale, mscale_all_dim: all } = scaling;
  return {
    type: 'yarn',
    factor,
    betaFast: number('beta_fast', 32),
    betaSlow: number('beta_slow', 1),
    attentionFactor: number('attention_factor', mscale && all ? scaleOf(mscale) / scaleOf(all) : scaleOf(1)),
    originalMaxPositionEmbeddings,
    truncate: scaling.truncate !== false,
  };
}

/** One factor per frequency, as a model that came from a GGUF file is written: others depend on the length of the text. */
function sameFactors(
  { short_factor, long_factor, attention_factor = 1 }: Json,
  place: string,
  pairs: number,
): readonly number[] {
  const factors: readonly unknown[] = Array.isArray(short_factor) ? short_factor : [];
  const isSame = factors.length === pairs && JSON.stringify(short_factor) === JSON.stringify(long_factor);
  if (!isSame || attention_factor !== 1) {
    const rule = 'factors that change with the length of a text, or scale attention, are not computed here';
    throw unsupported(`${place}: rope_type "longrope"`, rule);
  }
  return factors.map((factor, i) => positive(factor, `${place}.short_factor[${i}]`));
}

function natural(config: Json, key: string, file: string, byDefault?: number): number {
  return wholeNumber(config[key] ?? byDefault, `${file}: ${key}`);
}

/** @throws CheckpointError `model-unsupported` naming the place */
export function wholeNumber(value: unknown, place: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number;
  throw unsupported(`${place} ${shown(value)}`, 'must be a whole number above 0');
}

/** @throws CheckpointError `model-unsupported` naming the place */
export function positive(value: unknown, place: string): number {
  if (typeof value === 'number' && value > 0 && Number.isFinite(value)) return value;
  throw unsupported(`${place} ${shown(value)}`, 'must be a number above 0');
}

function requireActivation(config: Json, { activation }: Architecture, file: string): void {
  const key = activation === undefined ? 'hidden_act' : 'hidden_activation';
  const value = config[key] ?? undefined;
  const computed = activation === undefined ? SILU : [activation];
  if (value === undefined || computed.some((one) => one === value)) return;
  throw unsupported(`${file}: ${key} ${shown(value)}`, `the feed-forward layer here is gated by ${computed[0]} alone`);
}

function flag(config: Json, key: string, file: string, byDefault = false): boolean {
  const value = config[key] ?? byDefault;
  if (typeof value === 'boolean') return value;
  throw unsupported(`${file}: ${key} ${shown(value)}`, 'must be true or false');
}

/** A value for a message. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'is missing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
