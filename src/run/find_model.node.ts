/** A path to a pretrained model: a folder, a .gguf file, or the directory of a finished run. */
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { CheckpointError } from '../errors.ts';
import { fileStore } from './files.node.ts';
import { MODEL_FOLDER } from './model_files.ts';
import type { ModelPlace } from './pretrained.ts';

/**
 * @param path  as the user wrote it
 * @param from  the folder that it is relative to; default: where the command was typed
 * @param shown  how messages name it
 * @throws CheckpointError `no-model` where nothing of the kind is there
 */
export function findModel(path: string, from = '.', shown = path): ModelPlace {
  const place = resolve(from, path);
  const status = statSync(place, { throwIfNoEntry: false });
  if (status?.isFile() && place.endsWith('.gguf')) {
    return { name: shown, files: fileStore(dirname(place)), gguf: basename(place) };
  }
  if (status?.isFile()) throw noModel(shown, 'a file that is not .gguf; give the folder of a model, or a .gguf file');
  if (status?.isDirectory()) {
    const own = join(place, MODEL_FOLDER);
    const isRun = isFile(join(place, 'config.yaml')) && isFile(join(own, 'config.json'));
    return { name: shown, files: fileStore(isRun ? own : place) };
  }
  const isHubName = /^[\w-][\w.-]*\/[\w.-]+$/.test(shown);
  const hub = 'names of the Hugging Face hub are not fetched, download the model and give its folder';
  throw noModel(shown, `no such folder or file; ${isHubName ? hub : 'give the folder of a model, or a .gguf file'}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function noModel(path: string, rule: string): CheckpointError {
  return new CheckpointError('no-model', `model ${JSON.stringify(path)} — ${rule}.`, { path });
}
