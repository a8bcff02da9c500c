/**
 * Whether training lets a policy solve more, or the same more often: pass@k of both sides for every k up to the samples
 * drawn. Where the curves cross, one side is better at few tries and the other at many.
 *
 * @see Yue et al. 2025, arXiv:2504.13837
 */

/** The curves of two sides, and what each solves in all of its samples. */
export interface Boundary {
  /** pass@k, k from 1. */
  readonly a: readonly number[];
  readonly b: readonly number[];
  /** The first k at which the side that was lower at first is higher; null where the curves do not cross. */
  readonly crossing: number | null;
  /** Problems that a larger share of b's runs than of a's solves in any sample, and the reverse. */
  readonly gained: number;
  readonly lost: number;
}

/** @param a  pass@k, k from 1 @param b  likewise, as long @returns the first k at which the other side is ahead, or null */
export function crossingOf(a: readonly number[], b: readonly number[]): number | null {
  const first = a.findIndex((value, i) => value !== b[i]);
  if (first < 0) return null;
  const isBAhead = b[first] > a[first];
  const crossing = a.findIndex((value, i) => i > first && (isBAhead ? value > b[i] : value < b[i]));
  return crossing < 0 ? null : crossing + 1;
}

/** @param a  [runs][problems] samples that are right @param b  likewise */
export function changedReach(
  a: readonly (readonly number[])[],
  b: readonly (readonly number[])[],
): { readonly gained: number; readonly lost: number } {
  const reachOf = (runs: readonly (readonly number[])[]): number[] =>
    runs[0].map((_, i) => runs.filter((right) => right[i] > 0).length / runs.length);
  const [mine, yours] = [reachOf(a), reachOf(b)];
  return {
    gained: yours.filter((share, i) => share > mine[i]).length,
    lost: mine.filter((share, i) => share > yours[i]).length,
  };
}
