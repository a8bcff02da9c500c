/** A kept model as a run begins with it: its files in the browser's own file system, and the hashes that its record has. */
import { CheckpointError } from '../../../src/errors.ts';
import type { ModelFiles } from '../../models/model/pretrained/source.ts';
import { folderOf, openPretrained, type PretrainedOptions } from '../../models/run/model/open_pretrained.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import { opfsStore } from '../store/opfs_store.ts';
import { FOLDER, isName, recordOf } from './kept_models.ts';

/** Opens a kept model, as `model_name_or_path` names it. @throws CheckpointError where it is not there, or not all of it */
export async function openKeptModel(name: string, options: PretrainedOptions = {}): Promise<Pretrained> {
  const store = await opfsStore(FOLDER);
  const record = isName(name) ? await recordOf(store, name) : undefined;
  if (!record?.isWhole) {
    const why = record === undefined ? 'is not in this browser' : 'is not all here yet';
    throw new CheckpointError('no-model', `model_name_or_path: ${name} — ${why}; open it from a file or an address.`);
  }
  const gguf = Object.keys(record.files).find((path) => path.endsWith('.gguf'));
  const files: ModelFiles = {
    ...folderOf(store, name),
    sha256: async (path) => record.files[path]?.sha256,
  };
  return openPretrained({ name, files, ...(gguf !== undefined && { gguf }) }, options);
}
