/**
 * What rose between two evaluations. Sampled accuracy alone also rises when a policy becomes more certain on problems
 * that it could already solve, for instance where a warm start's teacher erred. Greedy accuracy and pass@K show that it
 * solves more.
 */
import type { Estimate } from '../../statistics.ts';

type Share = Pick<Estimate, 'mean' | 'low' | 'high'>;

/** Shares of the same problems. */
export interface Reached {
  readonly greedy: Share;
  readonly sampled: Share;
  /** pass@K of K samples; absent for a single one. */
  readonly pass?: Share | null | undefined;
}

export type Rise = 'solves more' | 'surer' | 'solves less' | 'no change';

/** A sentence for each. */
export const RISE_WORDS: Readonly<Record<Rise, string>> = {
  'solves more': 'it solves more than before, by its best guess or in several tries',
  surer:
    'it is surer and solves no more: it is right more often where its best guess, or one of several tries, was before',
  'solves less': 'it solves less than before',
  'no change': 'nothing changed by more than chance may',
};

/** What rose by more than the 95 % interval of the difference. */
export function riseOf(before: Reached, after: Reached): Rise {
  const rose = (from: Share, to: Share | null | undefined): boolean => !!to && isAbove(to, from);
  const { pass: reach = null } = before;
  // Few samples of an uncertain policy miss what its best guess solves, and find more of it once it is more certain.
  const reachesMore = reach !== null && rose(reach, after.pass) && rose(before.greedy, after.pass);
  if (rose(before.greedy, after.greedy) || reachesMore) return 'solves more';
  if (rose(before.sampled, after.sampled)) return 'surer';
  const fell = rose(after.greedy, before.greedy) || rose(after.sampled, before.sampled);
  return fell || (after.pass && rose(after.pass, before.pass)) ? 'solves less' : 'no change';
}

/**
 * Whether the interval of a difference is above 0, made of the intervals of both as if the problems were others each time: the
 * same ones differ by less. Newcombe 1998, method 10, doi.org/10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I.
 */
function isAbove(a: Share, b: Share): boolean {
  return a.mean - b.mean > Math.hypot(a.mean - a.low, b.high - b.mean);
}
