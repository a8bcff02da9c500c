/**
 * On tasks of this package, whose verifiers are exact, it is a figure of confident errors. `evaluations/final.jsonl` has
 * the problems with their answers.
 */
import { type EvaluationFigure, keys, meanOverProblems, method, number, type ProblemRecord } from '../kit.ts';

export const labelAudit = method({
  id: 'label-audit',
  about: {
    does: 'Reports the share of problems whose samples agree with each other and not with the label.',
    names: ['label audit', 'suspected labels'],
    formula:
      'share of problems with max_a #{i: answer_i = a, wrong} / samples ≥ agreement; answers by their normal form, else as they are written',
    source: '2506.13342',
    certainty: 'after the paper',
    when: 'To find wrong labels of a data set; a policy that is sure of the same mistake looks alike.',
  },
  options: keys({
    agreement: number({ above: 0.5, max: 1, example: 0.9 })
      .default(1)
      .describe('Share of the samples of a problem that must give the one wrong answer. Default {default}: all.'),
  }),
  create: ({ agreement }): EvaluationFigure => ({
    name: 'label_audit',
    of: (problems) =>
      meanOverProblems(
        problems.map((problem) => Number(agreementOnWrong(problem) >= agreement)),
        problems.map(({ weight }) => weight),
      ),
  }),
});

/** Share of the samples that give the wrong answer that most of the wrong ones give. */
function agreementOnWrong({ samples, answers }: ProblemRecord): number {
  const counts = new Map<string, number>();
  samples.forEach(({ score, status, canonical }, i) => {
    if (score === 1 || status !== 'incorrect') return; // what is no answer agrees with nothing
    const answer = canonical ?? answers[i].text.trim();
    counts.set(answer, (counts.get(answer) ?? 0) + 1);
  });
  return Math.max(0, ...counts.values()) / Math.max(1, samples.length);
}
