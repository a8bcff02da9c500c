import { choice, type EvaluationFigure, keys, meanOverProblems, method } from '../kit.ts';

const NAMES = { all: 'distinct_answers', right: 'distinct_right' } as const;

/** A policy that has collapsed gives one answer. */
export const mDiversity = method({
  id: 'm-diversity',
  about: {
    does: 'Reports how many different answers the samples of a problem have, or different right ones, for each sample.',
    names: ['distinct-correct', 'unique answers'],
    formula: 'distinct normal forms (right ones alone: show: right) / n, mean over problems',
    source: 'own',
    certainty: 'own',
    when: 'To see whether samples still differ; show: right tells variety from noise.',
  },
  options: keys({
    show: choice(['all', 'right']).default('right').describe('Whether wrong answers count, too.'),
  }),
  isRepeatable: true,
  create: ({ show }): EvaluationFigure => ({
    name: NAMES[show],
    of: (problems) =>
      meanOverProblems(
        problems.map(({ samples, answers }) => {
          const forms = samples.flatMap(({ score, canonical }, i) =>
            show === 'all' || score === 1 ? [canonical ?? answers[i].text] : [],
          );
          return new Set(forms).size / samples.length;
        }),
        problems.map(({ weight }) => weight),
      ),
  }),
});
