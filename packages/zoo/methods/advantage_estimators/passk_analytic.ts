/**
 * Pass@k in closed form: every set of k completions is a group of its own, and a completion's advantage is the mean over
 * its sets. It is 0 where every set is paid, or none: a problem that k tries solve anyway is left alone.
 */
import { type AdvantageEstimator, groupByGroup, integer, keys, method, passAtK } from '../kit.ts';
import { largestOf, tooManyTries } from '../support/credit/group_size.ts';
import { SOLVED_OPTIONS, solvedBy } from '../support/credit/solved.ts';

export const passkAnalytic = method({
  id: 'passk-analytic',
  about: {
    does: 'Rewards sets of k completions, of which one must be solved.',
    formula: 'solved: (1 − R̄)/σ; else (1 − R̄ − C(w−1, k−1)/C(n−1, k−1))/σ; R̄ = 1 − C(w, k)/C(n, k)',
    source: '2508.10751',
    certainty: 'paper',
    names: ['Pass@k Training'],
  },
  against: ['entropy-collapse', 'pass-at-k-falls', 'sharpening'],
  options: keys({
    k: integer({ min: 1, example: 4 }).default(4).describe('Completions of a set; 1 is the plain group.'),
    ...SOLVED_OPTIONS,
  }),
  conflict: ({ k }, _, { batch }) =>
    largestOf(k) === batch.numGenerations
      ? `the one set of all ${batch.numGenerations} completions tells none of them apart; lower k, or raise num_generations`
      : tooManyTries(k, batch),
  create: ({ k, ...options }): AdvantageEstimator => {
    const isSolved = solvedBy(options);
    return groupByGroup((_, rollouts) => {
      const solved = rollouts.map(isSolved);
      return passkAdvantages(solved, Math.min(k, solved.length));
    });
  },
});

function passkAdvantages(solved: readonly boolean[], k: number): number[] {
  const [size, numSolved] = [solved.length, solved.filter(Boolean).length];
  if (size === 0) return [];
  const paid = passAtK(size, numSolved, k);
  if (paid === 0 || paid === 1) return solved.map(() => 0);
  const deviation = Math.sqrt(paid * (1 - paid));
  const unpaidOfOwn = k === 1 ? 1 : 1 - passAtK(size - 1, numSolved, k - 1);
  return solved.map((right) => (1 - paid - (right ? 0 : unpaidOfOwn)) / deviation);
}
