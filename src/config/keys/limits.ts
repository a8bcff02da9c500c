/** Limits that a config and the command line share. */

/** What no machine holds or no person waits for. A product of two sizes is exact. */
export const MOST_COMPLETIONS: number = 2 ** 26;
export const MOST_SAMPLES = 10_000;
export const MOST_TOKENS = 1_000_000;
