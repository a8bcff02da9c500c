import { choice, type EvaluationFigure, keys, meanOverProblems, method, type ProblemRecord } from '../kit.ts';

const THIRDS = ['low', 'middle', 'high'] as const;

/**
 * What was learned on easy problems may not hold for hard ones. The levels that are asked are three parts, from low to
 * high; of one or two levels some parts have none, and all problems count.
 */
export const mGenLevels = method({
  id: 'm-gen-levels',
  about: {
    does: 'Reports the share of right samples among the problems of the lowest, middle or highest third of the levels.',
    names: ['generalization over levels'],
    formula: 'mean over problems with ⌊3·rank(level)/levels⌋ = part of c/n; levels ranked among those that are asked',
    source: 'own',
    certainty: 'own',
    when: 'For tasks with levels, to see whether the hard ones gain or only the easy ones.',
  },
  options: keys({
    third: choice(THIRDS).default('high').describe('Which third of the levels.'),
  }),
  isRepeatable: true,
  create: ({ third }): EvaluationFigure => ({
    name: `levels_${third}`,
    of(problems) {
      const chosen = ofThird(problems, THIRDS.indexOf(third));
      return meanOverProblems(
        chosen.map(({ samples }) => samples.filter(({ score }) => score === 1).length / samples.length),
        chosen.map(({ weight }) => weight),
      );
    },
  }),
});

/** @param part  0 to 2 @returns all problems where no level is in that part */
function ofThird(problems: readonly ProblemRecord[], part: number): readonly ProblemRecord[] {
  const levels = [...new Set(problems.map(({ level = 0 }) => level))].sort((a, b) => a - b);
  const chosen = problems.filter(({ level = 0 }) => Math.floor((3 * levels.indexOf(level)) / levels.length) === part);
  return chosen.length === 0 ? problems : chosen;
}
