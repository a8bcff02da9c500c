/** Opens the weights of a model that was received: no tokenizer, since a worker knows no text. */
import { openGguf } from '../../model/pretrained/gguf_model.ts';
import { openModelFolder } from '../../model/pretrained/open_folder.ts';
import type { ModelFiles, PretrainedModel } from '../../model/pretrained/source.ts';
import { type BaseHashes, hashFiles } from '../../run/model/base_hashes.ts';

/**
 * @param names  files that it has, which say what it is
 * @returns the model, and the SHA-256 of its files
 * @throws CheckpointError where they are damaged, or of a model that is not computed here
 */
export async function openReceived(
  files: ModelFiles,
  names: readonly string[],
): Promise<{ readonly model: PretrainedModel; readonly hashes: BaseHashes }> {
  const gguf = names.find((name) => name.endsWith('.gguf'));
  const checkpoint = names.find((name) => /^checkpoints\/[^/]+\/weights\.safetensors$/.test(name));
  const model = gguf === undefined ? await openModelFolder(files, checkpoint) : await openGguf(files, gguf);
  return { model, hashes: await hashFiles(files, names) };
}
