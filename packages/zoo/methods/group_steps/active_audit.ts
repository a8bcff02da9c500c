/**
 * Uncertain completions are those whose reward is nearest to one half, in groups that are divided about it. OPV has its
 * most uncertain cases annotated; here the task's verifier is the annotator, and `audit_share` what it has time for.
 */
import { type GroupStep, isRight, keys, meanOf, method, number, type Rollout } from '../kit.ts';
import { changeConflict, changedReward, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

export const activeAudit = method({
  id: 'active-audit',
  about: {
    does: "Judges those completions by the task's verifier that a weaker reward is least certain of.",
    names: ['OPV', 'active learning', 'uncertainty sampling'],
    formula: 'R_i ← 1[right] for the audit_share of a batch of least |r_i − ½| + |mean of its group − ½|',
    source: '2512.10756',
    certainty: 'after the paper',
    when: 'Where a cheap reward decides and the verifier is dear; with a cheap verifier audit everything.',
  },
  options: keys({
    auditedReward: changedReward,
    auditShare: number({ min: 0, max: 1, example: 0.1 })
      .default(0.1)
      .describe('Share of the completions of a batch that are judged; 0: none.'),
  }),
  conflict: changeConflict,
  pays: paysReward('changes'),
  readsVerdicts: 'some',
  create: ({ auditedReward, auditShare }, stage): GroupStep => {
    const target = targetOf(stage, auditedReward);
    return {
      scope: 'batch',
      apply(groups, { rng, metric }) {
        if (auditShare === 0) return groups;
        const cases = groups.flatMap(({ rollouts }) => {
          const values = rollouts.map((one) => target.read(one));
          const divided = Math.abs(meanOf(values.flatMap((value) => value ?? [])) - 0.5);
          return rollouts.flatMap((rollout, i) => {
            const value = values[i];
            return value === null ? [] : [{ rollout, value, certainty: Math.abs(value - 0.5) + divided }];
          });
        });
        const order = rng.shuffle(cases).sort((a, b) => a.certainty - b.certainty); // of equal ones any
        const audited = order.slice(0, Math.round(auditShare * cases.length));
        const found = new Map<Rollout, number>(audited.map(({ rollout }) => [rollout, Number(isRight(rollout))]));
        metric('audited', audited.length);
        if (audited.length > 0) {
          metric(
            'overturned',
            meanOf(audited.map(({ rollout, value }) => Math.abs((found.get(rollout) ?? 0) - value))),
          );
        }
        return mapRollouts(groups, (rollout) => {
          const value = found.get(rollout);
          return value === undefined ? rollout : target.write(rollout, value);
        });
      },
    };
  },
});
