import { type EvaluationFigure, meanOverProblems, method } from '../kit.ts';
import { confidenceOf } from '../support/figures/confidence.ts';
import { elected } from '../support/figures/elected.ts';

export const weightedMaj = method({
  id: 'weighted-maj',
  about: {
    does: 'Reports how often the answer is right that has most votes, each of the weight of its probability.',
    names: ['weighted majority voting'],
    formula: 'right[argmax_a Σ_{i: answer_i = a} exp(mean_t logprob_it)], of all samples',
    source: 'own',
    certainty: 'own',
    when: 'Where answers will be voted on and likelihoods are calibrated; else maj-k.',
  },
  create: (_, { evaluation: { samples } }): EvaluationFigure => ({
    name: `weighted_maj@${samples}`,
    of: (problems) =>
      meanOverProblems(
        problems.map((problem) => elected(problem, (i) => confidenceOf(problem.answers[i]))),
        problems.map(({ weight }) => weight),
      ),
  }),
});
