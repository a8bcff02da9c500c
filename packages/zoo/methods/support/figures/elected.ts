/** Votes of samples that do not count alike. */
import type { ProblemRecord } from '../../../../../src/methods/points.ts';

/**
 * 1 where the answer with most votes is right; the first of equal ones. A sample without a normal form has no vote.
 *
 * @param weightOf  what the vote of sample i counts, 0 or more
 */
export function elected({ samples }: Pick<ProblemRecord, 'samples'>, weightOf: (i: number) => number): 0 | 1 {
  const votes = new Map<string, { sum: number; isRight: boolean }>();
  samples.forEach(({ canonical, score }, i) => {
    if (canonical === undefined && score !== 1) return;
    const known = votes.get(canonical ?? '') ?? { sum: 0, isRight: false };
    votes.set(canonical ?? '', { sum: known.sum + weightOf(i), isRight: known.isRight || score === 1 });
  });
  const [first, ...others] = [...votes.values()];
  if (first === undefined) return 0;
  return others.reduce((most, one) => (one.sum > most.sum ? one : most), first).isRight ? 1 : 0;
}
