/**
 * A milestone that is lost and reached again is not paid twice, and what is there at the start is not paid. The reward
 * of the whole episode stays; an estimator by turn reads what turns are paid. Unlike potential-shaping, it takes nothing
 * back.
 */
import { states } from '../../../../src/methods/uses/states.ts';
import { type GroupStep, keys, meanOf, method, number, type Turn } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';

export const milestones = method({
  id: 'milestones',
  about: {
    does: 'Pays each turn for the milestones that it reaches first.',
    names: ['MiRA', 'subgoals'],
    formula: 'r_k ← r_k + coef·(milestones first reached by turn k) / (milestones open at the start)',
    source: 'own',
    certainty: 'after the paper',
    when: 'For episodes with steps that can be named and reached once; it is dense where winning alone is rare.',
  },
  options: keys({
    coef: number({ above: 0, example: 0.5 }).default(1).describe('What all milestones together are worth.'),
  }),
  warn: warnUncredited,
  uses: () => [states('milestones')],
  create: ({ coef }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      const shares: number[] = [];
      const paid = payTurns(groups, (own) => {
        const reached = firstReached(own);
        if (reached === undefined) return undefined;
        shares.push(reached.reduce((sum, share) => sum + share, 0));
        return reached.map((share) => coef * share);
      });
      if (shares.length > 0) metric('reached', meanOf(shares));
      return paid;
    },
  }),
});

/** [turns] share of the milestones open at the start that each turn is the first to reach; undefined where none is known. */
function firstReached(own: readonly Turn[]): number[] | undefined {
  const start = own[0]?.before?.milestones;
  if (start === undefined) return undefined;
  const reached = [...start];
  const open = start.filter((is) => !is).length;
  return own.map(({ after }) => {
    let count = 0;
    after?.milestones?.forEach((is, milestone) => {
      if (!is || reached[milestone]) return;
      reached[milestone] = true;
      count++;
    });
    return open === 0 ? 0 : count / open;
  });
}
