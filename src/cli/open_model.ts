/** The pretrained model that a config names. */
import type { LoadedConfig } from '../config/load.ts';
import { modelPath } from '../plugins/found_files.node.ts';
import { findModel } from '../run/find_model.node.ts';
import { openPretrained, type Pretrained } from '../run/pretrained.ts';

/**
 * Reads headers and tokenizer; undefined where the run starts from random weights.
 *
 * @param file  the config's
 * @throws CheckpointError, DataError
 */
export async function openConfiguredModel(loaded: LoadedConfig, file: string): Promise<Pretrained | undefined> {
  const path = modelPath(loaded, file);
  if (path === undefined) return undefined;
  const { modelNameOrPath = path, chatTemplateKwargs } = loaded.config;
  return openPretrained(findModel(path, '.', modelNameOrPath), chatTemplateKwargs && { chatTemplateKwargs });
}
