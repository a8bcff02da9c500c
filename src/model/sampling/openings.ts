/**
 * Openings: tokens that prefixes have in common, whose rows are computed once.
 *
 * Rows after an opening attend to the first prefix's copy and to their own rows. After that step its keys and values
 * are copied into each prefix's span of the cache, so that a completion still attends to two intervals. A row's bits
 * depend only on its keys and their order, not on their position, so only the work changes: in configs/smollm2.yaml,
 * whose prompts of 114 tokens share the first 100, a rollout of 80 completions computes 612 rows instead of 1,312.
 */
/** Fewer tokens are not worth a copy in every layer. */
const LEAST_TOKENS = 16;

/** A prefix and its opening. */
interface Opened {
  readonly tokens: Int32Array;
  readonly opening: object | undefined;
}

/**
 * The longest beginning shared with a prefix that was computed completely, without the last token.
 *
 * @param least  shorter openings do not count
 */
export function openingOf<P extends Opened>(
  tokens: Int32Array,
  prefixes: Iterable<P>,
  least = LEAST_TOKENS,
): { readonly of: P; readonly length: number } | undefined {
  let longest: { readonly of: P; readonly length: number } | undefined;
  for (const of of prefixes) {
    if (of.opening !== undefined) continue;
    const length = Math.min(commonLength(tokens, of.tokens), tokens.length - 1);
    if (length >= least && length > (longest?.length ?? 0)) longest = { of, length };
  }
  return longest;
}

/** Tokens that prompts sampled together compute once, estimated from some of them. */
export function sharedTokens(prompts: readonly Int32Array[]): number {
  const [first = new Int32Array(), ...others] = prompts;
  const length = others.reduce((least, prompt) => Math.min(least, commonLength(first, prompt)), first.length - 1);
  return others.length > 0 && length >= LEAST_TOKENS ? length : 0;
}

/** Length of the common beginning of two lists. */
export function commonLength(a: Int32Array, b: Int32Array): number {
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (a[i] !== b[i]) return i;
  return most;
}
