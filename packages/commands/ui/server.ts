/** The server of `rlvr-train ui`: pages, events and requests of the runs in a folder, for this machine alone. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { CheckpointError, RlvrError } from '../../../src/errors.ts';
import { type JsonObject, parseJsonObject } from '../../../src/run/json.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { makeReport } from '../../report/report.ts';
import { RunLog } from '../../report/run_log.ts';
import {
  type KeptRun,
  makeOverlayPage,
  makeRunPage,
  makeRunsPage,
  newestCompletions,
} from '../../report/served_pages.ts';
import { LOOPBACK } from '../../serve/guard.node.ts';
import { closeServer, listen, portOf } from '../../serve/listen.node.ts';
import { REQUESTS, type RunRequest, requestOf } from '../process/run_requests.ts';
import { notesOf, writeNotes } from '../runs/run_notes.ts';
import { streamEvents } from './event_stream.ts';
import { type FoundRun, RunFolder } from './folder.ts';
import { type Admission, admit } from './guard.ts';
import { fileOfRun, filesOfRun } from './run_files.ts';
import { servedComparisons } from './served_comparisons.ts';
import { servedRuns } from './served_runs.ts';
import { Documents, type StaticFile, StaticFiles } from './static_files.ts';

/** Where the training page lies. */
const TRAINING = 'train/';
const DOCS = 'docs/';
const TOKEN_BYTES = 18;
const MOST_STREAMS = 64;
/** What a page may send at once. */
const MOST_SENT_BYTES = 64 * 1024;
/** Runs that are shown at once: each is looked at every second. */
const MOST_RUNS = 64;
/** Runs whose curves are held in memory: those that a page was asked of last. */
const MOST_KEPT = 8;

const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

export interface UiServer {
  /** With the token, which is all that opens it. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export interface UiOptions {
  /** Holds runs, or is one. */
  readonly folder: string;
  /** Default: one that is free. */
  readonly port?: number;
}

/** What is asked for, by whom it was let in. */
interface Asked {
  readonly method: string | undefined;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly response: ServerResponse;
  /** The JSON object that was sent with it. @throws CheckpointError where there is none */
  readonly read: () => Promise<JsonObject>;
}

/** @throws ConfigError where the port is taken */
export async function startUi({ folder, port = 0 }: UiOptions): Promise<UiServer> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const site = new Site(folder);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    void answer(site, admit(request, { port: portOf(server), token }), request, response);
  });
  const actual = await listen(server, LOOPBACK, port);
  return { url: `http://${LOOPBACK}:${actual}/${token}/`, close: () => closeServer(server) };
}

async function answer(
  site: Site,
  admission: Admission,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!admission.isAdmitted) {
    sendText(response, admission.status, admission.message);
    return;
  }
  try {
    await site.answer({ ...admission, method: request.method, response, read: () => sentObject(request) });
  } catch (error) {
    // The page shows the words; a mistake of ours goes to the terminal of the server as well.
    const message = error instanceof Error ? error.message : String(error);
    if (!response.headersSent) sendText(response, error instanceof RlvrError ? 409 : 500, message);
    else response.destroy();
  }
}

class Site {
  /** As it was given. */
  readonly #name: string;
  readonly #folder: RunFolder;
  readonly #training = new StaticFiles();
  readonly #docs = new Documents();
  /** By directory, the one that was asked of last at the end. */
  readonly #kept = new Map<string, KeptRun>();
  /** Event streams that are open. */
  #streams = 0;

  constructor(folder: string) {
    this.#name = folder;
    this.#folder = new RunFolder(folder);
  }

  async answer(asked: Asked): Promise<void> {
    const { method, path, query, response } = asked;
    if (method === 'POST') return this.#change(asked);
    if (path.startsWith(TRAINING)) return sendFile(response, await this.#training.read(path.slice(TRAINING.length)));
    if (path.startsWith(DOCS)) return sendFile(response, await this.#docs.read(path.slice(DOCS.length)));
    switch (path) {
      case '':
        return sendHtml(response, await makeRunsPage(this.#name, this.#training.isThere));
      case 'runs.json':
        return sendJson(response, await this.#folder.list());
      case 'run': {
        const found = await this.#one(query);
        const [run] = await servedRuns(this.#folder, [found]);
        return sendHtml(response, await makeRunPage(this.#keep(found), run, this.#training.isThere));
      }
      case 'overlay': {
        const runs = await this.#some(query);
        const served = await servedRuns(this.#folder, runs);
        return sendHtml(response, await makeOverlayPage(served, await servedComparisons(runs, served)));
      }
      case 'events':
        return this.#stream(await this.#some(query), response);
      case 'completions.json':
        return sendJson(response, await newestCompletions(this.#keep(await this.#one(query))));
      case 'files.json':
        return sendJson(response, await filesOfRun(await this.#one(query)));
      case 'file': {
        const file = await fileOfRun(await this.#one(query), query.get('path') ?? '');
        response.writeHead(200, { 'Content-Type': 'application/octet-stream' });
        return pipeline(file, response);
      }
      case 'report': {
        const found = await this.#one(query);
        const { store, log } = this.#keep(found);
        return sendHtml(response, await makeReport(store, found.name, log));
      }
      default:
        return notFound(response);
    }
  }

  /** Each looks at its logs every second: more than people have pages open are not answered. */
  #stream(runs: readonly FoundRun[], response: ServerResponse): void {
    if (this.#streams === MOST_STREAMS) {
      sendText(response, 503, `${MOST_STREAMS} pages follow runs already; close some of them.`);
      return;
    }
    this.#streams++;
    response.on('close', () => void this.#streams--);
    streamEvents(
      response,
      runs.map((run) => ({ ...run, log: this.#keep(run).log })),
    );
  }

  async #change(asked: Asked): Promise<void> {
    const { path, query, response, read } = asked;
    switch (path) {
      case 'request':
        return this.#request(asked);
      case 'notes':
        await writeNotes(fileStore((await this.#one(query)).directory), notesOf(await read()));
        break;
      case 'delete':
        {
          const run = await this.#one(query);
          await this.#folder.remove(run);
          this.#kept.delete(run.directory);
        }
        break;
      default:
        return notFound(response);
    }
    response.writeHead(204).end();
  }

  async #request({ query, response }: Asked): Promise<void> {
    const word = query.get('ask');
    const request = REQUESTS.find((known): known is RunRequest => known === word);
    if (request === undefined) return sendText(response, 400, `A run takes the requests ${REQUESTS.join(', ')}.`);
    await requestOf((await this.#one(query)).directory, request);
    response.writeHead(204).end();
  }

  #keep({ directory }: FoundRun): KeptRun {
    const store = fileStore(directory);
    const run = this.#kept.get(directory) ?? { store, log: new RunLog(store) };
    this.#kept.delete(directory);
    this.#kept.set(directory, run);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return run;
  }

  async #one(query: URLSearchParams): Promise<FoundRun> {
    const [run] = await this.#some(query);
    return run;
  }

  /** At least one. @throws CheckpointError where one is not there */
  async #some(query: URLSearchParams): Promise<readonly FoundRun[]> {
    const names = [...new Set(query.getAll('run'))];
    if (names.length === 0 || names.length > MOST_RUNS) {
      throw new CheckpointError('no-run', `run: ${names.length} given; name from 1 to ${MOST_RUNS}.`);
    }
    const found = await this.#folder.find(names);
    const missing = names.find((name) => !found.some((run) => run.name === name));
    if (missing !== undefined) throw new CheckpointError('no-run', `${this.#name} holds no run ${missing}.`);
    return found;
  }
}

async function sentObject(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MOST_SENT_BYTES) break;
    pieces.push(piece);
  }
  const object = bytes > MOST_SENT_BYTES ? undefined : parseJsonObject(Buffer.concat(pieces));
  if (object !== undefined) return object;
  throw new CheckpointError('bad-request', `The page sent no JSON object of up to ${MOST_SENT_BYTES} bytes.`);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`);
}

function sendHtml(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(text);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

/** The training page has a policy of its own. */
function sendFile(response: ServerResponse, file: StaticFile | undefined): void {
  if (file === undefined) notFound(response);
  else response.writeHead(200, { 'Content-Type': file.type, 'Cache-Control': 'no-cache' }).end(file.bytes);
}

function notFound(response: ServerResponse): void {
  sendText(response, 404, 'There is nothing here.');
}
