/**
 * Each action is held against every criterion by itself. After CM2, whose checklists a model fills in; here criteria are
 * checked by rules. A criterion on the verdict looks at the episode.
 */
import { type Criterion, criteriaList, flawOf, metOf } from '../../rewards/functions/rubric_criteria.ts';
import { choice, type GroupStep, keys, meanOf, method, number, type Rollout, type Turn } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';

export const turnRubric = method({
  id: 'turn-rubric',
  about: {
    does: 'Pays the turns of an episode by the criteria that each meets.',
    names: ['CM2', 'checklist rewards'],
    formula:
      'r_k ← r_k + coef·max(0, Σ w·met_k)/Σ w over the weights above 0; assign: last pays the mean over k at the end',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where turns can be judged by criteria of their own; a weak criterion is what is then learned.',
  },
  options: keys({
    criteria: criteriaList
      .meta({ examples: [[{ id: 'brief', weight: 1, check: { most_words: 3 } }]] })
      .describe('The criteria: {id, weight, check}, as those of the reward rubric.'),
    coef: number({ above: 0, example: 0.5 }).default(1).describe('What a turn is worth that meets all of them.'),
    assign: choice(['turn', 'last'])
      .default('turn')
      .describe('turn: to each turn what it meets; last: the mean of all turns to the last one.'),
  }),
  complete(options, refuse) {
    const flaw = flawOf(options.criteria);
    if (flaw !== undefined) refuse('criteria', flaw);
    return options;
  },
  warn: warnUncredited,
  create: ({ criteria, coef, assign }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      const shares: number[] = [];
      const paid = payTurns(groups, (own, episode) => {
        const met = own.map((turn) => metShare(criteria, turn, episode));
        shares.push(...met);
        if (assign === 'turn') return met.map((share) => coef * share);
        return met.map((_, k) => (k === met.length - 1 ? coef * meanOf(met) : 0));
      });
      if (shares.length > 0) metric('met', meanOf(shares));
      return paid;
    },
  }),
});

function metShare(criteria: readonly Criterion[], { text }: Turn, { verdict }: Rollout): number {
  const met = metOf(criteria, { completions: [text], verdicts: [verdict] }, 0);
  if (criteria.some(({ veto }, i) => veto && met[i] < 1)) return 0;
  const payable = criteria.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
  return (
    Math.max(
      0,
      criteria.reduce((sum, { weight }, i) => sum + weight * met[i], 0),
    ) / payable
  );
}
