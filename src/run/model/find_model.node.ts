/**
 * A pretrained model by its name: a folder, a .gguf file, the directory of a finished run, an adapter of PEFT, which names
 * its base, or a model of the hub that was fetched into the cache. Nothing is asked of any network.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { commandName } from '../../command_name.ts';
import { CheckpointError } from '../../errors.ts';
import { findSnapshot, hubCache } from '../../hub/cache.node.ts';
import { hubNameText, readHubName } from '../../hub/names.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, type BaseName, baseNameOf } from '../../model/pretrained/adapter_files.ts';
import { INDEX, WHOLE } from '../../model/pretrained/safetensors_files.ts';
import { parseJsonObject } from '../json.ts';
import { fileStore } from '../store/files.node.ts';
import { MODEL_FOLDER } from './model_files.ts';
import type { ModelPlace } from './pretrained.ts';

/**
 * Finds a pretrained model by its name, and asks no network.
 *
 * @param path  as the user wrote it; what is there on the disk comes before a model of the hub
 * @param from  the folder that it is relative to; default: where the command was typed
 * @param shown  how messages name it, and its name on the hub
 * @throws CheckpointError `no-model` where nothing of the kind is there
 */
export function findModel(path: string, from = '.', shown = path): ModelPlace {
  const place = resolve(from, path);
  const status = existsSync(place) ? statSync(place) : undefined;
  if (status?.isFile() && place.endsWith('.gguf')) {
    return { name: shown, files: fileStore(dirname(place)), gguf: basename(place), location: { name: place } };
  }
  if (status?.isFile()) throw noModel(shown, 'a file that is not .gguf; give the folder of a model, or a .gguf file');
  if (status?.isDirectory()) {
    const folder = modelFolderOf(place);
    if (isUnfinishedRun(folder)) {
      const remedy = `resume it: ${commandName()} --resume --output ${shown}`;
      throw noModel(shown, `a run that has no ${MODEL_FOLDER}/ yet, which it writes when it is finished; ${remedy}`);
    }
    if (isAdapter(folder)) return findAdapted(folder, shown);
    return { name: shown, files: fileStore(folder), location: { name: folder } };
  }
  return findInCache(shown);
}

/**
 * A model with an adapter that lies elsewhere.
 *
 * @param path  of the adapter: a folder of PEFT's layout, or the directory of a finished run
 * @throws CheckpointError `no-adapter` where it is none, or the model has one already
 */
export function findWithAdapter(base: ModelPlace, path: string, from = '.', shown = path): ModelPlace {
  const folder = modelFolderOf(resolve(from, path));
  const given = `adapter ${JSON.stringify(shown)}`;
  if (!isAdapter(folder)) {
    throw new CheckpointError('no-adapter', `${given} — no folder with ${ADAPTER_CONFIG} and ${ADAPTER_WEIGHTS}.`);
  }
  if (base.adapter !== undefined) {
    const rule = `${base.name} is an adapter already; give the model that both were trained on, or merge the first`;
    throw new CheckpointError('no-adapter', `${given} — ${rule}.`);
  }
  return { ...base, adapter: { name: shown, files: fileStore(folder) } };
}

/** The folder of the model, where `place` is the directory of a run. */
function modelFolderOf(place: string): string {
  const own = join(place, MODEL_FOLDER);
  const hasModel = ['config.json', ADAPTER_CONFIG].some((file) => isFile(join(own, file)));
  return isFile(join(place, 'config.yaml')) && hasModel ? own : place;
}

/** Not a model, and not the directory of a run with one: `modelFolderOf` would have given that. */
function isUnfinishedRun(folder: string): boolean {
  return ['config.yaml', 'fingerprint.json'].every((file) => isFile(join(folder, file)));
}

/** It may have the config of its base beside it, and not its weights. */
function isAdapter(folder: string): boolean {
  return isFile(join(folder, ADAPTER_CONFIG)) && ![WHOLE, INDEX].some((file) => isFile(join(folder, file)));
}

/** The base is looked for from the adapter's folder, then from where the command was typed, then in the cache. */
function findAdapted(folder: string, shown: string): ModelPlace {
  const base = readBaseName(join(folder, ADAPTER_CONFIG));
  const places = [folder, dirname(folder), '.'];
  const from = base && places.find((place) => existsSync(resolve(place, base.name)));
  const isHubName = base !== undefined && from === undefined && readHubName(base.name) !== undefined;
  if (base === undefined || (from === undefined && !isHubName)) {
    const rule = base === undefined ? 'does not name its base' : `its base ${JSON.stringify(base.name)} is not there`;
    const remedy = 'give the base as the model, and this folder as its adapter (adapter_name_or_path, or --adapter)';
    throw new CheckpointError('no-base', `adapter ${JSON.stringify(shown)} — ${rule}; ${remedy}.`, { path: shown });
  }
  const name = base.revision === undefined || !isHubName ? base.name : `${base.name}@${base.revision}`;
  return findWithAdapter(findModel(name, from), folder, '.', shown);
}

/** A config that is damaged is reported where the adapter is opened. */
function readBaseName(file: string): BaseName | undefined {
  const json = parseJsonObject(new Uint8Array(readFileSync(file)));
  return json && baseNameOf(json);
}

function findInCache(shown: string): ModelPlace {
  const name = readHubName(shown);
  if (name === undefined) throw noModel(shown, 'no such folder or file; give the folder of a model, or a .gguf file');
  const cache = hubCache();
  const snapshot = findSnapshot(cache, name);
  if (snapshot !== undefined) {
    const location = { name: `${name.owner}/${name.name}`, revision: snapshot.commit };
    return { name: shown, files: fileStore(snapshot.folder), location };
  }
  const remedy = `fetch it: ${commandName()} fetch ${hubNameText(name)}`;
  throw noModel(shown, `neither a folder or file here, nor in the Hugging Face cache (${cache}); ${remedy}`);
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function noModel(path: string, rule: string): CheckpointError {
  return new CheckpointError('no-model', `model ${JSON.stringify(path)} — ${rule}.`, { path });
}
