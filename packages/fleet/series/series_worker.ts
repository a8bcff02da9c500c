/** A worker's side of a series: takes a run, trains it in a directory of its own, and sends that with each checkpoint. */
import { FleetError } from '../../../src/errors.ts';
import { sha256Hex } from '../../../src/run/fingerprint/sha256.ts';
import type { Store } from '../../../src/run/store/store.ts';
import type { WorkerBus } from '../bus.ts';
import { PROTOCOL } from '../protocol.ts';
import { checkpointOf, filesOf, isPlainPath, type SizedFile } from './run_files.ts';
import {
  decodeSeriesReply,
  encodeSeries,
  PART_BYTES,
  type SeriesReply,
  type SeriesRequest,
  type WithBytes,
} from './series_messages.ts';

/** Milliseconds between two signs of life. */
const ALIVE_MS = 2000;
/** How often something is asked that nobody replies to. */
const ATTEMPTS = 5;
/** Most bytes of a run directory that a worker takes. */
const MOST_RUN_BYTES = 2 ** 34;
/** Longest reason that is sent. */
const REASON_LENGTH = 2000;

/** A training in a process of its own. */
export interface OwnTraining {
  /** What came of it. reason: the message of its failure. */
  readonly ended: Promise<{ readonly outcome: 'finished' | 'stopped' | 'failed'; readonly reason?: string }>;
  /** Optimizer steps that it has reported. */
  readonly step: number;
  /** Checkpoints that it has reported. */
  readonly saved: number;
  /** It saves, and ends. */
  stop(): void;
  /** It ends at once. */
  kill(): void;
}

/** A run directory of the worker's own, for as long as it trains. */
export interface OwnRunFolder {
  readonly store: Store;
  /** Why a worker does not train what it is given; undefined where it does. */
  refuses(config: string): Promise<string | undefined>;
  train(options: { readonly config: string; readonly resume: boolean; readonly backend: string }): OwnTraining;
  remove(): void;
}

export interface SeriesWorkerOptions {
  readonly bus: WorkerBus;
  /** The series. */
  readonly run: string;
  /** The backend that its runs are trained on. */
  readonly backend: string;
  readonly worker: string;
  readonly name: string;
  readonly makeFolder: () => OwnRunFolder;
  readonly say: (line: string) => void;
  readonly signal: { readonly aborted: boolean };
  readonly aliveMs?: number;
}

/** Trains one run of the series, where there is one. @returns 'none' where there was nothing to do, 'over' where nobody replies */
export async function serveSeries(options: SeriesWorkerOptions): Promise<'trained' | 'none' | 'over'> {
  const { bus, run, worker, name, say } = options;
  const message = await bus.ask(run, encodeSeries({ protocol: PROTOCOL, worker, ask: 'take', name }));
  if (message === 'nobody') return 'over';
  if (message === undefined) return 'none';
  const { head } = decodeSeriesReply(message);
  if (head.status === 'refused') throw new FleetError('fleet-refused', head.reason);
  if (head.status !== 'run') return 'none';
  const folder = options.makeFolder();
  try {
    say(`run ${run}: ${head.files === undefined ? 'begins' : 'continues'} ${head.name}`);
    await new RunServant(options, head, folder).serve();
    return 'trained';
  } finally {
    folder.remove();
  }
}

type GivenRun = Extract<SeriesReply, { status: 'run' }>;
/** What a request is of this run, without what all of them say. */
type Asked = SeriesRequest extends infer R
  ? R extends SeriesRequest
    ? Omit<R, 'protocol' | 'worker' | 'run'>
    : never
  : never;

/** The run is another worker's, or nobody replies any more. */
class LostRun extends Error {}

class RunServant {
  readonly #options: SeriesWorkerOptions;
  readonly #given: GivenRun;
  readonly #folder: OwnRunFolder;
  /** What the learner has of each file. */
  readonly #sent = new Map<string, { readonly size: number; readonly sha256: string }>();

  constructor(options: SeriesWorkerOptions, given: GivenRun, folder: OwnRunFolder) {
    this.#options = options;
    this.#given = given;
    this.#folder = folder;
  }

  async serve(): Promise<void> {
    const { config, files } = this.#given;
    const { backend, say, signal, aliveMs = ALIVE_MS } = this.#options;
    let training: OwnTraining | undefined;
    try {
      await this.#requireFit(this.#given);
      for (const file of files ?? []) await this.#fetch(file);
      const own = this.#folder.train({ config, resume: files !== undefined, backend });
      training = own;
      let sentSaves = 0;
      let isOver = false;
      const ended = own.ended.finally(() => {
        isOver = true;
      });
      ended.catch(() => undefined);
      while (!isOver) {
        await Promise.race([ended.catch(() => undefined), pause(aliveMs)]);
        const { status } = (await this.#ask({ ask: 'alive', step: own.step })).head;
        if (signal.aborted || status === 'stop') own.stop();
        if (own.saved === sentSaves || isOver) continue;
        sentSaves = own.saved;
        await this.#sendAll();
      }
      const { outcome, reason } = await ended;
      await this.#sendAll();
      await this.#ask({
        ask: 'leave',
        outcome,
        ...(reason !== undefined && { reason: reason.slice(0, REASON_LENGTH) }),
      });
      say(`run ${this.#options.run}: ${this.#given.name} is ${outcome}`);
    } catch (error) {
      if (!(error instanceof LostRun)) throw error;
      say(`run ${this.#options.run}: ${this.#given.name} is trained by another worker by now, or its learner is gone`);
    } finally {
      training?.kill();
      await training?.ended.catch(() => undefined);
    }
  }

  /** @throws LostRun */
  async #ask(asked: Asked, body?: Uint8Array): Promise<WithBytes<SeriesReply>> {
    const { bus, run, worker } = this.#options;
    const head = { ...asked, protocol: PROTOCOL, worker, run: this.#given.run } as SeriesRequest;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const message = await bus.ask(run, encodeSeries(head, body));
      if (message === 'nobody') await pause(this.#options.aliveMs ?? ALIVE_MS); // the server may be back before the learner is
      if (message === undefined || message === 'nobody') continue;
      const reply = decodeSeriesReply(message);
      if (reply.head.status === 'lost') throw new LostRun();
      if (reply.head.status === 'refused') throw new FleetError('fleet-refused', reply.head.reason);
      return reply;
    }
    throw new LostRun();
  }

  /** What a learner gives is another's: neither code of it runs here, nor is anything of this machine named. @throws FleetError */
  async #requireFit({ name, config, files = [] }: GivenRun): Promise<void> {
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const hidden = files.find(({ path }) => !isPlainPath(path));
    const why =
      (await this.#folder.refuses(config)) ??
      (bytes > MOST_RUN_BYTES ? `its directory has ${bytes} bytes, and ${MOST_RUN_BYTES} are the most` : undefined) ??
      (hidden && `${JSON.stringify(hidden.path)} is no file of a run directory`);
    if (why === undefined) return;
    const reason = `a worker does not train it: ${why}`.slice(0, REASON_LENGTH);
    await this.#ask({ ask: 'leave', outcome: 'failed', reason });
    throw new FleetError('fleet-not-taken', `${name} is not trained here: ${why}`);
  }

  /** Nothing is taken for a size that is only announced: a file is as long as what has come. */
  async #fetch({ path, size }: SizedFile): Promise<void> {
    const { store } = this.#folder;
    await store.writeAtomic(path, new Uint8Array());
    for (let offset = 0; offset < size; ) {
      const { body } = await this.#ask({ ask: 'read', path, offset });
      if (body.length === 0 || offset + body.length > size) throw new LostRun();
      await store.append(path, body);
      offset += body.length;
    }
    await store.sync(path);
    const whole = (await store.read(path)) ?? new Uint8Array();
    this.#sent.set(path, { size, sha256: await sha256Hex(whole) });
  }

  /** Brings the learner's directory to what this one is. */
  async #sendAll(): Promise<void> {
    const { store } = this.#folder;
    // Those that are whole now: what else is sent is newer than they are.
    const now = await filesOf(store);
    const gone = new Set<string>();
    for (const { path } of now) {
      const isKnown = checkpointOf(path) !== undefined && this.#sent.has(path);
      if (isKnown || (await this.#send(path))) continue;
      const checkpoint = checkpointOf(path);
      gone.add(checkpoint === undefined ? path : checkpoint);
    }
    const files = now
      .map(({ path }) => path)
      .filter((path) => !gone.has(path) && !gone.has(checkpointOf(path) ?? path));
    await this.#ask({ ask: 'saved', files });
  }

  /** @returns false where the file is no longer there */
  async #send(path: string): Promise<boolean> {
    const bytes = await this.#folder.store.read(path);
    if (bytes === undefined) return false;
    const before = this.#sent.get(path);
    const size = bytes.length;
    const sha256 = await sha256Hex(bytes);
    if (before?.size === size && before.sha256 === sha256) return true;
    const isLonger =
      before !== undefined && before.size < size && (await sha256Hex(bytes.slice(0, before.size))) === before.sha256;
    const from = isLonger ? before.size : 0;
    let offset = from;
    do {
      const part = bytes.subarray(offset, offset + PART_BYTES);
      await this.#ask({ ask: 'write', path, from, offset, size }, part);
      offset += part.length;
    } while (offset < size);
    this.#sent.set(path, { size, sha256 });
    return true;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
