import { isFlawed } from '../../rewards/flaws.ts';
import { choice, type EvaluationFigure, flag, integer, keys, meanOverProblems, method } from '../kit.ts';
import { allRightOf } from '../support/figures/all_right.ts';
import { requireSamples } from '../support/figures/enough_samples.ts';

/** Equations are read as the reward `flaw-penalty` reads them. What pass@k has beyond this figure was guessed. */
export const mCotPass = method({
  id: 'm-cot-pass',
  about: {
    does: 'Reports the chance that one of k samples is right by a way that is right, or how much of what is right is not.',
    names: ['CoT-Pass@K', 'flawed positives'],
    formula:
      '1 − C(n − d, k)/C(n, k), d right samples without a false equation; flawed: share of the right samples, 0 where none is right',
    source: '2506.14245',
    certainty: 'after the paper',
    when: 'Where answers can be guessed and equations in the way there can be checked.',
  },
  options: keys({
    k: integer({ min: 1, example: 4 }).default(1).describe('Samples that try.'),
    show: choice(['pass', 'flawed'])
      .default('pass')
      .describe('pass: the chance; flawed: the share of right samples whose way is wrong.'),
    needsEquations: flag().default(false).describe('Whether a right answer without equations is flawed, too.'),
  }),
  isRepeatable: true,
  create: ({ k, show, needsEquations }, { evaluation: { samples: most } }): EvaluationFigure => {
    requireSamples('m-cot-pass', k, most);
    return {
      name: show === 'pass' ? `cot_pass@${k}` : 'flawed_right',
      of(problems) {
        const counted = problems.flatMap(({ samples, answers, weight }) => {
          const right = samples.flatMap(({ score }, i) =>
            score === 1 ? [isFlawed(answers[i].text, needsEquations)] : [],
          );
          const flawed = right.filter((is) => is).length;
          const sound = right.length - flawed;
          if (show === 'pass') return [{ value: 1 - allRightOf(samples.length, samples.length - sound, k), weight }];
          return right.length === 0 ? [] : [{ value: flawed / right.length, weight }];
        });
        if (counted.length === 0) return meanOverProblems([0]);
        return meanOverProblems(
          counted.map(({ value }) => value),
          counted.map(({ weight }) => weight),
        );
      },
    };
  },
});
