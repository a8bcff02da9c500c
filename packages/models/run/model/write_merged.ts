/** A pretrained model with its adapter merged, as a folder of its own in Hugging Face's layout. */

import { elementBytes, safetensorsHead } from '../../../../src/model/safetensors.ts';
import { INDEX, WHOLE } from '../../../../src/run/model/file_names.ts';
import { encodeJson } from '../../../../src/run/model/model_files.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { GGUF_ENCODERS } from '../../model/pretrained/gguf_encoders.ts';
import { isDerived } from '../../model/pretrained/load_weights.ts';
import { allValues, type PretrainedTensor } from '../../model/pretrained/source.ts';
import { requireSameText } from './compare_codec.ts';
import { compareWeights, type Exported } from './compare_weights.ts';
import { textsToRead } from './export_texts.ts';
import { folderOf, openPretrained } from './open_pretrained.ts';
import type { Pretrained } from './pretrained.ts';
import { writeBeside } from './write_beside.ts';

/** Types of its weights, by their names on the command line: what safetensors and config.json call each. */
export const FOLDER_DTYPES = {
  f32: { element: 'F32', torch: 'float32' },
  f16: { element: 'F16', torch: 'float16' },
  bf16: { element: 'BF16', torch: 'bfloat16' },
} as const;

export type FolderDtype = keyof typeof FOLDER_DTYPES;

/** Bytes of weights in one file: what programs that read a file as a whole can hold. */
export const SHARD_BYTES = 2e9;

/**
 * Writes weights, a tensor at a time, config and tokenizer, opens the folder again, and compares every weight. Not atomic: a
 * folder is whole once it has config.json. Weights of more than `shardBytes` are written as shards, with the index of them.
 *
 * @param folder  of the store; nothing is in it yet
 * @throws CheckpointError where it was not written as it is
 */
export async function writeMergedModel(
  store: Store,
  folder: string,
  pretrained: Pretrained,
  dtype: FolderDtype = 'f32',
  shardBytes: number = SHARD_BYTES,
): Promise<Exported> {
  const { model, codec, name: shown } = pretrained;
  const tensors = [...model.tensors].filter(([name]) => !isDerived(name, model));
  const { torch } = FOLDER_DTYPES[dtype];
  const encoder = GGUF_ENCODERS[dtype];
  await writeShards(store, folder, tensors, dtype, shardBytes);
  await writeBeside(store, folder, pretrained, { dtype: torch });
  const opened = await openPretrained({ name: shown, files: folderOf(store, folder) });
  requireSameText(shown, { own: codec, opened: opened.codec, texts: textsToRead(pretrained) });
  const written = tensors.map(([name]) => ({ name, encoder }));
  const change = await compareWeights(shown, written, { own: model.tensors, opened: opened.model.tensors });
  return { change, opened };
}

/** In the order of the model: one file, or several and their index, as transformers has them. */
async function writeShards(
  store: Store,
  folder: string,
  tensors: readonly (readonly [string, PretrainedTensor])[],
  dtype: FolderDtype,
  shardBytes: number,
): Promise<void> {
  const { element } = FOLDER_DTYPES[dtype];
  const bytesOf = ({ shape }: PretrainedTensor): number =>
    shape.reduce((product, size) => product * size, elementBytes(element));
  const shards: (typeof tensors)[number][][] = [[]];
  let [held, total] = [0, 0];
  for (const tensor of tensors) {
    const bytes = bytesOf(tensor[1]);
    if (held > 0 && held + bytes > shardBytes) {
      shards.push([]);
      held = 0;
    }
    shards.at(-1)?.push(tensor);
    held += bytes;
    total += bytes;
  }
  const number = (value: number): string => String(value).padStart(5, '0');
  const map: Record<string, string> = {};
  for (const [i, own] of shards.entries()) {
    const name = shards.length === 1 ? WHOLE : `model-${number(i + 1)}-of-${number(shards.length)}.safetensors`;
    const file = `${folder}/${name}`;
    const described = own.map(([tensor, { shape }]) => ({ name: tensor, shape, dtype: element }));
    await store.append(file, safetensorsHead(described, { format: 'pt' }));
    for (const [tensor, values] of own) {
      await store.append(file, GGUF_ENCODERS[dtype].encode(await allValues(values)));
      map[tensor] = name;
    }
    await store.sync(file);
  }
  if (shards.length === 1) return;
  const index = { metadata: { total_size: total }, weight_map: map };
  await store.writeAtomic(`${folder}/${INDEX}`, encodeJson(index));
}
