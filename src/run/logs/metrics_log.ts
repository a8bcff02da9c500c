/**
 * `metrics.jsonl`: one JSON object per line, append-only, cut back to the checkpoint on resume.
 *
 * Lines are written together, at most a second late, so that steps of a few milliseconds do not wait for the disk;
 * `bytes()` writes them before a checkpoint. A line that a kill cut short is removed on open. NaN and infinities appear
 * as the strings "NaN", "Infinity", "-Infinity": a diverging run shows in its log.
 */
import { CheckpointError } from '../../errors.ts';
import { encodeLogJson, type JsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';
import { endOfLastLine } from './log_lines.ts';

/** What a resume did to the log; to be reported when `missingBytes` is not 0. */
export interface MetricsCut {
  /** Length now. */
  readonly bytes: number;
  /** Bytes removed: the steps after the checkpoint, which will be written again. */
  readonly cutBytes: number;
  /** Bytes that the checkpoint counted and the file no longer has: someone shortened it. */
  readonly missingBytes: number;
}

/** How far a log is written. */
export interface LogPosition {
  readonly bytes: number;
  /** Lines after these bytes that the disk refused, so they are in no file. */
  readonly unwritten?: readonly string[];
  readonly failure?: CheckpointError;
}

export interface MetricsLogOptions {
  /** Milliseconds from any fixed point; default `performance.now`. */
  readonly clock?: () => number;
  /** A log that is written before this one, so that it has all that a line here refers to. */
  readonly after?: MetricsLog;
  /** Lines older than this are written with the next `append`; default 1,000 ms. */
  readonly flushMs?: number;
}

/** Lines held at most: bounds what a kill can lose, whatever the clock says. */
const MAX_HELD_LINES = 64;

/** An open log. Calls are carried out in order, awaited or not. */
export class MetricsLog {
  readonly #store: Store;
  readonly #path: string;
  readonly #clock: () => number;
  readonly #flushMs: number;
  readonly #after: MetricsLog | undefined;
  #held: string[] = [];
  #bytes: number;
  /** Bytes of the lines that are held. */
  #heldBytes = 0;
  #flushedAt: number;
  /** A write failed midway: the file may end in half a line beyond `#bytes`. */
  #torn = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(store: Store, path: string, bytes: number, options: MetricsLogOptions) {
    this.#store = store;
    this.#path = path;
    this.#bytes = bytes;
    this.#clock = options.clock ?? (() => performance.now());
    this.#flushMs = options.flushMs ?? 1_000;
    this.#after = options.after;
    this.#flushedAt = this.#clock();
  }

  /** Opens the log at its end, creating nothing yet; cuts a half-written last line. */
  static async open(store: Store, path: string, options: MetricsLogOptions = {}): Promise<MetricsLog> {
    const bytes = await cutToLine(store, path, Number.POSITIVE_INFINITY);
    return new MetricsLog(store, path, bytes, options);
  }

  /**
   * Adds one record. Resolves at once unless it is time to write.
   * @throws CheckpointError when the disk refuses; the lines are kept and tried again with the next write
   */
  async append(record: JsonObject): Promise<void> {
    this.#hold(`${encodeLogJson(record)}\n`);
    const isDue = this.#held.length >= MAX_HELD_LINES || this.#clock() - this.#flushedAt >= this.#flushMs;
    if (isDue) await this.flush();
  }

  #hold(line: string): void {
    this.#held.push(line);
    this.#heldBytes += bytesOf(line);
  }

  /** Length in bytes with every record so far, written or held. */
  get end(): number {
    return this.#bytes + this.#heldBytes;
  }

  /** Takes back the records after an earlier `end`. */
  async takeBack(end: number): Promise<void> {
    await this.#inOrder(async () => {
      while (this.end > end && this.#held.length > 0) this.#heldBytes -= bytesOf(this.#held.pop() as string);
      if (this.#bytes <= end) return;
      this.#bytes = await cutToLine(this.#store, this.#path, end);
      this.#torn = false;
    });
  }

  /**
   * Hands every held line to the system: other processes see them, and a kill cannot lose them, but a power cut can.
   */
  async flush(): Promise<void> {
    await this.#inOrder(() => this.#write());
  }

  /**
   * Length in bytes after every record so far, all durable: the position that a checkpoint keeps. 0 if the store has no
   * such file.
   */
  async bytes(): Promise<number> {
    return this.#inOrder(async () => {
      await this.#write();
      await this.#store.sync(this.#path);
      return (await this.#store.size(this.#path)) === undefined ? 0 : this.#bytes;
    });
  }

  /** As `bytes`, plus the lines that the disk refused, which the checkpoint then keeps. */
  async position(): Promise<LogPosition> {
    try {
      return { bytes: await this.bytes() };
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      return { bytes: this.#bytes, unwritten: [...this.#held], failure: error };
    }
  }

  /** Writes lines that a checkpoint kept, before any other. */
  async writeAgain(lines: readonly string[]): Promise<void> {
    for (const line of lines) this.#hold(line);
    await this.flush();
  }

  /** Cuts the log back to a checkpoint's `metricsBytes`, to a whole line; held lines are dropped with the rest. */
  async truncateTo(bytes: number): Promise<MetricsCut> {
    return this.#inOrder(async () => {
      this.#held = [];
      this.#heldBytes = 0;
      const before = (await this.#store.size(this.#path)) ?? 0;
      this.#bytes = await cutToLine(this.#store, this.#path, bytes);
      this.#torn = false;
      return { bytes: this.#bytes, cutBytes: before - this.#bytes, missingBytes: bytes - this.#bytes };
    });
  }

  async #write(): Promise<void> {
    if (this.#torn) await this.#store.truncate(this.#path, this.#bytes);
    this.#flushedAt = this.#clock();
    if (this.#held.length === 0) return;
    await this.#after?.flush();
    const lines = this.#held.length;
    const text = this.#held.join('');
    this.#torn = true;
    await this.#store.append(this.#path, text);
    this.#torn = false;
    this.#held.splice(0, lines);
    const written = bytesOf(text);
    this.#bytes += written;
    this.#heldBytes -= written;
  }

  /** Runs after all earlier operations; a failure reaches its own caller and does not stop later ones. */
  #inOrder<T>(operation: () => Promise<T>): Promise<T> {
    const result = this.#last.then(operation, operation);
    this.#last = result;
    return result;
  }
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Cuts the file to at most `limit` bytes and to the end of a line. Returns its length. */
async function cutToLine(store: Store, path: string, limit: number): Promise<number> {
  const size = await store.size(path);
  if (size === undefined) return 0;
  const end = await endOfLastLine(store, path, Math.min(limit, size));
  if (end < size) await store.truncate(path, end);
  return end;
}
