/**
 * How much is drawn: `npm test` keeps to seconds at the keyboard, CI and `npm run test:all` to minutes, and
 * `RLVR_TEST_BUDGET=release` takes all that a test can draw.
 */

/** Suites of test/conformance run in a page, too, which has no process: its script says what is asked there. */
const ASKED =
  typeof process === 'undefined'
    ? (globalThis as { readonly RLVR_TEST_BUDGET?: string }).RLVR_TEST_BUDGET
    : process.env.RLVR_TEST_BUDGET;
export const TIER = ASKED === 'quick' || ASKED === 'release' ? ASKED : 'all';

interface Draws {
  readonly quick: number;
  /** In CI. */
  readonly all: number;
  /** Absent: as in CI. */
  readonly release?: number;
}

/** The number of draws, kills or combinations of a test. */
export function budget({ quick, all, release = all }: Draws): number {
  return { quick, all, release }[TIER];
}

/** So many rows of a table as the tier has, at even distances, the first among them; all before a release, and where no number is given. */
export function fewOf<T>(
  rows: readonly T[],
  { quick, all = rows.length }: { quick: number; all?: number },
): readonly T[] {
  const count = budget({ quick, all, release: rows.length });
  if (rows.length <= count) return rows;
  return Array.from({ length: count }, (_, index) => rows[Math.floor((index * rows.length) / count)]);
}
