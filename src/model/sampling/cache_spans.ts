/** The free rows of the key/value cache: spans are taken at the lowest position that fits, and given back. */
import { BackendError } from '../../errors.ts';

interface Span {
  readonly begin: number;
  readonly end: number;
}

export class CacheSpans {
  readonly #capacity: number;
  /** Ascending, and no two of them touch. */
  #free: Span[];

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = [{ begin: 0, end: capacity }];
  }

  /**
   * The first row of `length` consecutive ones, which are taken.
   * @throws BackendError if no free span is long enough
   */
  take(length: number): number {
    if (length === 0) return 0;
    const index = this.#free.findIndex(({ begin, end }) => end - begin >= length);
    const freeSpan = this.#free[index];
    if (freeSpan === undefined) {
      const longest = this.#free.reduce((most, { begin, end }) => Math.max(most, end - begin), 0);
      throw new BackendError(
        'cache-full',
        `${length} cache rows for a sequence — the longest free stretch of ${this.#capacity} is ${longest}. ` +
          'Release sequences that are no longer needed, or open the policy with more kvRows.',
        { length, longest, capacity: this.#capacity },
      );
    }
    const rest = { begin: freeSpan.begin + length, end: freeSpan.end };
    this.#free.splice(index, 1, ...(rest.begin < rest.end ? [rest] : []));
    return freeSpan.begin;
  }

  /** Gives back what `take(length)` returned. */
  giveBack(begin: number, length: number): void {
    if (length === 0) return;
    const end = begin + length;
    const next = this.#free.findIndex((span) => span.begin >= end);
    const index = next < 0 ? this.#free.length : next;
    const [before, after] = [this.#free[index - 1], this.#free[index]];
    const joinsBefore = before !== undefined && before.end === begin;
    const joinsAfter = after !== undefined && after.begin === end;
    const joined = { begin: joinsBefore ? before.begin : begin, end: joinsAfter ? after.end : end };
    this.#free.splice(index - Number(joinsBefore), Number(joinsBefore) + Number(joinsAfter), joined);
  }
}
