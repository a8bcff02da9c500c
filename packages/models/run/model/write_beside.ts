/** What lies beside the weights of a model in Hugging Face's layout: its config, its tokenizer, and the ends of an answer. */
import { CONFIG } from '../../../../src/run/model/file_names.ts';
import {
  encodeJson,
  eosTokenIds,
  type StoredModel,
  writeModelConfig,
  writeTokenizer,
} from '../../../../src/run/model/model_files.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { readJsonFile } from '../../model/pretrained/open_folder.ts';
import type { Pretrained } from './pretrained.ts';

/** config.json is the last: a folder is whole once it has it. */
export async function writeBeside(
  store: Store,
  folder: string,
  pretrained: Pretrained,
  stored: Omit<StoredModel, 'context'>,
): Promise<void> {
  const { model, codec } = pretrained;
  await writeTokenizer(store, folder, codec);
  const generation = { eos_token_id: eosTokenIds(codec), pad_token_id: codec.padTokenId };
  await store.writeAtomic(`${folder}/generation_config.json`, encodeJson(generation));
  await writeModelConfig(store, folder, model.shape, codec, { ...stored, context: await contextOf(pretrained) });
}

/** Positions of a model that was trained from scratch have no end; its config says how long its run's sequences were. */
export async function contextOf({ model, place }: Pretrained): Promise<number> {
  if (Number.isFinite(model.context)) return model.context;
  const config = await readJsonFile(place.files, CONFIG);
  return Number(config?.max_position_embeddings ?? 1);
}
