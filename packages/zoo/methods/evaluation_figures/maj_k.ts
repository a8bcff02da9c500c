import { type EvaluationFigure, integer, keys, meanOverProblems, method } from '../kit.ts';
import { requireSamples } from '../support/figures/enough_samples.ts';
import { majorityAt } from '../support/figures/majority_at.ts';

/** maj@k: what voting would reach. */
export const majK = method({
  id: 'maj-k',
  about: {
    does: 'Reports the chance that the commonest answer of k samples is right.',
    names: ['majority voting', 'self-consistency', 'cons@k'],
    formula: 'mean over all choices of k samples of the share of the commonest normal forms that is right',
    source: '2203.11171',
    certainty: 'after the paper',
    when: 'Where answers will be voted on; open answers without a normal form never agree.',
  },
  options: keys({
    k: integer({ min: 1, example: 4 }).describe('Samples that vote, at most num_generations_eval.'),
  }),
  isRepeatable: true,
  create: ({ k }, { evaluation: { samples: most } }): EvaluationFigure => {
    requireSamples('maj-k', k, most);
    return {
      name: `maj@${k}`,
      of: (problems) =>
        meanOverProblems(
          problems.map(({ samples }) => majorityAt(samples, k)),
          problems.map(({ weight }) => weight),
        ),
    };
  },
});
