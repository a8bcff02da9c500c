/** Weighted majority: every sample votes with the confidence that the policy had in it, so that a sure one counts more. */
import { method } from '../method.ts';
import type { EvaluationFigure, ProblemRecord } from '../points.ts';
import { meanOverProblems } from '../statistics.ts';
import { confidenceOf } from '../support/figures/confidence.ts';

export const weightedMaj = method({
  id: 'weighted-maj',
  about: {
    does: 'Reports how often the answer is right that has most votes, each of the weight of its probability.',
    names: ['weighted majority voting'],
    formula: 'right[argmax_a Σ_{i: answer_i = a} exp(mean_t logprob_it)], of all samples',
    source: 'own',
    certainty: 'own',
  },
  create: (_, { evaluation: { samples } }): EvaluationFigure => ({
    name: `weighted_maj@${samples}`,
    of: (problems) =>
      meanOverProblems(
        problems.map(elected),
        problems.map(({ weight }) => weight),
      ),
  }),
});

/** Whether the answer with most votes is right; the first of equal ones. A sample without a normal form has no vote. */
function elected({ samples, answers }: ProblemRecord): number {
  const votes = new Map<string, { sum: number; isRight: boolean }>();
  samples.forEach(({ canonical, score }, i) => {
    if (canonical === undefined && score !== 1) return;
    const known = votes.get(canonical ?? '') ?? { sum: 0, isRight: false };
    votes.set(canonical ?? '', { sum: known.sum + confidenceOf(answers[i]), isRight: known.isRight || score === 1 });
  });
  const [first, ...others] = [...votes.values()];
  if (first === undefined) return 0;
  return Number(others.reduce((most, one) => (one.sum > most.sum ? one : most), first).isRight);
}
