/**
 * A hub on this machine, which behaves as the real one does: it names files with their hashes, sends small ones itself
 * and large ones from another origin, by ranges. It can be told to fail.
 */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const COMMIT = 'c0ffee0123456789c0ffee0123456789c0ffee01';

/** From here on a file is one that the hub keeps as a large one. */
const LARGE_BYTES = 2_000;

export interface Asked {
  readonly path: string;
  readonly from: 'hub' | 'store';
  readonly range: string | undefined;
  readonly token: string | undefined;
}

export class LoopbackHub {
  readonly asked: Asked[] = [];
  /** What the next answers are instead; `cut` sends so many bytes and hangs up, `silent` never goes on. */
  readonly failures: ({ status: number; code?: string } | { cut: number } | { silent: number })[] = [];
  /** Files whose content is another than their hash says. */
  readonly damaged = new Set<string>();
  /** Sends whole files, whatever was asked for. */
  ignoresRanges = false;
  /** Sizes that are told instead of the true ones. */
  readonly toldBytes = new Map<string, number>();
  commit = COMMIT;
  /** Whether it holds a data set instead of a model. */
  isDataset = false;
  readonly #hub = createServer((request, response) => this.#answer(request, response));
  readonly #store = createServer((request, response) => this.#sendLarge(request, response));
  endpoint = '';

  constructor(
    readonly name: string,
    readonly files: Map<string, Uint8Array>,
  ) {}

  async open(): Promise<void> {
    for (const server of [this.#hub, this.#store]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    }
    this.endpoint = addressOf(this.#hub);
  }

  async close(): Promise<void> {
    for (const server of [this.#hub, this.#store]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(request.url ?? '');
    this.#note(request, 'hub', path);
    const failure = this.failures[0];
    if (failure !== undefined && 'status' in failure) {
      this.failures.shift();
      response.writeHead(failure.status, failure.code === undefined ? {} : { 'x-error-code': failure.code }).end();
      return;
    }
    const branches = ['main', this.commit, 'refs/pr/1'];
    const api = `/api/${this.isDataset ? 'datasets' : 'models'}/${this.name}/revision/`;
    const place = `${this.isDataset ? '/datasets' : ''}/${this.name}/`;
    if (path.startsWith(api)) {
      const known = branches.includes(path.slice(api.length).replace('?blobs=true', ''));
      if (known) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#listing()));
      else response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end();
      return;
    }
    const file = path.slice(`${place}resolve/${this.commit}/`.length);
    const content = this.files.get(file);
    if (content === undefined || !path.startsWith(place)) {
      response.writeHead(401, { 'x-error-code': 'RepoNotFound' }).end();
    } else if (content.length >= LARGE_BYTES) {
      response.writeHead(302, { location: `${addressOf(this.#store)}/${file}` }).end();
    } else this.#send(file, content, request, response);
  }

  #sendLarge(request: IncomingMessage, response: ServerResponse): void {
    const file = (request.url ?? '').slice(1);
    this.#note(request, 'store', file);
    this.#send(file, this.files.get(file) ?? new Uint8Array(), request, response);
  }

  #send(file: string, content: Uint8Array, request: IncomingMessage, response: ServerResponse): void {
    const [, from] = /^bytes=(\d+)-$/.exec(this.ignoresRanges ? '' : (request.headers.range ?? '')) ?? [];
    const sent = Uint8Array.from(content.subarray(Number(from ?? 0)));
    if (this.damaged.has(file)) sent[0] ^= 1;
    response.writeHead(from === undefined ? 200 : 206, { 'content-length': sent.length });
    const failure = this.failures[0];
    if (failure === undefined || 'status' in failure) {
      response.end(sent);
      return;
    }
    this.failures.shift();
    const bytes = 'cut' in failure ? failure.cut : failure.silent;
    response.write(sent.subarray(0, bytes), () => {
      if ('cut' in failure) response.destroy();
    });
  }

  #listing(): unknown {
    const siblings = [...this.files].map(([rfilename, content]) => {
      const size = this.toldBytes.get(rfilename) ?? content.length;
      const git = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
      const sha256 = createHash('sha256').update(content).digest('hex');
      return { rfilename, size, blobId: git, ...(content.length >= LARGE_BYTES && { lfs: { sha256, size } }) };
    });
    return { id: this.name, sha: this.commit, siblings };
  }

  #note({ headers }: IncomingMessage, from: Asked['from'], path: string): void {
    this.asked.push({ path, from, range: headers.range, token: headers.authorization });
  }
}

function addressOf(server: Server): string {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return `http://127.0.0.1:${port}`;
}
