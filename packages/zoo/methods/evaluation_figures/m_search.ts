import { choice, type EvaluationFigure, keys, meanOf, meanOverProblems, method } from '../kit.ts';
import { BEHAVIOURS, type Behaviour, behavioursOf } from '../support/figures/behaviours.ts';
import { triesReader } from '../support/figures/read_tries.ts';
import { searches } from '../uses/searches.ts';

export const mSearch = method({
  id: 'm-search',
  about: {
    does: 'Reports how sampled answers search: tries, repeats, hits passed over, wrong marks and results, first steps.',
    names: ['search behaviour', 'backtracking'],
    formula: 'the count of an answer, or 1 where it does it; mean over samples, then over problems that have it',
    source: '2404.03683',
    certainty: 'own',
    when: 'For answers that search, to see what changes in the way they do, besides how often they are right.',
  },
  options: keys({
    show: choice(Object.keys(BEHAVIOURS) as [Behaviour, ...Behaviour[]])
      .default('tries')
      .describe(
        `Which one; ${Object.entries(BEHAVIOURS)
          .map(([name, words]) => `${name}: ${words}`)
          .join('; ')}.`,
      ),
  }),
  isRepeatable: true,
  uses: () => [searches],
  create: ({ show }): EvaluationFigure => ({
    name: `search/${show}`,
    of(problems, spaceAt) {
      const shown = problems.flatMap(({ samples, answers, weight }, i) => {
        const space = spaceAt?.(i);
        const read = space && triesReader(space);
        const values = read ? answers.flatMap(({ text }, k) => behavioursOf(read(text), samples[k])[show] ?? []) : [];
        return values.length === 0 ? [] : [{ value: meanOf(values), weight }];
      });
      if (shown.length === 0) return meanOverProblems([0]);
      // An interval is for shares: a count is a share of the largest.
      const largest = Math.max(1, ...shown.map(({ value }) => value));
      const { count, ...estimate } = meanOverProblems(
        shown.map(({ value }) => value / largest),
        shown.map(({ weight }) => weight),
      );
      const { mean, low, high } = estimate;
      return { mean: mean * largest, low: low * largest, high: high * largest, count };
    },
  }),
});
