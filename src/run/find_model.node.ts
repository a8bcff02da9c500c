/**
 * A pretrained model by its name: a folder, a .gguf file, the directory of a finished run, or a model of the hub that was
 * fetched into the cache. Nothing is asked of any network.
 */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { commandName } from '../command_name.ts';
import { CheckpointError } from '../errors.ts';
import { findSnapshot, hubCache } from '../hub/cache.node.ts';
import { hubNameText, readHubName } from '../hub/names.ts';
import { fileStore } from './files.node.ts';
import { MODEL_FOLDER } from './model_files.ts';
import type { ModelPlace } from './pretrained.ts';

/**
 * @param path  as the user wrote it; what is there on the disk comes before a model of the hub
 * @param from  the folder that it is relative to; default: where the command was typed
 * @param shown  how messages name it, and its name on the hub
 * @throws CheckpointError `no-model` where nothing of the kind is there
 */
export function findModel(path: string, from = '.', shown = path): ModelPlace {
  const place = resolve(from, path);
  const status = existsSync(place) ? statSync(place) : undefined;
  if (status?.isFile() && place.endsWith('.gguf')) {
    return { name: shown, files: fileStore(dirname(place)), gguf: basename(place) };
  }
  if (status?.isFile()) throw noModel(shown, 'a file that is not .gguf; give the folder of a model, or a .gguf file');
  if (status?.isDirectory()) {
    const own = join(place, MODEL_FOLDER);
    const isRun = isFile(join(place, 'config.yaml')) && isFile(join(own, 'config.json'));
    return { name: shown, files: fileStore(isRun ? own : place) };
  }
  return findInCache(shown);
}

function findInCache(shown: string): ModelPlace {
  const name = readHubName(shown);
  if (name === undefined) throw noModel(shown, 'no such folder or file; give the folder of a model, or a .gguf file');
  const cache = hubCache();
  const snapshot = findSnapshot(cache, name);
  if (snapshot !== undefined) return { name: shown, files: fileStore(snapshot.folder) };
  const remedy = `fetch it: ${commandName()} fetch ${hubNameText(name)}`;
  throw noModel(shown, `neither a folder or file here, nor in the Hugging Face cache (${cache}); ${remedy}`);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function noModel(path: string, rule: string): CheckpointError {
  return new CheckpointError('no-model', `model ${JSON.stringify(path)} — ${rule}.`, { path });
}
