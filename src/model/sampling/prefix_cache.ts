/** Prefixes in the key/value cache, each stored once for all of its sequences. */
import type { CacheSpans } from './cache_spans.ts';
import { openingOf } from './openings.ts';
import type { CachedPrefix } from './sampled_sequence.ts';

export class PrefixCache {
  readonly #spans: CacheSpans;
  readonly #prefixes = new Map<string, CachedPrefix>();

  constructor(spans: CacheSpans) {
    this.#spans = spans;
  }

  /** The prefix of these tokens, with one more user. @param keeps  whether its rows are kept */
  use(tokens: Int32Array, keeps: boolean): CachedPrefix {
    const key = tokens.join();
    let prefix = this.#prefixes.get(key);
    if (prefix === undefined) {
      const kvBegin = this.#spans.take(tokens.length);
      const inputRows = new Int32Array(keeps ? tokens.length : 0);
      const opening = openingOf(tokens, this.#prefixes.values());
      const unused = { users: 0, fed: 0, lastStep: -1, lastRow: 0, branch: undefined, branchedIn: -1, openedIn: -1 };
      prefix = { key, tokens, kvBegin, inputRows, opening, ...unused };
      this.#prefixes.set(key, prefix);
    }
    prefix.users++;
    return prefix;
  }

  leave(prefix: CachedPrefix): void {
    if (--prefix.users > 0) return;
    this.#spans.giveBack(prefix.kvBegin, prefix.tokens.length);
    this.#prefixes.delete(prefix.key);
  }

  /** Whether its rows are still in the cache. */
  has(prefix: CachedPrefix): boolean {
    return this.#prefixes.get(prefix.key) === prefix;
  }

  /** Forgets all prefixes, after something else has used the cache. */
  startOver(): void {
    for (const prefix of this.#prefixes.values()) prefix.fed = 0;
  }
}
