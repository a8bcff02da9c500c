/** A model in a folder of Hugging Face's layout: config.json and its weights. */
import { CheckpointError } from '../../../../src/errors.ts';
import { CONFIG } from '../../../../src/run/model/file_names.ts';
import { readModelConfig } from './config_json.ts';
import { takenApart } from './fused.ts';
import { openSafetensors, safetensorsTensors } from './safetensors_files.ts';
import type { ModelFiles, PretrainedModel } from './source.ts';

/**
 * Reads headers alone.
 *
 * @param weights  their file; default: model.safetensors, or the shards of its index
 * @throws CheckpointError where something is missing, damaged, or not computed here
 */
export async function openModelFolder(files: ModelFiles, weights?: string): Promise<PretrainedModel> {
  const config = await readJsonFile(files, CONFIG);
  if (config === undefined) {
    const remedy = 'give the folder of a model: config.json, model.safetensors, tokenizer.json';
    throw new CheckpointError('no-model', `${CONFIG}: no such file — ${remedy}.`);
  }
  const tensors =
    weights === undefined ? await safetensorsTensors(files) : (await openSafetensors(files, weights)).tensors;
  const model = readModelConfig(config);
  return { ...model, tensors: takenApart(tensors, model.shape) };
}

/** A file that holds a JSON object; undefined where there is none. @throws CheckpointError where it holds anything else */
export async function readJsonFile(
  files: ModelFiles,
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const bytes = await files.read(path);
  if (bytes === undefined) return undefined;
  let reason = 'not an object';
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  throw new CheckpointError('json-malformed', `${path}: is not JSON of a model (${reason}). Copy or fetch it again.`, {
    path,
  });
}
