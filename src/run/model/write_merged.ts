/** A pretrained model with its adapter merged, as a folder of its own in Hugging Face's layout. */
import { GGUF_ENCODERS } from '../../model/pretrained/gguf_encoders.ts';
import { isDerived } from '../../model/pretrained/load_weights.ts';
import { allValues } from '../../model/pretrained/source.ts';
import { safetensorsHead } from '../../model/safetensors.ts';
import type { Store } from '../store/store.ts';
import { compareWeights, differs, type Exported } from './compare_weights.ts';
import { encodeJson, eosTokenIds, writeModelConfig, writeTokenizer } from './model_files.ts';
import { folderOf, openPretrained, type Pretrained } from './pretrained.ts';

/** Types of its weights, by their names on the command line: what safetensors and config.json call each. */
export const FOLDER_DTYPES = {
  f32: { element: 'F32', torch: 'float32' },
  f16: { element: 'F16', torch: 'float16' },
  bf16: { element: 'BF16', torch: 'bfloat16' },
} as const;

export type FolderDtype = keyof typeof FOLDER_DTYPES;

/**
 * Writes weights, a tensor at a time, config and tokenizer, opens the folder again, and compares every weight. Not atomic: a
 * folder is whole once it has config.json.
 *
 * @param folder  of the store; nothing is in it yet
 * @throws CheckpointError where it was not written as it is
 */
export async function writeMergedModel(
  store: Store,
  folder: string,
  { model, codec, name: shown }: Pretrained,
  dtype: FolderDtype = 'f32',
): Promise<Exported> {
  const tensors = [...model.tensors].filter(([name]) => !isDerived(name, model));
  const weights = `${folder}/model.safetensors`;
  const { element, torch } = FOLDER_DTYPES[dtype];
  const encoder = GGUF_ENCODERS[dtype];
  const described = tensors.map(([name, { shape }]) => ({ name, shape, dtype: element }));
  await store.append(weights, safetensorsHead(described, { format: 'pt' }));
  for (const [, tensor] of tensors) await store.append(weights, encoder.encode(await allValues(tensor)));
  await store.sync(weights);
  await writeTokenizer(store, folder, codec);
  const generation = { eos_token_id: eosTokenIds(codec), pad_token_id: codec.padTokenId };
  await store.writeAtomic(`${folder}/generation_config.json`, encodeJson(generation));
  await writeModelConfig(store, folder, model.shape, codec, { context: model.context, dtype: torch });
  const opened = await openPretrained({ name: shown, files: folderOf(store, folder) });
  if (String(opened.codec.stopIds) !== String(codec.stopIds)) {
    throw differs(shown, `an answer ends with ${opened.codec.stopIds}, where the model has ${codec.stopIds}`);
  }
  const written = tensors.map(([name]) => ({ name, encoder }));
  const change = await compareWeights(shown, written, { own: model.tensors, opened: opened.model.tensors });
  return { change, opened };
}
