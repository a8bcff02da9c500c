import { guards } from '../../../../src/methods/uses/guards.ts';
import { type GroupStep, keys, meanOf, method, number } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';

/** Evaluations have no guard, so that they show what was learned. */
export const actionGuard = method({
  id: 'action-guard',
  about: {
    does: 'Keeps rollouts from actions that the guard of their environment denies, and charges for trying.',
    names: ['VeriGuard', 'ShieldAgent', 'shielding'],
    formula: 'where guard(s_k, a_k) denies: s_{k+1} = s_k, its reason is read, and r_k ← r_k − coef',
    source: 'own',
    certainty: 'after the paper',
    when: 'For environments with forbidden actions, when they are to stay forbidden in use; the policy must see why it was denied.',
  },
  options: keys({
    coef: number({ above: 0, example: 0.1 }).default(0.1).describe('What a denied action is charged.'),
  }),
  warn: warnUncredited,
  note: () => 'evaluations have no guard: they show what the policy does without one',
  uses: () => [guards],
  create: ({ coef }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      const shares: number[] = [];
      const paid = payTurns(groups, (own) => {
        shares.push(meanOf(own.map(({ denied }) => Number(denied === true))));
        return own.some(({ denied }) => denied) ? own.map(({ denied }) => (denied ? -coef : 0)) : undefined;
      });
      if (shares.length > 0) metric('denied', meanOf(shares));
      return paid;
    },
  }),
});
