/** What an accuracy over few held-out problems says. */

/** Below it the interval is wider than ± 13 points. */
const FEW = 50;
/** 97.5 % quantile of the standard normal distribution. */
const Z95 = 1.959963984540054;

/** A sentence on how little is known; undefined where there are enough. @see Wilson 1927: the interval around a half */
export function fewHeldOut(count: number): string | undefined {
  if (count >= FEW) return undefined;
  const percent = (share: number): string => (100 * share).toFixed(0);
  const half = Z95 / (2 * Math.sqrt(count + Z95 ** 2));
  const problems = count === 1 ? 'problem is' : 'problems are';
  return `only ${count} ${problems} held out: an accuracy of 50 % may be any from ${percent(0.5 - half)} to ${percent(0.5 + half)} %`;
}
