/** The files of a model that are read, and no others, from the hub into the cache. What cannot be trained is not fetched. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../../src/errors.ts';
import { INDEX, WHOLE } from '../../../src/run/model/file_names.ts';
import { readModelConfig } from '../model/pretrained/config_json.ts';
import { weightMap } from '../model/pretrained/safetensors_files.ts';
import { TOKENIZER_FILES } from '../text/tokenizer_files.ts';
import { refFile, type Snapshot, snapshotFolder } from './cache.node.ts';
import type { HubClient, HubFile, HubRepository } from './client.ts';
import { downloadFile, missingBytes, onDisk, requireRoom } from './download.node.ts';
import { type HubName, hubNameText, isCommit } from './names.ts';

export interface FetchOptions {
  readonly client: HubClient;
  /** The folder of the cache; made where it is not there. */
  readonly cache: string;
  /** Called once for each file, before it is asked for. */
  readonly onFile?: (file: HubFile) => void;
  /** Called with the bytes of a file that are there. */
  readonly onProgress?: (file: HubFile, bytes: number) => void;
}

export interface FetchedModel extends Snapshot {
  readonly files: readonly HubFile[];
}

const CONFIG = 'config.json';
const TOKENIZER = 'tokenizer.json';

/**
 * Asks the hub which commit the revision is, and fetches what the cache has not yet of it.
 *
 * @throws HubError; CheckpointError for a model that this engine does not compute, before its weights are fetched
 */
export async function fetchModel(name: HubName, options: FetchOptions): Promise<FetchedModel> {
  const { client, cache, onFile, onProgress } = options;
  const model = await client.repository(name);
  const { commit } = model;
  const folder = snapshotFolder(cache, name, commit);
  const fetched: HubFile[] = [];
  const take = async (file: HubFile): Promise<void> => {
    onFile?.(file);
    await downloadFile(file, { client, cache, name, commit, onProgress: (bytes) => onProgress?.(file, bytes) });
    fetched.push(file);
  };
  const takeAndRead = async (path: string): Promise<Buffer> => {
    await take(fileOf(model, path, name));
    return readFile(join(folder, path));
  };
  requireFiles(model, name);
  await requireRoom(cache, 0);
  readModelConfig(jsonOf(await takeAndRead(CONFIG), name), `${hubNameText(name)}: ${CONFIG}`);
  for (const path of ['generation_config.json', ...TOKENIZER_FILES]) {
    const file = model.files.get(path);
    if (file !== undefined) await take(file);
  }
  const shards = model.files.has(WHOLE) ? [WHOLE] : new Set(weightMap(await takeAndRead(INDEX)).values());
  const weights = [...shards].map((path) => fileOf(model, path, name));
  await requireRoom(cache, missingBytes(weights, { cache, name }));
  for (const file of weights) await take(file);
  await keepRevision(cache, name, commit);
  return { commit, folder, files: fetched };
}

/** @throws HubError for a model whose files are of a kind that is not read */
function requireFiles({ files }: HubRepository, name: HubName): void {
  const text = hubNameText(name);
  const has = [...files.keys()].filter((path) => /\.(bin|pt|pth|gguf|onnx|h5|msgpack|model)$/.test(path)).slice(0, 4);
  const instead = has.length > 0 ? ` (it has ${has.join(', ')})` : '';
  const lacks = (what: string, remedy: string): HubError =>
    new HubError('no-model', `${text} — has no ${what}${instead}; ${remedy}.`, { model: text });
  if (!files.has(CONFIG)) throw lacks(CONFIG, 'take a model in the layout of transformers, or download a .gguf file');
  if (!files.has(WHOLE) && !files.has(INDEX)) {
    throw lacks(`${WHOLE}`, 'take one that has its weights as safetensors, or download a .gguf file');
  }
  if (!files.has(TOKENIZER)) {
    throw lacks(TOKENIZER, 'transformers writes one: AutoTokenizer.from_pretrained(…).save_pretrained(…)');
  }
}

function fileOf({ files }: HubRepository, path: string, name: HubName): HubFile {
  const file = files.get(path);
  if (file !== undefined) return file;
  const text = hubNameText(name);
  throw new HubError(
    'no-file',
    `${text} — the hub does not have ${path}, which belongs to it; take another revision.`,
    {
      model: text,
      path,
    },
  );
}

function jsonOf(bytes: Buffer, name: HubName): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // said below, as for any other text
  }
  throw new HubError('no-model', `${hubNameText(name)} — its ${CONFIG} is not JSON of a model; take another revision.`);
}

/** Last of all: a branch leads to a snapshot that is complete, the new one or the one before. */
export async function keepRevision(cache: string, name: HubName, commit: string): Promise<void> {
  if (isCommit(name.revision)) return;
  const file = refFile(cache, name);
  await onDisk(file, async () => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, commit);
  });
}
