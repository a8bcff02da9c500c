/** Opens the weights of a model that was received: no tokenizer, since a worker knows no text. */
import { openGguf } from '../../models/model/pretrained/gguf_model.ts';
import { openModelFolder } from '../../models/model/pretrained/open_folder.ts';
import type { ModelFiles, PretrainedModel } from '../../models/model/pretrained/source.ts';

/**
 * @param files  whose hashes are those that the learner says
 * @param names  files that it has, which say what it is
 * @throws CheckpointError where they are damaged, or of a model that is not computed here
 */
export async function openReceived(files: ModelFiles, names: readonly string[]): Promise<PretrainedModel> {
  const gguf = names.find((name) => name.endsWith('.gguf'));
  const checkpoint = names.find((name) => /^checkpoints\/[^/]+\/weights\.safetensors$/.test(name));
  return gguf === undefined ? openModelFolder(files, checkpoint) : openGguf(files, gguf);
}
