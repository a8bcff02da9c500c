import { type EvaluationFigure, integer, keys, meanOverProblems, method, type ProblemRecord } from '../kit.ts';
import { confidenceOf } from '../support/figures/confidence.ts';
import { requireSamples } from '../support/figures/enough_samples.ts';

/** What picking the sample that the policy was surest of would reach, without a verifier. */
export const bestOfK = method({
  id: 'best-of-k',
  about: {
    does: 'Reports the chance that the likeliest of k samples is right.',
    names: ['best-of-n'],
    formula: 'Σ_i right_i·C(n − 1 − rank_i, k − 1)/C(n, k), ranks by the mean log-prob of a token, from 0',
    source: 'own',
    certainty: 'own',
    when: 'Where an answer will be picked by its likelihood; against mean@k it says what the picking is worth.',
  },
  options: keys({
    k: integer({ min: 1, example: 4 }).describe('Samples to pick from, at most num_generations_eval.'),
  }),
  isRepeatable: true,
  create: ({ k }, { evaluation: { samples: most } }): EvaluationFigure => {
    requireSamples('best-of-k', k, most);
    return {
      name: `best_of@${k}`,
      of: (problems) =>
        meanOverProblems(
          problems.map((problem) => pickedRight(problem, k)),
          problems.map(({ weight }) => weight),
        ),
    };
  },
});

/** Over all choices of k samples; of equally sure ones the first is taken. */
function pickedRight({ samples, answers }: ProblemRecord, k: number): number {
  const order = samples.map((_, i) => i).sort((a, b) => confidenceOf(answers[b]) - confidenceOf(answers[a]) || a - b);
  const n = samples.length;
  let [chance, picked] = [0, k / n]; // that the surest of all is among k, which is then picked
  order.forEach((i, rank) => {
    if (samples[i].score === 1) chance += picked;
    picked *= (n - rank - k) / (n - rank - 1 || 1);
  });
  return Math.min(1, Math.max(0, chance));
}
