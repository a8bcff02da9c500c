/** What a comparison says in sentences, in a terminal and on a page. */
import { minus } from '../../src/format.ts';
import type { Comparison, FigureDifference } from './compare.ts';

/** Problems that the greedy answers gain and lose. */
export function greedyWords({ a, b, mcNemar: { gained, lost, p } }: Comparison): string {
  const chance = `p = ${p.toPrecision(2)}`;
  if (a.length === 1 && b.length === 1)
    return `Greedy, B solves ${gained} that A does not, and A ${lost} that B does not; exact McNemar ${chance}.`;
  return `Greedy, B solves ${gained} in a larger share of its runs than A, and A ${lost} than B; sign test ${chance}.`;
}

/** Where the curves of pass@k cross, and which problems any sample solves; undefined for a single sample, which has no curve. */
export function reachWords({
  a: ofA,
  b: ofB,
  problems,
  boundary: { a, b, crossing, gained, lost, solved, gainedGreedily },
}: Comparison): string | undefined {
  const samples = a.length;
  if (samples < 2) return undefined;
  const isSame = a.every((value, i) => value === b[i]);
  const where =
    crossing === null
      ? `the curves ${isSame ? 'are the same' : 'do not cross'} up to ${samples}`
      : `the curves cross at k = ${crossing}`;
  const isOne = ofA.length === 1 && ofB.length === 1;
  const newly = gained === 0 ? '' : ` (${gainedGreedily} of them by its greedy answer)`;
  const reach = isOne
    ? `B solves ${gained} that A never does${newly}, and A ${lost} that B never does`
    : `B solves ${gained} in a larger share of its runs than A${newly}, and A ${lost} than B`;
  const [before, after] = [solved.a, solved.b].map((count) => Number(count.toFixed(1)));
  return `pass@k: ${where}. In ${samples} samples, A solves ${before} of ${problems} problems and B ${after}; ${reach}.`;
}

/** The interval of a difference of shares that is as wide as this leaves almost all open. */
const SAYS_NOTHING = 1;

/** A figure of A, of B, their difference, and its 95 % interval. */
export function figureCells(
  { isShare, a, b, difference: { mean, low, high } }: FigureDifference,
  { a: ofA, b: ofB }: Pick<Comparison, 'a' | 'b'>,
): readonly [a: string, b: string, difference: string, interval: string] {
  const number = (value: number): string => minus(((isShare ? 100 : 1) * value).toFixed(1));
  const signed = (value: number): string => `${value < 0 ? '' : '+'}${number(value)}`;
  const unit = isShare ? ' %' : '';
  const few = ofA.length > 1 || ofB.length > 1 ? 'seeds' : 'problems';
  const isOpen = isShare && low < 0 && high > 0 && high - low >= SAYS_NOTHING;
  const interval = isOpen ? `too few ${few} to tell` : `${signed(low)} to ${signed(high)}`;
  return [number(a) + unit, number(b) + unit, signed(mean), interval];
}
