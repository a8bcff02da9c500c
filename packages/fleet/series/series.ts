/**
 * The learner's side of a series: its runs are given out whole. A worker that takes one says again and again that it is there,
 * and sends the directory with each checkpoint; one that is silent has lost its run, which the next worker continues from the
 * newest checkpoint that has come. Since a run's bits are a function of its config, it does not matter who trains it, nor
 * whether two do.
 */
import { CheckpointError, FleetError, RlvrError } from '../../../src/errors.ts';
import type { Claim, Store } from '../../../src/run/store/store.ts';
import { filesOf, RunReceiver, SUMMARY } from './run_files.ts';
import {
  decodeSeriesRequest,
  encodeSeries,
  PART_BYTES,
  type SeriesReply,
  type SeriesRequest,
  type WithBytes,
} from './series_messages.ts';

/** Milliseconds of silence, four signs of life, after which a run is given to another worker. */
const SILENCE_MS = 8_000;
/** Workers that fail in a run before it is given up. */
const MOST_FAILURES = 2;

/** A run to give out. */
export interface SeriesRun {
  /** For people. */
  readonly name: string;
  /** Text of its config.yaml: no path in it. */
  readonly config: string;
  /** Its directory, which may have a part of it already. */
  readonly store: Store;
}

export interface SeriesOptions {
  readonly say: (line: string) => void;
  /** How a worker is called. */
  readonly nameOf: (worker: string) => string;
  /** Milliseconds of a monotonic clock. */
  readonly clock?: () => number;
  readonly silenceMs?: number;
}

interface OpenRun extends SeriesRun {
  worker?: string;
  heardAt: number;
  step: number;
  receiver: RunReceiver;
  claim?: Claim;
  isDone: boolean;
  /** Why, by worker. */
  readonly failures: Map<string, string>;
}

export class Series {
  readonly #runs: readonly OpenRun[];
  readonly #options: SeriesOptions;
  readonly #clock: () => number;
  readonly #asking = new Map<number, Promise<unknown>>();
  #isStopping = false;
  /** Why nothing can be kept any more: the disk refuses. */
  #failure: CheckpointError | undefined;

  constructor(runs: readonly SeriesRun[], options: SeriesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#runs = runs.map((run) => ({
      ...run,
      heardAt: 0,
      step: 0,
      isDone: false,
      receiver: new RunReceiver(run.store),
      failures: new Map<string, string>(),
    }));
  }

  /** A worker's request. @returns the reply */
  async hear(message: Uint8Array): Promise<Uint8Array> {
    try {
      const { head, body } = decodeSeriesRequest(message);
      if (head.ask === 'take') return encodeSeries(await this.#take(head));
      const run = this.#runs[head.run];
      if (run?.worker !== head.worker || run.isDone) return encodeSeries({ status: 'lost' });
      run.heardAt = this.#clock();
      // A worker asks one thing at a time; one that asks again since no reply came must not run into itself.
      const before = this.#asking.get(head.run) ?? Promise.resolve();
      const asked = before.catch(() => undefined).then(() => this.#reply(run, head, body));
      this.#asking.set(head.run, asked);
      const { head: reply, body: bytes } = await asked;
      return encodeSeries(reply, bytes);
    } catch (error) {
      if (!(error instanceof RlvrError)) throw error;
      if (error instanceof CheckpointError && error.code !== 'bad-path') this.#failure ??= error;
      return encodeSeries({ status: 'refused', reason: error.message });
    }
  }

  /** The runs of workers that are silent are free again. @throws FleetError for a run that fails wherever it is trained, CheckpointError where the disk refuses */
  async look(present: number): Promise<void> {
    const { silenceMs = SILENCE_MS, say, nameOf } = this.#options;
    if (this.#failure !== undefined) throw this.#failure;
    for (const run of this.#runs) {
      if (run.worker !== undefined && this.#clock() - run.heardAt > silenceMs) {
        say(
          `fleet: ${nameOf(run.worker)} is silent; ${run.name} is given to another worker, from its newest checkpoint`,
        );
        await this.#free(run);
      }
      const { size } = run.failures;
      if (run.worker === undefined && size > 0 && size >= Math.min(MOST_FAILURES, Math.max(1, present))) {
        const [[worker, reason]] = run.failures;
        throw new FleetError('fleet-run-failed', `${run.name} fails, on ${nameOf(worker)}: ${reason}`);
      }
    }
  }

  /** Every worker saves, and leaves. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Whether all runs are done. */
  get isDone(): boolean {
    return this.#runs.every(({ isDone }) => isDone);
  }

  /** Runs that a worker has. */
  get underWay(): number {
    return this.#runs.filter(({ worker }) => worker !== undefined).length;
  }

  async close(): Promise<void> {
    for (const run of this.#runs) if (run.worker !== undefined) await this.#free(run);
  }

  async #take({ worker }: Extract<SeriesRequest, { ask: 'take' }>): Promise<SeriesReply> {
    const { say, nameOf } = this.#options;
    if (this.#isStopping) return { status: 'none' };
    // One that asks has none, whatever it had: it was started again, or has not heard the reply.
    for (const run of this.#runs) if (run.worker === worker) await this.#free(run);
    const number = this.#runs.findIndex((run) => !run.isDone && run.worker === undefined && !run.failures.has(worker));
    if (number < 0) return { status: 'none' };
    const run = this.#runs[number];
    Object.assign(run, { worker, heardAt: this.#clock(), receiver: new RunReceiver(run.store) });
    run.claim = await run.store.claim();
    const files = (await run.store.exists('fingerprint.json')) ? await filesOf(run.store) : undefined;
    say(`fleet: ${nameOf(worker)} ${files === undefined ? 'begins' : 'continues'} ${run.name}`);
    return { status: 'run', run: number, name: run.name, config: run.config, ...(files && { files }) };
  }

  async #reply(run: OpenRun, head: SeriesRequest, body: Uint8Array): Promise<WithBytes<SeriesReply>> {
    const plain = (status: 'ok' | 'lost' | 'stop'): WithBytes<SeriesReply> => ({
      head: { status },
      body: new Uint8Array(),
    });
    switch (head.ask) {
      case 'take':
        throw new RangeError('taken elsewhere');
      case 'alive':
        run.step = head.step;
        return plain(this.#isStopping ? 'stop' : 'ok');
      case 'read': {
        const bytes = await run.store.readRange(head.path, head.offset, head.offset + PART_BYTES);
        return { ...plain(bytes === undefined ? 'lost' : 'ok'), body: bytes ?? new Uint8Array() };
      }
      case 'write':
        await run.receiver.write(head.path, body, head);
        return plain('ok');
      case 'saved':
        await run.receiver.place(head.files);
        return plain('ok');
      case 'leave':
        await this.#leave(run, head);
        return plain('ok');
    }
  }

  async #leave(run: OpenRun, { worker, outcome, reason = 'no reason given' }: Leaving): Promise<void> {
    const { say, nameOf } = this.#options;
    await this.#free(run);
    if (outcome === 'finished') {
      if (await run.store.exists(SUMMARY)) {
        run.isDone = true;
        say(`fleet: ${run.name} is finished, on ${nameOf(worker)}`);
        return;
      }
      run.failures.set(worker, 'it says that it is finished, and has no summary');
    } else if (outcome === 'failed') run.failures.set(worker, reason);
    else say(`fleet: ${nameOf(worker)} gives ${run.name} back`);
    const failure = run.failures.get(worker);
    if (failure !== undefined) say(`fleet: ${run.name} failed on ${nameOf(worker)}: ${failure}`);
  }

  async #free(run: OpenRun): Promise<void> {
    const { claim } = run;
    run.worker = undefined;
    run.claim = undefined;
    await claim?.release();
  }
}

type Leaving = Extract<SeriesRequest, { ask: 'leave' }>;
