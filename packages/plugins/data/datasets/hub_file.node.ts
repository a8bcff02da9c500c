/**
 * A file of a data set on the Hugging Face hub, fetched into the cache that its libraries share, by `@huggingface/hub`: a
 * package that only such configs need.
 *
 * HF_ENDPOINT names another hub, HF_TOKEN opens what is not public, HF_HOME and HF_HUB_CACHE say where the cache is.
 */
import { join } from 'node:path';
import { DataError } from '../../../../src/errors.ts';
import { serverAddress, withoutSecrets } from '../../../http/address.ts';

/** `owner/name@revision`; without a revision, main. */
export interface HubDataset {
  readonly owner: string;
  readonly name: string;
  readonly revision: string;
}

export function hubDataset(text: string): HubDataset {
  const [, owner = '', name = '', revision = 'main'] = /^([^/]+)\/([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  return { owner, name, revision };
}

type Hub = Pick<typeof import('@huggingface/hub'), 'downloadFileToCacheDir'>;

/**
 * Where the file lies on this disk. What the cache has of a whole commit is not asked for again.
 *
 * @throws DataError where it cannot be fetched
 */
export async function hubFile(dataset: HubDataset, path: string): Promise<string> {
  const { owner, name, revision } = dataset;
  const shown = `hub:${owner}/${name}@${revision}/${path}`;
  const { downloadFileToCacheDir } = await loadHub(shown);
  const { HF_ENDPOINT: endpoint, HF_TOKEN: accessToken, HF_HUB_CACHE, HF_HOME } = process.env;
  const cacheDir = HF_HUB_CACHE || (HF_HOME && join(HF_HOME, 'hub'));
  try {
    return await quietly(() =>
      downloadFileToCacheDir({
        repo: { type: 'dataset', name: `${owner}/${name}` },
        path,
        revision,
        ...(endpoint && placeOf(endpoint)),
        ...(accessToken && { accessToken }),
        ...(cacheDir && { cacheDir }),
      }),
    );
  } catch (error) {
    throw new DataError('hub', `${shown}: ${ruleOf(error)}.`, { file: shown });
  }
}

/** Where else the hub is, and how it is asked there. @throws DataError */
function placeOf(endpoint: string): { readonly hubUrl: string; readonly fetch?: typeof fetch } {
  const { uri, authorization } = serverAddress(endpoint) ?? {};
  if (uri === undefined) {
    const shown = JSON.stringify(withoutSecrets(endpoint));
    throw new DataError('hub', `HF_ENDPOINT: ${shown} — no address; give one as https://huggingface.co.`);
  }
  if (authorization === undefined) return { hubUrl: uri };
  const asked: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    const isHub = request.url.startsWith(`${uri}/`);
    if (isHub && !request.headers.has('authorization')) request.headers.set('authorization', authorization);
    return fetch(request);
  };
  return { hubUrl: uri, fetch: asked };
}

async function loadHub(shown: string): Promise<Hub> {
  try {
    return await import('@huggingface/hub');
  } catch {
    const rule = 'data sets of the hub are fetched by a package that is not there; npm install @huggingface/hub';
    throw new DataError('no-hub-package', `${shown}: ${rule}.`);
  }
}

/** The package prints what it downloads to standard output, where a run may have its own lines. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { debug } = console;
  console.debug = () => undefined;
  try {
    return await work();
  } finally {
    console.debug = debug;
  }
}

function ruleOf(error: unknown): string {
  const { statusCode } = error as { readonly statusCode?: number };
  // A file that is not there is an empty answer, which the package says in words alone.
  const isMissing = statusCode === 404 || /^cannot get path info/.test(String((error as Error).message));
  if (isMissing) return 'no such data set, revision or file; look at its page on the hub';
  if (statusCode === 401 || statusCode === 403) return 'not public; set HF_TOKEN to a token that may read it';
  if (statusCode !== undefined) return `the hub answers ${statusCode}; try again later`;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code = '', message = String(error) } = cause as { readonly code?: string; readonly message?: string };
  const isNetwork = error instanceof TypeError || code !== '';
  const reason = code || message;
  if (!isNetwork) return `cannot be fetched (${reason}); try again`;
  return `no network (${reason}); download the files and name them by train, without hub`;
}
