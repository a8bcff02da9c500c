/**
 * MLflow beside a run: asked between the run's steps, never waited for. A server that is slow, hangs or is gone costs the
 * run nothing; what it missed is in the logs, and goes to it when it answers again, at the end, or with `track`.
 */
import { commandName } from '../command_name.ts';
import { shellQuoted } from '../format.ts';
import type { RunEnd, Tracker } from '../run/tracker.ts';
import { MlflowClient, MlflowError } from './mlflow_client.ts';
import { type MirrorOptions, MlflowMirror } from './mlflow_mirror.ts';

/** Between two requests while all goes well: about as long as the logs gather lines. */
const PAUSE_MS = 2_000;
/** Completions go in pieces of some size. */
const TABLES_MS = 30_000;
const LONGEST_PAUSE_MS = 60_000;
/** An attempt of this age hangs, at the end of a run. */
const LATE_MS = 3_000;
/** Most time that the end of a run waits for a server that has answered until then. */
const END_MS = 10_000;

/** How a run under way is kept up at an MLflow server. */
export interface LiveOptions extends Pick<MirrorOptions, 'store' | 'place' | 'name'> {
  /** For the command that sends what was missed. */
  readonly directory: string;
  /** Milliseconds from any fixed point. */
  readonly clock?: () => number;
  readonly pauseMs?: number;
}

const STATUS = { finished: 'FINISHED', stopped: 'KILLED', failed: 'FAILED' } as const;

/** Sends a run to MLflow while it trains. */
export function liveMlflow(options: LiveOptions): Tracker {
  return new LiveMlflow(options);
}

class LiveMlflow implements Tracker {
  readonly #options: LiveOptions;
  readonly #client: MlflowClient;
  readonly #clock: () => number;
  readonly #pauseMs: number;
  #mirror: MlflowMirror | undefined;
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

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#client = new MlflowClient(options.place);
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
    const isLate = this.#attempt !== undefined && this.#clock() - this.#begunAt > LATE_MS;
    const isHanging = this.#failures > 0 || isLate;
    this.#isClosing = true;
    if (isHanging) this.#client.abort();
    const limit = setTimeout(() => this.#client.abort(), END_MS);
    await this.#attempt;
    if (!isHanging) {
      this.#begin(true, end);
      await this.#attempt;
    }
    clearTimeout(limit);
    const page = this.#mirror?.page;
    if (this.#isRefused) return;
    if (isHanging || this.#failures > 0) this.#notes.push(this.#missed('does not have all of this run yet'));
    else if (page !== undefined) this.#notes.push(`mlflow has this run: ${page}`);
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
      if (end !== undefined) await mirror.end(STATUS[end]);
      if (this.#failures > 0) this.#notes.push('mlflow answers again, and has what it missed');
      this.#failures = 0;
      this.#nextAt = this.#clock() + this.#pauseMs;
    } catch (error) {
      this.#failed(error);
    }
  }

  async #opened(): Promise<MlflowMirror> {
    this.#mirror ??= await MlflowMirror.open({
      ...this.#options,
      client: this.#client,
      startMs: Date.now(),
      say: (message) => this.#notes.push(message),
    });
    return this.#mirror;
  }

  #failed(error: unknown): void {
    const { message } = error as Error; // of the client, or of a store; whatever it is, the run continues
    this.#isRefused = !(error instanceof MlflowError) || error.failure !== 'passing';
    this.#failures++;
    this.#nextAt = this.#clock() + Math.min(LONGEST_PAUSE_MS, this.#pauseMs * 2 ** this.#failures);
    if (this.#isRefused) this.#notes.push(this.#missed(message));
    else if (this.#failures === 1 && !this.#isClosing) {
      this.#notes.push(
        `mlflow at ${this.#options.place.uri} ${message}: the run continues, and sends later what it misses`,
      );
    }
  }

  #missed(why: string): string {
    const { place, directory } = this.#options;
    const command = `${commandName()} track --run ${shellQuoted(directory)}`;
    return `mlflow at ${place.uri} ${why}. Nothing is lost: ${command} sends it.`;
  }
}
