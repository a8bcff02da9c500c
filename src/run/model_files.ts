/** The trained model as other tools read it: model.safetensors, config.json, tokenizer.json, tokenizer_config.json. */

import { CheckpointError } from '../errors.ts';
import type { Policy } from '../model/policy.ts';
import { decodeSafetensors, encodeSafetensors, type TensorRecord } from '../model/safetensors.ts';
import type { ModelShape } from '../model/shape.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { sha256Hex } from './sha256.ts';
import type { Store } from './store.ts';

/** Architecture class that Hugging Face's transformers loads these weights with. */
function architecture(shape: ModelShape): { readonly name: string; readonly type: string } {
  if (shape.qkNorm) return { name: 'Qwen3ForCausalLM', type: 'qwen3' };
  if (shape.attentionBias) return { name: 'Qwen2ForCausalLM', type: 'qwen2' };
  return { name: 'LlamaForCausalLM', type: 'llama' };
}

/** Contents of config.json. */
function modelConfigJson(shape: ModelShape, context: number, tokenizer: Tokenizer): Record<string, unknown> {
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
    hidden_act: 'silu',
    rope_theta: shape.ropeTheta,
    rms_norm_eps: shape.rmsNormEps,
    tie_word_embeddings: shape.tieWordEmbeddings,
    attention_bias: shape.attentionBias,
    mlp_bias: false,
    max_position_embeddings: context,
    eos_token_id: tokenizer.eosTokenId,
    pad_token_id: tokenizer.padTokenId,
    torch_dtype: 'float32',
  };
}

/** Writes the model's files into `folder` of the store. @returns SHA-256 of all weights, in the order of the tensors */
export async function writeModel(store: Store, folder: string, policy: Policy, tokenizer: Tokenizer): Promise<string> {
  const tensors = await readWeights(policy);
  const json = (value: unknown): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`);
  await store.writeAtomic(`${folder}/model.safetensors`, encodeSafetensors(tensors, { format: 'pt' }));
  await store.writeAtomic(
    `${folder}/config.json`,
    json(modelConfigJson(policy.shape, policy.capacity.context, tokenizer)),
  );
  await store.writeAtomic(`${folder}/tokenizer.json`, json(tokenizer.toJSON()));
  await store.writeAtomic(`${folder}/tokenizer_config.json`, json(tokenizer.configJSON()));
  return sha256OfTensors(tensors);
}

/** SHA-256 over the tensors' bytes, one behind the other. */
export async function weightsSha256(policy: Policy): Promise<string> {
  return sha256OfTensors(await readWeights(policy));
}

async function sha256OfTensors(tensors: readonly TensorRecord[]): Promise<string> {
  const bytes = new Uint8Array(tensors.reduce((sum, { data }) => sum + data.byteLength, 0));
  let at = 0;
  for (const { data } of tensors) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return sha256Hex(bytes);
}

/** Copies of all weights. Asked for together, they come back in one transfer where reading is one. */
export function readWeights(policy: Policy): Promise<TensorRecord[]> {
  return Promise.all(
    policy.parameters.map(async (parameter) => ({
      name: parameter.name,
      shape: parameter.slot.shape,
      data: await policy.readParameter(parameter),
    })),
  );
}

/** Loads model.safetensors of a run into a policy. @throws CheckpointError when a tensor is missing or misshapen */
export async function loadModel(store: Store, file: string, policy: Policy): Promise<void> {
  const bytes = await store.read(file);
  if (bytes === undefined) throw new CheckpointError('no-model', `${file}: no such file; has the run finished?`);
  const { tensors } = decodeNamed(file, bytes);
  const found = policy.parameters.map(({ name, slot }) => {
    const tensor = tensors.get(name);
    if (tensor?.shape.join() === slot.shape.join()) return tensor.data;
    const seen = tensor === undefined ? 'is missing' : `has shape [${tensor.shape}]`;
    throw new CheckpointError('tensor-mismatch', `${file}: tensor ${name} ${seen}, the config needs [${slot.shape}].`);
  });
  policy.parameters.forEach((parameter, i) => {
    policy.writeParameter(parameter, found[i]);
  });
}

/** The error names the file, and that there may be another one. */
function decodeNamed(file: string, bytes: Uint8Array): ReturnType<typeof decodeSafetensors> {
  try {
    return decodeSafetensors(bytes);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    const remedy = 'Or remove it: the newest checkpoint is then used';
    throw new CheckpointError(error.code, `${file}: ${error.message} ${remedy}.`, { file, ...error.facts });
  }
}
