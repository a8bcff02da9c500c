import { type EvaluationFigure, integer, keys, meanOverProblems, method } from '../kit.ts';
import { allRightOf } from '../support/figures/all_right.ts';
import { requireSamples } from '../support/figures/enough_samples.ts';

/** pass^k: how far a policy can be relied on. */
export const passHatK = method({
  id: 'pass-hat-k',
  about: {
    does: 'Reports the chance that k samples of a problem are all right.',
    formula: 'C(c, k) / C(n, k)',
    source: '2406.12045',
    certainty: 'paper',
    when: 'Where an answer must be right every time and not once in k.',
  },
  options: keys({
    k: integer({ min: 1, example: 4 }).describe('Samples that must all be right, at most num_generations_eval.'),
  }),
  create: ({ k }, { evaluation: { samples: most } }): EvaluationFigure => {
    requireSamples('pass-hat-k', k, most);
    return {
      name: `pass^${k}`,
      of: (problems) =>
        meanOverProblems(
          problems.map(({ samples }) =>
            allRightOf(samples.length, samples.filter(({ score }) => score === 1).length, k),
          ),
          problems.map(({ weight }) => weight),
        ),
    };
  },
});
