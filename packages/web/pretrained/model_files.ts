/** Files of a model where they come from: a server, or this machine. */
import { CheckpointError } from '../../../src/errors.ts';
import { CONFIG, INDEX, WHOLE } from '../../../src/run/model/file_names.ts';
import { weightMap } from '../../models/model/pretrained/safetensors_files.ts';
import { TOKENIZER_FILES } from '../../models/text/tokenizer_files.ts';
import type { ChosenFile, ModelOrigin } from './model_origin.ts';

/** A file that is read in ranges. */
export interface IncomingFile {
  /** In the model's folder. */
  readonly path: string;
  readonly size: number;
  /** What tells it from a later one of the same name. */
  readonly version: string;
  /** As its server says it. */
  readonly sha256?: string;
  /** Bytes [begin, end), all of them. @throws CheckpointError */
  read(begin: number, end: number, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>>;
}

const BESIDE = ['generation_config.json', ...TOKENIZER_FILES];
/** Bytes of a file whose server gives no ranges. */
const MOST_WHOLE = 64 * 1024 ** 2;
/** Further attempts of a range, and the pause before the first of them, doubled with each. */
const ATTEMPTS = 4;
const PAUSE_MS = 500;

/** The files of a model that are read, and no others. @throws CheckpointError where it has none */
export async function incomingFiles(origin: ModelOrigin, signal?: AbortSignal): Promise<readonly IncomingFile[]> {
  if ('files' in origin) return chosenFiles(origin.files);
  const url = new URL(origin.url, globalThis.location?.href);
  if (url.pathname.endsWith('.gguf')) {
    return [await served(url, decodeURIComponent(url.pathname.split('/').at(-1) ?? ''), signal)];
  }
  const folder = new URL(url);
  if (!folder.pathname.endsWith('/')) folder.pathname += '/';
  const at = (path: string): Promise<IncomingFile> => served(new URL(path, folder), path, signal);
  const files = [await at(CONFIG)];
  for (const path of BESIDE) {
    const file = await at(path).catch(unlessAbsent);
    if (file !== undefined) files.push(file);
  }
  const whole = await at(WHOLE).catch(unlessAbsent);
  if (whole !== undefined) return [...files, whole];
  const index = await at(INDEX);
  const shards = new Set(weightMap(await index.read(0, index.size, signal)).values());
  return [...files, index, ...(await Promise.all([...shards].map(at)))];
}

function unlessAbsent(error: unknown): undefined {
  if (error instanceof CheckpointError && error.code === 'no-model') return undefined;
  throw error;
}

function chosenFiles(files: readonly ChosenFile[]): IncomingFile[] {
  const read = files.filter(({ name }) => /\.(gguf|json|jinja|safetensors)$/.test(name));
  const gguf = read.find(({ name }) => name.endsWith('.gguf'));
  const chosen = gguf === undefined ? read : [gguf];
  if (gguf === undefined && !read.some(({ name }) => name === CONFIG)) {
    const remedy = 'choose a .gguf file, or the folder with config.json, model.safetensors and tokenizer.json';
    throw new CheckpointError('no-model', `What was chosen is no model; ${remedy}.`);
  }
  return chosen.map((file) => ({
    path: file.name,
    size: file.size,
    version: String(file.lastModified),
    read: async (begin, end) => new Uint8Array(await file.slice(begin, end).arrayBuffer()),
  }));
}

/** Asks for the first byte. */
async function served(url: URL, path: string, signal: AbortSignal | undefined): Promise<IncomingFile> {
  const response = await asked(url, 0, 1, signal);
  const { headers } = response;
  const version = headers.get('etag') ?? headers.get('last-modified') ?? '';
  const [, named] = /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(headers.get('x-linked-etag') ?? version) ?? [];
  const about = { path, version, ...(named !== undefined && { sha256: named }) };
  if (response.status === 206) {
    await response.arrayBuffer();
    const size = Number(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1]);
    if (!Number.isSafeInteger(size)) throw failed(url, 'does not say how long the file is');
    return { ...about, size, read: (begin, end, stop = signal) => range(url, begin, end, stop) };
  }
  const bytes = await wholeOf(url, response);
  return { ...about, size: bytes.length, read: async (begin, end) => bytes.slice(begin, end) };
}

async function wholeOf(url: URL, response: Response): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(response.headers.get('content-length') ?? 0) <= MOST_WHOLE)
    return new Uint8Array(await response.arrayBuffer());
  await response.body?.cancel();
  throw failed(url, 'gives no ranges of it; download the file, and open it from this machine');
}

async function range(
  url: URL,
  begin: number,
  end: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let attempt = 0, pause = PAUSE_MS; ; attempt++, pause *= 2) {
    try {
      const response = await asked(url, begin, end, signal);
      const { status } = response;
      if (status !== 206) throw failed(url, `answers ${status} to a range; try again later`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (bytes.length === end - begin) return bytes;
      throw new TypeError(`${bytes.length} of ${end - begin} bytes came`);
    } catch (error) {
      if (signal?.aborted || error instanceof CheckpointError || attempt === ATTEMPTS) throw lost(url, begin, error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

async function asked(url: URL, begin: number, end: number, signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(url, {
    headers: { range: `bytes=${begin}-${end - 1}` },
    cache: 'no-store',
    ...(signal && { signal }),
  });
  if (response.ok) return response;
  await response.body?.cancel();
  if (response.status === 404) throw new CheckpointError('no-model', `${shown(url)}: no such file (404).`);
  throw failed(url, `answers ${response.status}; see to the address, or try again later`);
}

function lost(url: URL, at: number, cause: unknown): unknown {
  if (cause instanceof CheckpointError || (cause instanceof DOMException && cause.name === 'AbortError')) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const rule = `the connection was lost at byte ${at} (${why})`;
  return new CheckpointError('connection-lost', `${shown(url)}: ${rule}. What came is kept: open it again to resume.`);
}

function failed(url: URL, what: string): CheckpointError {
  return new CheckpointError('no-model', `${shown(url)}: its server ${what}.`);
}

/** Without what may be a secret. */
function shown(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
