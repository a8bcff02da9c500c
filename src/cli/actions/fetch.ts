/** `rlvr-train fetch NAME[@revision]`: a model of the Hugging Face hub, into the cache that Python's libraries use too. */
import { CheckpointError, ConfigError } from '../../errors.ts';
import { findSnapshot, hubCache, isOffline, type Snapshot } from '../../hub/cache.node.ts';
import { HubClient, type HubFile } from '../../hub/client.ts';
import { fetchModel } from '../../hub/fetch_model.node.ts';
import { type HubName, hubNameText, readHubName } from '../../hub/names.ts';
import { megabytes } from '../display/format.ts';
import { print, printJson } from '../display/output.ts';

export interface FetchCommandOptions {
  readonly offline?: boolean;
  readonly json?: boolean;
}

/** Between two lines on a large file. */
const LINE_MS = 5_000;

/** @throws HubError, CheckpointError, ConfigError */
export async function fetchCommand(
  text: string,
  { offline = false, json = false }: FetchCommandOptions,
): Promise<void> {
  const name = readHubName(text);
  if (name === undefined) {
    const rule = 'no name of the hub; give owner/name, or owner/name@revision, such as Qwen/Qwen3-0.6B';
    throw new ConfigError('bad-name', `fetch ${JSON.stringify(text)} — ${rule}.`, { text });
  }
  const cache = hubCache();
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
