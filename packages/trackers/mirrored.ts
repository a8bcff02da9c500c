/**
 * A tracker that mirrors the logs: beside a run, asked between the run's steps and never waited for, or later. A server
 * that is slow, hangs or is gone costs the run nothing; what it missed is in the logs, and goes to it when it answers
 * again, at the end, or with `track`.
 */
import { commandName } from '../../src/command_name.ts';
import { SENT_TRACKERS, type SentTrackerName } from '../../src/config/tracker_cards.ts';
import { RlvrError } from '../../src/errors.ts';
import { shellQuoted } from '../../src/format.ts';
import { parseJsonObject } from '../../src/run/json.ts';
import type { Store } from '../../src/run/store/store.ts';
import type { RunEnd, Tracker } from '../../src/run/tracker.ts';
import type { Environment, SentRun, SentTracker } from './sent_tracker.ts';
import { ServerError } from './tracker_server.ts';

/** A run directory at a server: whatever the logs hold and the server does not is sent, however often it was broken off. */
export interface Mirror {
  /** Where the run is seen. */
  readonly page: string | undefined;
  /**
   * Sends what is missing; large pieces, such as completions, go with `tables`.
   * @throws ServerError, after which it can be called again; CheckpointError where the directory cannot be read or written
   */
  send(options: { readonly tables: boolean }): Promise<void>;
  /** After the last `send`: what has become of the run. */
  end(end: RunEnd): Promise<void>;
}

export interface MirrorOptions {
  readonly store: Store;
  /** What the run is called there. */
  readonly name: string;
  /** Where the directory was never sent before: when the run began, in milliseconds since 1970. */
  readonly startMs: number;
  /** Called with what the user should know. */
  readonly say: (message: string) => void;
}

/** A server for one session with a run. */
export interface MirrorServer {
  readonly tracker: SentTrackerName;
  readonly uri: string;
  open(options: MirrorOptions): Promise<Mirror>;
  /** Ends the request that is under way; further ones fail at once. */
  abort(): void;
}

/** @param at  the server that the environment names; throws ConfigError where it is none */
export function mirrored(at: (env: Environment) => MirrorServer): SentTracker {
  return {
    live: (run, env) => new LiveMirror({ ...run, server: at(env) }),
    catchUp: (run, env, say) => catchUp(run, at(env), say),
  };
}

/** Between two requests while all goes well: about as long as the logs gather lines. */
const PAUSE_MS = 2_000;
/** Completions go in pieces of some size. */
const TABLES_MS = 30_000;
const LONGEST_PAUSE_MS = 60_000;
/** An attempt of this age hangs, at the end of a run. */
const LATE_MS = 3_000;
/** Most time that the end of a run waits for a server that has answered until then. */
const END_MS = 10_000;

export interface LiveMirrorOptions extends SentRun {
  readonly server: MirrorServer;
  /** Milliseconds from any fixed point. */
  readonly clock?: () => number;
  readonly pauseMs?: number;
}

/** Keeps a run up while it trains. */
export class LiveMirror implements Tracker {
  readonly #options: LiveMirrorOptions;
  readonly #clock: () => number;
  readonly #pauseMs: number;
  #mirror: Mirror | undefined;
  #notes: string[] = [];
  /** The attempt under way; none of them rejects. */
  #attempt: Promise<void> | undefined;
  #begunAt = 0;
  #nextAt = Number.NEGATIVE_INFINITY;
  #tablesAt: number;
  /** In a row. */
  #failures = 0;
  #isRefused = false;
  #isClosing = false;

  constructor(options: LiveMirrorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? (() => performance.now());
    this.#pauseMs = options.pauseMs ?? PAUSE_MS;
    this.#tablesAt = this.#clock() + TABLES_MS;
  }

  tell(): void {
    const now = this.#clock();
    if (this.#isRefused || this.#attempt !== undefined || now < this.#nextAt) return;
    const tables = now >= this.#tablesAt;
    if (tables) this.#tablesAt = now + TABLES_MS;
    this.#begin(tables);
  }

  notes(): string[] {
    return this.#notes.splice(0);
  }

  async close(end: RunEnd): Promise<void> {
    if (this.#isRefused) return; // that was said
    const { server } = this.#options;
    const isLate = this.#attempt !== undefined && this.#clock() - this.#begunAt > LATE_MS;
    const isHanging = this.#failures > 0 || isLate;
    this.#isClosing = true;
    if (isHanging) server.abort();
    const limit = setTimeout(() => server.abort(), END_MS);
    await this.#attempt;
    if (!isHanging && !this.#isRefused) {
      this.#begin(true, end);
      await this.#attempt;
    }
    clearTimeout(limit);
    const page = this.#mirror?.page;
    if (this.#isRefused) return;
    if (isHanging || this.#failures > 0) this.#notes.push(this.#missed('does not have all of this run yet'));
    else if (page !== undefined) this.#notes.push(`${server.tracker} has this run: ${page}`);
  }

  #begin(tables: boolean, end?: RunEnd): void {
    this.#begunAt = this.#clock();
    this.#attempt = this.#send(tables, end).finally(() => {
      this.#attempt = undefined;
    });
  }

  async #send(tables: boolean, end: RunEnd | undefined): Promise<void> {
    try {
      const mirror = await this.#opened();
      await mirror.send({ tables });
      if (end !== undefined) await mirror.end(end);
      if (this.#failures > 0) this.#notes.push(`${this.#options.server.tracker} answers again, and has what it missed`);
      this.#failures = 0;
      this.#nextAt = this.#clock() + this.#pauseMs;
    } catch (error) {
      this.#failed(error);
    }
  }

  async #opened(): Promise<Mirror> {
    const { server, store, name } = this.#options;
    this.#mirror ??= await server.open({
      store,
      name,
      startMs: Date.now(),
      say: (message) => this.#notes.push(message),
    });
    return this.#mirror;
  }

  #failed(error: unknown): void {
    const { message } = error as Error; // of the client, or of a store; whatever it is, the run continues
    this.#isRefused = !(error instanceof ServerError) || error.failure !== 'passing';
    this.#failures++;
    this.#nextAt = this.#clock() + Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 ** this.#failures);
    if (this.#isRefused) this.#notes.push(this.#missed(message));
    else if (this.#failures === 1 && !this.#isClosing) {
      const { tracker, uri } = this.#options.server;
      this.#notes.push(`${tracker} at ${uri} ${message}: the run continues, and sends later what it misses`);
    }
  }

  #missed(why: string): string {
    const { server, directory } = this.#options;
    const to = server.tracker === SENT_TRACKERS[0]?.name ? '' : ` --to ${server.tracker}`;
    const command = `${commandName()} track ${shellQuoted(directory)}${to}`;
    return `${server.tracker} at ${server.uri} ${why}. Nothing is lost: ${command} sends it.`;
  }
}

async function catchUp({ store, name }: SentRun, server: MirrorServer, say: MirrorOptions['say']): Promise<string> {
  const { tracker, uri } = server;
  try {
    const startMs = Date.now() - (await secondsOf(store)) * 1000;
    const mirror = await server.open({ store, name, startMs, say });
    await patiently(() => mirror.send({ tables: true }));
    const isFinished = await store.exists('summary.json');
    const hasFailed = await store.exists('failure.json');
    await mirror.end(isFinished ? 'finished' : hasFailed ? 'failed' : 'stopped');
    return mirror.page ?? `${uri} has this run`;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const { variable } = SENT_TRACKERS.find((card) => card.name === tracker) ?? {};
    const remedy = `see that it runs (${variable} names it), then give this command again: it continues where it was`;
    throw new RlvrError(error.code, `${tracker} at ${uri} ${error.message} — ${remedy}.`);
  }
}

/** A server that is busy is asked again. */
async function patiently(send: () => Promise<void>): Promise<void> {
  for (const pauseMs of [1_000, 5_000, undefined]) {
    try {
      return await send();
    } catch (error) {
      const isPassing = error instanceof ServerError && error.failure === 'passing';
      if (!isPassing || pauseMs === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}

/** What a run took that has finished. */
async function secondsOf(store: Store): Promise<number> {
  const bytes = await store.read('summary.json');
  const summary = bytes && (parseJsonObject(bytes) ?? {});
  return typeof summary?.wallSeconds === 'number' ? summary.wallSeconds : 0;
}
