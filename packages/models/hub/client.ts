/**
 * What is asked of the Hugging Face hub: which files a model or a data set has, with their hashes, and ranges of their bytes. Only the
 * hub itself is shown the token; where it sends a download elsewhere, that place is not.
 *
 * @see https://huggingface.co/docs/hub/api
 */
import { HubError } from '../../../src/errors.ts';
import { serverAddress, withoutSecrets } from '../../http/address.ts';
import { boundedText, EndlessAnswer } from '../../http/bounded_text.ts';
import { type HubName, hubNameText, isCommit } from './names.ts';

export interface HubFile {
  readonly path: string;
  readonly bytes: number;
  /** Large files: SHA-256; others: git's, which is SHA-1 of `blob <bytes>\0` and the content. Hexadecimal. */
  readonly hash: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

export interface HubRepository {
  readonly commit: string;
  readonly files: ReadonlyMap<string, HubFile>;
}

export interface HubOptions {
  /** Default https://huggingface.co. */
  readonly endpoint?: string | undefined;
  readonly token?: string | undefined;
  /** Longest silence of a connection. */
  readonly silenceMs?: number;
  /** Before the second attempt; doubled before each further one. */
  readonly pauseMs?: number;
}

const ENDPOINT = 'https://huggingface.co';
const ATTEMPTS = 5;
const SILENCE_MS = 30_000;
const PAUSE_MS = 500;
/** Longest answer about a repository: a list of files with hashes, some 200 bytes each. */
const MOST_BYTES = 16e6;

/** Nobody is there: asking again at once would find nobody again. */
const NOBODY = /^(ENOTFOUND|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|bad port|.*CERT.*)$/;

/** What may go well when it is tried again: a lost connection, a server that is busy. */
class Passing extends Error {}

export class HubClient {
  readonly endpoint: string;
  readonly #authorization: string | undefined;
  readonly #silenceMs: number;
  readonly #pauseMs: number;

  /** @throws HubError where the endpoint is no address */
  constructor({ endpoint, token, silenceMs = SILENCE_MS, pauseMs = PAUSE_MS }: HubOptions = {}) {
    const given = endpoint || ENDPOINT;
    const address = serverAddress(given);
    if (address === undefined) {
      const shown = JSON.stringify(withoutSecrets(given));
      throw new HubError('bad-endpoint', `HF_ENDPOINT: ${shown} — no address; give one as ${ENDPOINT}.`);
    }
    this.endpoint = address.uri;
    this.#authorization = token ? `Bearer ${token}` : address.authorization;
    this.#silenceMs = silenceMs;
    this.#pauseMs = pauseMs;
  }

  /** @throws HubError where there is no such model or data set, or the hub does not answer */
  async repository(name: HubName): Promise<HubRepository> {
    const path = `/api/${name.kind ?? 'model'}s/${name.owner}/${name.name}/revision/${encodeURIComponent(name.revision)}?blobs=true`;
    const answer = await this.#persist(async () => {
      const response = await this.#get(path, name, {});
      return jsonOf(await this.#text(response));
    });
    return readModel(answer, this.endpoint);
  }

  /**
   * The bytes of a file from a place on, through lost connections: each piece follows on the one before.
   *
   * @param restart  called where the other side sends the file from its beginning instead
   * @throws HubError
   */
  async *bytes(
    name: HubName,
    commit: string,
    { path, bytes }: HubFile,
    { from, restart }: { readonly from: number; readonly restart: () => Promise<void> },
  ): AsyncGenerator<Uint8Array> {
    const file = `${pageOf(name)}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
    let at = from;
    for (let failures = 0; at < bytes; ) {
      try {
        const headers: Record<string, string> = at > 0 ? { range: `bytes=${at}-` } : {};
        const response = await this.#get(file, name, headers);
        if (at > 0 && response.status !== 206) {
          await restart();
          at = 0;
        }
        for await (const piece of this.#pieces(response)) {
          at += piece.length;
          failures = 0;
          yield piece;
          if (at > bytes) return; // its hash will be wrong
        }
        if (at < bytes) throw new Passing(`the connection ended at byte ${at} of ${bytes}`);
      } catch (error) {
        if (!(error instanceof Passing)) throw error;
        if (++failures === ATTEMPTS || NOBODY.test(error.message)) throw this.#unreachable(error);
        await this.#pause(failures);
      }
    }
  }

  async #persist<T>(ask: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Passing)) throw error;
        if (failures === ATTEMPTS || NOBODY.test(error.message)) throw this.#unreachable(error);
        await this.#pause(failures);
      }
    }
  }

  #pause(failures: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.#pauseMs * 2 ** (failures - 1)));
  }

  async #get(path: string, name: HubName, given: Readonly<Record<string, string>>): Promise<Response> {
    const headers = {
      ...given,
      // Places in a compressed answer would not be those of the file.
      'accept-encoding': 'identity',
      'user-agent': 'rlvr-train',
      ...(this.#authorization !== undefined && { authorization: this.#authorization }),
    };
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(), this.#silenceMs);
    let response: Response;
    try {
      response = await fetch(this.endpoint + path, { headers, signal: silence.signal });
    } catch (error) {
      throw new Passing(silence.signal.aborted ? this.#silent() : reasonOf(error));
    } finally {
      clearTimeout(timer);
    }
    if (response.ok) return response;
    await response.body?.cancel();
    throw refusal(response, name, this.endpoint, this.#authorization !== undefined);
  }

  async #text(response: Response): Promise<string> {
    try {
      return await boundedText(this.#pieces(response), MOST_BYTES);
    } catch (error) {
      if (!(error instanceof EndlessAnswer)) throw error;
      throw new HubError('bad-answer', `${this.endpoint}: ${error.message}; is HF_ENDPOINT right?`);
    }
  }

  /** Ends where the connection is lost or silent, which the length then shows. */
  async *#pieces(response: Response): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    try {
      for (;;) {
        let timer: ReturnType<typeof setTimeout> | undefined;
        const silence = new Promise<never>((_, reject) => {
          timer = setTimeout(() => reject(new Passing(this.#silent())), this.#silenceMs);
        });
        const piece = await Promise.race([reader.read(), silence])
          .catch((error: unknown) => {
            throw error instanceof Passing ? error : new Passing(reasonOf(error));
          })
          .finally(() => clearTimeout(timer));
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      await reader.cancel().catch(() => undefined); // it may be gone already
    }
  }

  #silent(): string {
    return `nothing came for ${Math.round(this.#silenceMs / 1000)} s`;
  }

  #unreachable({ message }: Passing): HubError {
    const remedy = 'What came so far is kept: when the network is back, the same command resumes';
    return new HubError('unreachable', `${this.endpoint}: cannot be reached (${message}). ${remedy}.`, {
      endpoint: this.endpoint,
      reason: message,
    });
  }
}

function pageOf({ owner, name, kind }: HubName): string {
  return `${kind === 'dataset' ? '/datasets' : ''}/${owner}/${name}`;
}

/** What the hub means by a status. */
function refusal({ status, headers }: Response, name: HubName, endpoint: string, hasToken: boolean): Error {
  if (status === 408 || status === 429 || status >= 500) return new Passing(`status ${status}`);
  const text = hubNameText(name);
  const page = `${endpoint}${pageOf(name)}`;
  const what = name.kind === 'dataset' ? 'data set' : 'model';
  const code = headers.get('x-error-code');
  const facts = { status, model: text };
  if (code === 'GatedRepo' || status === 403) {
    const rule = hasToken
      ? 'the account of HF_TOKEN may not read it'
      : 'it is given to those alone who agree to its terms';
    return new HubError(
      'gated',
      `${text} — ${rule}; agree to them at ${page}, and set HF_TOKEN to a token of that account.`,
      facts,
    );
  }
  if (code === 'RevisionNotFound' || code === 'EntryNotFound') {
    return new HubError(
      'no-revision',
      `${text} — the ${what} has no such revision or file; ${page}/tree/main shows what it has.`,
      facts,
    );
  }
  if (status === 401 || status === 404) {
    const secret = hasToken
      ? 'or the account of HF_TOKEN may not see it'
      : 'or it is not public: set HF_TOKEN to a token that may read it';
    return new HubError(
      'no-model',
      `${text} — there is no such ${what} at ${endpoint}; check the name, ${secret}.`,
      facts,
    );
  }
  return new HubError('refused', `${text} — ${endpoint} answers with status ${status}; try again later.`, facts);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the page of a hotel's network, say
  }
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as {
    readonly cause?: { readonly code?: unknown; readonly message?: unknown };
    readonly message?: string;
  };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}

/** @throws HubError where the answer is not the hub's, such as the page of a hotel's network */
function readModel(answer: unknown, endpoint: string): HubRepository {
  const { sha, siblings } = (answer ?? {}) as { readonly sha?: unknown; readonly siblings?: unknown };
  if (typeof sha !== 'string' || !isCommit(sha) || !Array.isArray(siblings)) {
    throw new HubError(
      'bad-answer',
      `${endpoint}: its answer is not that of a hub; is HF_ENDPOINT right, and the network open?`,
    );
  }
  return { commit: sha, files: new Map(siblings.flatMap((sibling) => readFile(sibling))) };
}

interface Sibling {
  readonly rfilename?: unknown;
  readonly size?: unknown;
  readonly blobId?: unknown;
  readonly lfs?: { readonly sha256?: unknown; readonly size?: unknown } | null;
}

/** Files that lead out of the folder, or have no hash, are as if they were not there. */
function readFile({ rfilename: path, size, blobId, lfs }: Sibling): [string, HubFile][] {
  const [kind, hex] = lfs ? (['sha256', lfs.sha256] as const) : (['git', blobId] as const);
  const bytes = lfs?.size ?? size;
  const isSound =
    typeof path === 'string' &&
    path.split('/').every((part) => part !== '' && !/^\.+$/.test(part)) &&
    !path.includes('\\') &&
    typeof hex === 'string' &&
    /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hex) &&
    Number.isSafeInteger(bytes) &&
    (bytes as number) >= 0;
  return isSound ? [[path, { path, bytes: bytes as number, hash: { kind, hex } }]] : [];
}
