import { choice, type EvaluationFigure, keys, meanOf, meanOverProblems, method, type ProblemRecord } from '../kit.ts';

const NAMES = {
  right: 'length/right',
  wrong: 'length/wrong',
  truncated: 'share_truncated',
} as const;

/**
 * A policy that pads its wrong answers looks the same in the mean of all. Without max_completion_length, the longest
 * sample takes its place.
 */
export const mLength = method({
  id: 'm-length',
  about: {
    does: 'Reports the mean length of right or of wrong samples beside the limit, or the share that was cut.',
    names: ['length of right answers', 'length of wrong answers'],
    formula:
      'Σ tokens of such samples / (their number·max_completion_length), mean over the problems that have some; 0 of none',
    source: 'own',
    certainty: 'own',
    when: 'Where length is free, to see whether right answers grow or wrong ones run into the limit.',
  },
  options: keys({
    show: choice(['right', 'wrong', 'truncated'])
      .default('right')
      .describe('Whose length; truncated: the share of samples that a limit cut.'),
  }),
  isRepeatable: true,
  create: ({ show }, { sampling }): EvaluationFigure => ({
    name: NAMES[show],
    of(problems) {
      const lengths = problems.flatMap(({ answers }) => answers.map(({ tokens }) => tokens.length));
      const limit = Math.max(1, sampling.maxCompletionTokens ?? 0, ...lengths);
      const counted = problems.flatMap((problem) => {
        const length = lengthOf(problem, show);
        if (length === undefined) return [];
        return [{ share: Math.min(1, show === 'truncated' ? length : length / limit), problem }];
      });
      if (counted.length === 0) return meanOverProblems([0]);
      return meanOverProblems(
        counted.map(({ share }) => share),
        counted.map(({ problem: { weight } }) => weight),
      );
    },
  }),
});

/** Mean tokens of the samples of that kind, undefined where there are none; of truncated ones their share. */
function lengthOf({ samples, answers }: ProblemRecord, show: keyof typeof NAMES): number | undefined {
  if (show === 'truncated') return meanOf(samples.map(({ status }) => Number(status === 'truncated')));
  const own = answers.filter((_, i) => (samples[i].score === 1) === (show === 'right'));
  return own.length === 0 ? undefined : meanOf(own.map(({ tokens }) => tokens.length));
}
