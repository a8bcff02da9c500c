/** Which way samples fail: a format that is not learned wants another remedy than a wrong value. */
import { choice, type EvaluationFigure, keys, meanOf, meanOverProblems, method } from '../kit.ts';

const CLASSES = [
  'truncated',
  'no_answer',
  'bad_format',
  'illegal',
  'wrong_value',
  'partial',
  'timeout',
  'error',
] as const;

export const failureClass = method({
  id: 'failure-class',
  about: {
    does: 'Reports the share of samples that fail in one way.',
    names: ['failure histogram'],
    formula: 'samples with this failure / samples, mean over problems',
    source: 'own',
    certainty: 'own',
    when: 'To see whether a kind of failure goes away, where the accuracy alone does not say why it moves.',
  },
  options: keys({
    failure: choice(CLASSES)
      .default('wrong_value')
      .describe('The failure that is counted; truncated: cut off by a limit.'),
  }),
  isRepeatable: true,
  create: ({ failure }): EvaluationFigure => ({
    name: `failures/${failure}`,
    of: (problems) =>
      meanOverProblems(
        problems.map(({ samples }) =>
          meanOf(
            samples.map(({ status, failure: own }) =>
              Number(failure === 'truncated' ? status === 'truncated' : own === failure),
            ),
          ),
        ),
        problems.map(({ weight }) => weight),
      ),
  }),
});
