/** The adapter of a policy in PEFT's layout, and back. */

import {
  type AdapterConfig,
  adapterConfigJson,
  BASE_SHA256,
  type BaseName,
  nameInFile,
} from '../../model/adapter_config.ts';
import type { Policy } from '../../model/policy.ts';
import type { Store } from '../store/store.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from './file_names.ts';
import { encodeJson, encodeWeights } from './model_files.ts';

/** The base model of an adapter. */
export interface AdapterBase {
  readonly name: BaseName;
  /** Hash of its weights. */
  readonly sha256: string;
}

/** Writes adapter_config.json into `folder` of the store. */
export async function writeAdapterConfig(
  store: Store,
  folder: string,
  config: AdapterConfig,
  base: AdapterBase,
): Promise<void> {
  await store.writeAtomic(`${folder}/${ADAPTER_CONFIG}`, encodeJson(adapterConfigJson(config, base.name)));
}

/**
 * Writes adapter_config.json and adapter_model.safetensors into `folder` of the store.
 * @returns SHA-256 of all weights, in the order of the tensors
 */
export async function writeAdapter(
  store: Store,
  folder: string,
  policy: Policy,
  config: AdapterConfig,
  base: AdapterBase,
): Promise<string> {
  const metadata = { [BASE_SHA256]: base.sha256 };
  const { file, sha256 } = await encodeWeights(policy, { nameOf: nameInFile, metadata });
  await store.writeAtomic(`${folder}/${ADAPTER_WEIGHTS}`, file);
  await writeAdapterConfig(store, folder, config, base);
  return sha256;
}
