import { type EvaluationFigure, meanOf, meanOverProblems, method } from '../kit.ts';
import { confidenceOf } from '../support/figures/confidence.ts';

export const mCalibration = method({
  id: 'm-calibration',
  about: {
    does: 'Reports how far the probability that the policy gives a token of its answers is from being right: 0 is best.',
    names: ['Brier score'],
    formula: 'mean over samples of (exp(mean_t logprob_t) − right)², then over problems',
    source: 'own',
    certainty: 'own',
    when: 'Where the probability of an answer is used, as by best-of-k or a vote by weight.',
  },
  create: (): EvaluationFigure => ({
    name: 'brier',
    of: (problems) =>
      meanOverProblems(
        problems.map(({ samples, answers }) =>
          meanOf(samples.map(({ score }, i) => (confidenceOf(answers[i]) - (score === 1 ? 1 : 0)) ** 2)),
        ),
        problems.map(({ weight }) => weight),
      ),
  }),
});
