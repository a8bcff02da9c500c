/** An adapter by itself, as a folder in PEFT's layout, with the tokenizer of its model. */

import { adapterConfigJson, BASE_SHA256, nameInFile } from '../../../../src/model/adapter_config.ts';
import { safetensorsHead } from '../../../../src/model/safetensors.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from '../../../../src/run/model/file_names.ts';
import { encodeJson, writeTokenizer } from '../../../../src/run/model/model_files.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { openAdapter } from '../../model/pretrained/adapter_files.ts';
import { GGUF_ENCODERS } from '../../model/pretrained/gguf_encoders.ts';
import { allValues } from '../../model/pretrained/source.ts';
import { compareWeights, type Exported } from './compare_weights.ts';
import { folderOf } from './open_pretrained.ts';
import type { Pretrained } from './pretrained.ts';
import { FOLDER_DTYPES, type FolderDtype } from './write_merged.ts';

/**
 * Writes it, opens it again, and compares every weight. Not atomic.
 *
 * @param folder  of the store; nothing is in it yet
 * @throws CheckpointError where it was not written as it is
 */
export async function writeAdapterFolder(
  store: Store,
  folder: string,
  pretrained: Pretrained & Required<Pick<Pretrained, 'adapter'>>,
  dtype: FolderDtype,
): Promise<Exported> {
  const { adapter, codec, location, name: shown } = pretrained;
  const weights = `${folder}/${ADAPTER_WEIGHTS}`;
  const encoder = GGUF_ENCODERS[dtype];
  const tensors = [...adapter.tensors];
  const { element } = FOLDER_DTYPES[dtype];
  const described = tensors.map(([name, { shape }]) => ({ name: nameInFile(name), shape, dtype: element }));
  const { baseSha256 } = adapter;
  const metadata = { format: 'pt', ...(baseSha256 !== undefined && { [BASE_SHA256]: baseSha256 }) };
  await store.append(weights, safetensorsHead(described, metadata));
  for (const [, tensor] of tensors) await store.append(weights, encoder.encode(await allValues(tensor)));
  await store.sync(weights);
  await store.writeAtomic(`${folder}/${ADAPTER_CONFIG}`, encodeJson(adapterConfigJson(adapter.config, location)));
  await writeTokenizer(store, folder, codec);
  const opened = await openAdapter(folderOf(store, folder));
  const written = tensors.map(([name]) => ({ name, encoder }));
  const change = await compareWeights(shown, written, { own: adapter.tensors, opened: opened.tensors });
  return { change, opened: { ...pretrained, adapter: opened } };
}
