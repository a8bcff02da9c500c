/** The lines of metrics.jsonl as they are written, by whichever process: read from where the last look ended. */
import type { Store } from '../../../src/run/store/store.ts';

const LOG = 'metrics.jsonl';
const NEWLINE = 0x0a;
/** Bytes of a look, at most: what a page reads in a few milliseconds. */
const PIECE_BYTES = 64 * 1024;
const LONGEST_LINE = 16 * 1024 ** 2;

export interface NewLines {
  readonly lines: readonly string[];
  /** The log is no longer the one that was read, for a resumed run cuts it: these lines are its first. */
  readonly isReset: boolean;
  /** Whether there is more to read at once. */
  readonly hasMore: boolean;
}

export class LogTail {
  readonly #store: Store;
  #position = 0;
  #length = PIECE_BYTES;
  /** The last line that was read, which tells a log that was cut and has grown again. */
  #last: Uint8Array = new Uint8Array(0);

  constructor(store: Store) {
    this.#store = store;
  }

  /** Bytes that are there and were not read. */
  async left(): Promise<number> {
    return ((await this.#store.size(LOG)) ?? 0) - this.#position;
  }

  /** Reads on where another reader has come to. @param last  the line before */
  goTo(end: number, last: Uint8Array): void {
    [this.#position, this.#last, this.#length] = [end, last, PIECE_BYTES + last.length];
  }

  async next(): Promise<NewLines> {
    const size = (await this.#store.size(LOG)) ?? 0;
    const begin = this.#position - this.#last.length;
    if (size === this.#position) return { lines: [], isReset: false, hasMore: false };
    const bytes = size < this.#position ? undefined : await this.#read(begin, Math.min(size, begin + this.#length));
    if (bytes === undefined || !startsWith(bytes, this.#last)) return this.#again();
    const fresh = bytes.subarray(this.#last.length);
    const end = fresh.lastIndexOf(NEWLINE) + 1;
    const isWhole = begin + bytes.length >= size;
    if (end === 0) {
      // A line that is longer than the piece is read again with more of it; half a line will be whole next time.
      if (!isWhole && this.#length < LONGEST_LINE) this.#length *= 2;
      return { lines: [], isReset: false, hasMore: !isWhole && this.#length < LONGEST_LINE };
    }
    const whole = fresh.subarray(0, end);
    this.#position += end;
    this.#last = whole.slice(whole.lastIndexOf(NEWLINE, end - 2) + 1);
    this.#length = PIECE_BYTES + this.#last.length;
    const lines = new TextDecoder()
      .decode(whole)
      .split('\n')
      .filter((line) => line.trim() !== '');
    return { lines, isReset: false, hasMore: !isWhole };
  }

  async #again(): Promise<NewLines> {
    [this.#position, this.#last, this.#length] = [0, new Uint8Array(0), PIECE_BYTES];
    const size = (await this.#store.size(LOG)) ?? 0;
    if (size === 0) return { lines: [], isReset: true, hasMore: false };
    return { ...(await this.next()), isReset: true };
  }

  async #read(begin: number, end: number): Promise<Uint8Array | undefined> {
    return begin >= end ? new Uint8Array(0) : this.#store.readRange(LOG, begin, end);
  }
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return bytes.length >= beginning.length && beginning.every((byte, i) => bytes[i] === byte);
}
