import type { EvaluationFigure, ProblemRecord } from '../kit.ts';
import { choice, keys, meanOf, meanOverProblems, method, text } from '../kit.ts';
import { ownTurns } from '../support/rewards/paid_turns.ts';

const SHOWN = ['mean', 'whole', 'gap'] as const;
const MILESTONES = 'milestones';

/** A policy that guesses has right answers whose sub-score is low. */
export const mProcess = method({
  id: 'm-process',
  about: {
    does: 'Reports a sub-score of sampled answers or the milestones of episodes, or how far right answers are beyond it.',
    names: ['sub-goal completion', 'all steps correct', 'context recall'],
    formula:
      'mean: mean s_i · whole: share with s_i = 1 · gap: share right − share right with s_i = 1; mean over problems',
    source: 'own',
    certainty: 'own',
    when: 'Where a verdict has sub-scores or milestones, to see progress that the accuracy does not show yet.',
  },
  options: keys({
    part: text('trace').describe(
      'A sub-score of the verdict, as trace of vm_trace; milestones: those reached at the end.',
    ),
    show: choice(SHOWN)
      .default('mean')
      .describe('mean: of the sub-score; whole: share of samples that have all of it; gap: right ones that do not.'),
  }),
  isRepeatable: true,
  create: ({ part, show }): EvaluationFigure => ({
    name: `process/${part}${show === 'mean' ? '' : `/${show}`}`,
    ...(part === MILESTONES && { readsStates: true }),
    of: (problems) =>
      meanOverProblems(
        problems.map((problem) => {
          const shares = problem.samples.map((_, i) => shareOf(problem, i, part));
          if (show === 'mean') return meanOf(shares);
          if (show === 'whole') return meanOf(shares.map((share) => Number(share === 1)));
          return meanOf(problem.samples.map(({ score }, i) => Number(score === 1 && shares[i] < 1)));
        }),
        problems.map(({ weight }) => weight),
      ),
  }),
});

/** In [0, 1]; 0 where nothing is known of it. */
function shareOf({ samples, turns }: ProblemRecord, i: number, part: string): number {
  if (part !== MILESTONES) return samples[i].parts?.[part] ?? 0;
  const reached = ownTurns({ turns: turns[i] }).at(-1)?.after?.milestones ?? [];
  return reached.length === 0 ? 0 : meanOf(reached.map(Number));
}
