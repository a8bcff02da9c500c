/** A pretrained model with its adapter merged, as a folder of its own in Hugging Face's layout. */
import { isDerived } from '../../model/pretrained/load_weights.ts';
import { allValues } from '../../model/pretrained/source.ts';
import { safetensorsHead } from '../../model/safetensors.ts';
import type { Store } from '../store/store.ts';
import { encodeJson, eosTokenIds, writeModelConfig, writeTokenizer } from './model_files.ts';
import type { Pretrained } from './pretrained.ts';

/**
 * Writes weights in float32, a tensor at a time, config and tokenizer. Not atomic: a folder is whole once it has config.json.
 *
 * @param folder  of the store; nothing is in it yet
 */
export async function writeMergedModel(store: Store, folder: string, { model, codec }: Pretrained): Promise<void> {
  const tensors = [...model.tensors].filter(([name]) => !isDerived(name, model));
  const weights = `${folder}/model.safetensors`;
  const described = tensors.map(([name, { shape }]) => ({ name, shape, dtype: 'F32' as const }));
  await store.append(weights, safetensorsHead(described, { format: 'pt' }));
  for (const [, tensor] of tensors) {
    await store.append(weights, new Uint8Array((await allValues(tensor)).buffer));
  }
  await store.sync(weights);
  await writeTokenizer(store, folder, codec);
  const generation = { eos_token_id: eosTokenIds(codec), pad_token_id: codec.padTokenId };
  await store.writeAtomic(`${folder}/generation_config.json`, encodeJson(generation));
  await writeModelConfig(store, folder, model.shape, codec, model.context);
}
