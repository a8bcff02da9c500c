/** The trained model as other tools read it: model.safetensors, config.json, tokenizer.json, tokenizer_config.json. */

import type { RunConfig } from '../../config/run_config.ts';
import { CheckpointError } from '../../errors.ts';
import { countParameters, type Parameter } from '../../model/parameters.ts';
import type { Policy } from '../../model/policy.ts';
import {
  allocateSafetensors,
  decodeElements,
  elementBytes,
  namingFile,
  readTensorPlaces,
  type TensorPlace,
  type TensorRecord,
} from '../../model/safetensors.ts';
import type { ModelShape, RopeScaling } from '../../model/shape.ts';
import type { Codec } from '../../text/codec.ts';
import { sha256Hex } from '../fingerprint/sha256.ts';
import type { Store } from '../store/store.ts';
import { ADAPTER_WEIGHTS } from './file_names.ts';

/** The folder of the final model in a run directory. */
export const MODEL_FOLDER = 'model';

/** Its weights file: the model's, or the adapter's. */
export function modelFile({ adapter }: Pick<RunConfig, 'adapter'>): string {
  return `${MODEL_FOLDER}/${adapter === undefined ? 'model.safetensors' : ADAPTER_WEIGHTS}`;
}

/** Architecture class that Hugging Face's transformers loads these weights with, and what config.json and GGUF call it. */
export function architecture(shape: ModelShape): { readonly name: string; readonly type: string } {
  const { family } = shape;
  if (family?.offsetNorms) return { name: 'Gemma3ForCausalLM', type: 'gemma3_text' };
  if (family?.branchScale !== undefined) return { name: 'GraniteForCausalLM', type: 'granite' };
  if (family?.otherRope !== undefined) return { name: 'SmolLM3ForCausalLM', type: 'smollm3' };
  if (shape.qkNorm) return { name: 'Qwen3ForCausalLM', type: 'qwen3' };
  if (shape.attentionBias) return { name: 'Qwen2ForCausalLM', type: 'qwen2' };
  return { name: 'LlamaForCausalLM', type: 'llama' };
}

/** One id, or a list of several, as transformers has it. */
export function eosTokenIds({
  stopIds,
  eosTokenId,
}: Pick<Codec, 'stopIds' | 'eosTokenId'>): number | readonly number[] {
  return stopIds.length > 1 ? stopIds : eosTokenId;
}

/** As transformers 4 writes it, which 5 reads too. */
function ropeScalingJson(scaling: RopeScaling): Record<string, unknown> {
  switch (scaling.type) {
    case 'linear':
      return { rope_type: 'linear', factor: scaling.factor };
    case 'llama3':
      return {
        rope_type: 'llama3',
        factor: scaling.factor,
        low_freq_factor: scaling.lowFreqFactor,
        high_freq_factor: scaling.highFreqFactor,
        original_max_position_embeddings: scaling.originalMaxPositionEmbeddings,
      };
    case 'yarn':
      return {
        rope_type: 'yarn',
        factor: scaling.factor,
        beta_fast: scaling.betaFast,
        beta_slow: scaling.betaSlow,
        attention_factor: scaling.attentionFactor,
        original_max_position_embeddings: scaling.originalMaxPositionEmbeddings,
        truncate: scaling.truncate,
      };
    case 'factors':
      // The only type with a factor per frequency; without an attention factor it only divides by them.
      return {
        rope_type: 'longrope',
        attention_factor: 1,
        short_factor: scaling.factors,
        long_factor: scaling.factors,
        factor: 1,
      };
    default: {
      const unreachable: never = scaling;
      return unreachable;
    }
  }
}

/** Keys of a family's own. */
function familyKeys({ family, numLayers }: ModelShape): Record<string, unknown> {
  const { otherRope, attentionScale = 1 } = family ?? {};
  const layers = Array.from({ length: numLayers }, (_, layer) => otherRope?.layers[layer] === true);
  if (family?.offsetNorms) {
    return {
      hidden_activation: 'gelu_pytorch_tanh',
      query_pre_attn_scalar: Number((attentionScale ** -2).toPrecision(12)),
      rope_local_base_freq: otherRope?.theta,
      sliding_window: family.window?.size,
      layer_types: layers.map((isLocal) => (isLocal ? 'sliding_attention' : 'full_attention')),
    };
  }
  if (family?.branchScale !== undefined) {
    return {
      embedding_multiplier: family.embeddingScale,
      attention_multiplier: attentionScale,
      residual_multiplier: family.branchScale,
      logits_scaling: Number((1 / (family.logitScale ?? 1)).toPrecision(12)),
    };
  }
  return otherRope === undefined ? {} : { no_rope_layers: layers.map((isFixed) => (isFixed ? 0 : 1)) };
}

/** Contents of config.json. */
function modelConfigJson(
  shape: ModelShape,
  tokenizer: Codec,
  { context, dtype = 'float32', others = {} }: StoredModel,
): Record<string, unknown> {
  const { name, type } = architecture(shape);
  return {
    architectures: [name],
    model_type: type,
    vocab_size: shape.vocabSize,
    hidden_size: shape.hiddenSize,
    intermediate_size: shape.intermediateSize,
    num_hidden_layers: shape.numLayers,
    num_attention_heads: shape.numHeads,
    num_key_value_heads: shape.numKvHeads,
    head_dim: shape.headDim,
    ...(shape.family?.activation === undefined && { hidden_act: 'silu' }),
    rope_theta: shape.ropeTheta,
    ...(shape.ropeScaling !== undefined && { rope_scaling: ropeScalingJson(shape.ropeScaling) }),
    rms_norm_eps: shape.rmsNormEps,
    tie_word_embeddings: shape.tieWordEmbeddings,
    attention_bias: shape.attentionBias,
    mlp_bias: false,
    max_position_embeddings: context,
    eos_token_id: eosTokenIds(tokenizer),
    pad_token_id: tokenizer.padTokenId,
    torch_dtype: dtype,
    ...familyKeys(shape),
    ...others,
  };
}

/**
 * Writes the model's files into `folder` of the store.
 *
 * @param context  longest sequence that it reads
 * @returns SHA-256 of all weights, in the order of the tensors
 */
export async function writeModel(
  store: Store,
  folder: string,
  policy: Policy,
  tokenizer: Codec,
  context: number = policy.capacity.context,
): Promise<string> {
  const { file, sha256 } = await encodeWeights(policy);
  await store.writeAtomic(`${folder}/model.safetensors`, file);
  await writeModelConfig(store, folder, policy.shape, tokenizer, { context });
  await writeTokenizer(store, folder, tokenizer);
  return sha256;
}

/** Contents of config.json besides shape and vocabulary. */
export interface StoredModel {
  /** Longest sequence that it reads. */
  readonly context: number;
  /** Type of its weights, as PyTorch calls it; default: float32. */
  readonly dtype?: string;
  /** Keys of programs that open the folder. */
  readonly others?: Readonly<Record<string, unknown>>;
}

export async function writeModelConfig(
  store: Store,
  folder: string,
  shape: ModelShape,
  tokenizer: Codec,
  stored: StoredModel,
): Promise<void> {
  await store.writeAtomic(`${folder}/config.json`, encodeJson(modelConfigJson(shape, tokenizer, stored)));
}

/** Writes the tokenizer's files: byte for byte those of the pretrained model, or the task's own vocabulary. */
export async function writeTokenizer(store: Store, folder: string, tokenizer: Codec): Promise<void> {
  const { files = new Map<string, Uint8Array>() } = tokenizer;
  for (const [name, bytes] of files) await store.writeAtomic(`${folder}/${name}`, bytes);
  const write = async (name: string, value: () => unknown): Promise<void> => {
    if (!files.has(name)) await store.writeAtomic(`${folder}/${name}`, encodeJson(value()));
  };
  await write('tokenizer.json', () => tokenizer.toJSON());
  await write('tokenizer_config.json', () => tokenizer.configJSON());
}

/** As files of a model have it: indented, with a last line break. */
export function encodeJson(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
}

/** The parameters that a run's files hold: its adapters if it has some, since the rest is the frozen base. */
export function ownParameters({ parameters, adapterParameters }: Policy): readonly Parameter[] {
  return adapterParameters.length > 0 ? adapterParameters : parameters;
}

/**
 * The policy's weights as model.safetensors, and their SHA-256 in the order of the tensors.
 *
 * @param nameOf  from a tensor's name to that in the file
 */
export async function encodeWeights(
  policy: Policy,
  { nameOf = (name: string) => name, metadata = {} } = {},
): Promise<{ readonly file: Uint8Array<ArrayBuffer>; readonly sha256: string }> {
  const { file, dataBegin } = allocateSafetensors(
    ownParameters(policy).map(({ name, slot }) => ({ name: nameOf(name), shape: slot.shape, dtype: 'F32' })),
    { format: 'pt', ...metadata },
  );
  const weights = file.subarray(dataBegin);
  await readInto(weights, policy);
  return { file, sha256: await sha256Hex(weights) };
}

/** SHA-256 over the tensors' bytes, one after the other. */
export async function weightsSha256(policy: Policy): Promise<string> {
  const weights = new Uint8Array(4 * countParameters(ownParameters(policy)));
  await readInto(weights, policy);
  return sha256Hex(weights);
}

/** Copies the tensors' bytes one after the other: `bytes` is the only whole copy of the model in memory. */
async function readInto(bytes: Uint8Array, policy: Policy): Promise<void> {
  let offset = 0;
  for (const parameter of ownParameters(policy)) {
    const { buffer, byteOffset, byteLength } = await policy.readParameter(parameter);
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += byteLength;
  }
}

/** Copies of the run's own weights, requested together so that a backend that reads by transfer needs only one. */
export function readWeights(policy: Policy): Promise<TensorRecord[]> {
  return Promise.all(
    ownParameters(policy).map(async (parameter) => ({
      name: parameter.name,
      shape: parameter.slot.shape,
      data: await policy.readParameter(parameter),
    })),
  );
}

/** Most bytes of a file that are in memory at once. */
const PIECE_BYTES = 4 * 1024 ** 2;

export interface LoadOptions {
  /** Called with the tensors' bytes as in the file, in the policy's order, which `writeModel` hashes. */
  readonly heard?: (bytes: Uint8Array) => void;
  /** From a tensor's name to that in the file. */
  readonly nameOf?: (name: string) => string;
}

/**
 * Loads model.safetensors of a run into a policy, holding one piece of the file at a time. Nothing is written before
 * all tensors are known to fit.
 *
 * @throws CheckpointError when the file is missing or damaged, or a tensor missing or misshapen
 */
export async function loadModel(
  store: Store,
  file: string,
  policy: Policy,
  { heard = () => {}, nameOf = (name) => name }: LoadOptions = {},
): Promise<void> {
  const size = await store.size(file);
  if (size === undefined) throw new CheckpointError('no-model', `${file}: no such file; has the run finished?`);
  const read = async (begin: number, end: number): Promise<Uint8Array> => {
    const bytes = await store.readRange(file, begin, end);
    if (bytes?.length === end - begin) return bytes;
    throw new CheckpointError('file-changed', `${file}: became shorter while it was read. Try again.`, { file });
  };
  const remedy = ' Or remove it: the newest checkpoint is then used.';
  const places = await namingFile(file, readTensorPlaces(read, size), remedy);
  const located = ownParameters(policy).map((parameter) => ({
    parameter,
    place: placeOf(file, places, parameter, nameOf),
  }));
  for (const { parameter, place } of located) {
    const bytesEach = elementBytes(place.dtype);
    for (let begin = place.begin; begin < place.end; begin += PIECE_BYTES) {
      const piece = await read(begin, Math.min(begin + PIECE_BYTES, place.end));
      heard(piece);
      policy.writeParameter(parameter, decodeElements(place.dtype, piece), (begin - place.begin) / bytesEach);
    }
  }
}

function placeOf(
  file: string,
  places: ReadonlyMap<string, TensorPlace>,
  { name: ownName, slot }: Pick<Parameter, 'name' | 'slot'>,
  nameOf: (name: string) => string,
): TensorPlace {
  const name = nameOf(ownName);
  const place = places.get(name);
  if (place?.shape.join() === slot.shape.join()) return place;
  const seen = place === undefined ? 'is missing' : `has shape [${place.shape}]`;
  throw new CheckpointError('tensor-mismatch', `${file}: tensor ${name} ${seen}, the config needs [${slot.shape}].`);
}
