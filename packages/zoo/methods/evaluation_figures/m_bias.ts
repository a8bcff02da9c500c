import { type EvaluationFigure, method } from '../kit.ts';

/**
 * With multiple choice this is a bias of position: a policy that says A always is right as often as A is, and far from
 * the truth.
 */
export const mBias = method({
  id: 'm-bias',
  about: {
    does: 'Reports how far the distribution of sampled answers is from that of right ones: 0 is the same, 1 nothing in common.',
    names: ['position bias'],
    formula:
      '½·Σ_a |share of answer a among samples − among right answers|, problems by weight; interval ± ½·√(answers/problems)',
    source: 'own',
    certainty: 'own',
    when: 'For choices and short answers, to see a preference for some of them; with many different answers it is noise.',
  },
  create: (): EvaluationFigure => ({
    name: 'answer_bias',
    of(problems) {
      const differences = new Map<string, number>();
      const add = (answer: string, share: number): void => {
        differences.set(answer.trim(), (differences.get(answer.trim()) ?? 0) + share);
      };
      const all = problems.reduce((sum, { weight }) => sum + weight, 0);
      for (const { answers, answer, weight } of problems) {
        for (const { text } of answers) add(text, weight / all / answers.length);
        add(answer, -weight / all);
      }
      const mean = [...differences.values()].reduce((sum, difference) => sum + Math.abs(difference), 0) / 2;
      const spread = Math.sqrt(differences.size / problems.length) / 2;
      return {
        mean: Math.min(1, mean),
        low: Math.max(0, mean - spread),
        high: Math.min(1, mean + spread),
        count: problems.length,
      };
    },
  }),
});
