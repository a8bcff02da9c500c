/**
 * The sum over an episode is what its last state is nearer than its first: an episode that goes to and fro gains
 * nothing. The reward of the whole episode stays; an estimator by turn reads what turns are paid.
 */
import { POLICY_TURN } from '../../../../src/data/environment.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { type GroupStep, keys, method, number } from '../kit.ts';
import { payTurns, warnUncredited } from '../support/rewards/paid_turns.ts';

export const potentialShaping = method({
  id: 'potential-shaping',
  about: {
    does: 'Pays each turn by how much nearer to won it leads.',
    formula: 'r_k ← r_k + coef·(discount·Φ(s_{k+1}) − Φ(s_k)), Φ in [0, 1] by the environment, 0 at the start',
    source: 'own',
    certainty: 'after the paper',
  },
  options: keys({
    coef: number({ above: 0, example: 0.5 }).default(1).describe('Factor on what turns are paid for it.'),
    discount: number({ min: 0, max: 1, example: 0.9 })
      .default(1)
      .describe('Factor on the state that a turn leads to; the turn_discount of turn-return.'),
  }),
  warn: warnUncredited,
  uses: () => [severalTurns],
  create: ({ coef, discount }): GroupStep => ({
    scope: 'group',
    apply: (groups, { metric }) => {
      let [episodes, gained] = [0, 0];
      const shaped = payTurns(groups, (_, { turns = [] }) => {
        let before = 0;
        const gains = turns.map(({ potential = before }) => {
          const gain = coef * (discount * potential - before);
          before = potential; // also by what an expert played before the policy did
          return gain;
        });
        episodes++;
        gained += before;
        return gains.filter((_, at) => turns[at].label === POLICY_TURN);
      });
      if (episodes > 0) metric('potential', gained / episodes);
      return shaped;
    },
  }),
});
