/**
 * A good opening differs from a poor one even where both episodes are lost. The reward of the whole episode is paid with
 * its last turn.
 */
import { POLICY_TURN } from '../../../../src/data/environment.ts';
import { areEqual, type CountedRollout, counts } from '../../../../src/methods/support/credit/baseline.ts';
import { turnsOf } from '../../../../src/methods/support/rollouts/turns.ts';
import { severalTurns } from '../../../../src/methods/uses/several_turns.ts';
import { type AdvantageEstimator, keys, meanOf, method, number, type Rollout, type RolloutGroup } from '../kit.ts';

export const turnReturn = method({
  id: 'turn-return',
  about: {
    does: 'Credits each turn of an episode with what it and the later ones were paid.',
    formula:
      'G_{i,k} = Σ_{k′ ≥ k} turn_discount^(k′ − k)·r_{i,k′}; A_{i,k} = G_{i,k} − mean of G_{j,k} over members with a turn k',
    source: 'own',
    certainty: 'after the paper',
  },
  options: keys({
    turnDiscount: number({ min: 0, max: 1, example: 0.9 })
      .default(1)
      .describe('Factor on what a turn is paid, for each turn before it.'),
  }),
  tells: ['turns'],
  uses: () => [severalTurns],
  create: ({ turnDiscount }): AdvantageEstimator => {
    const estimateOne = ({ rollouts }: RolloutGroup) => {
      const returns = rollouts.map((rollout) => (counts(rollout) ? turnReturns(rollout, turnDiscount) : []));
      const longest = Math.max(...returns.map(({ length }) => length));
      const means = Array.from({ length: longest }, (_, turn) => {
        const own = returns.flatMap((list) => (turn < list.length ? [list[turn]] : []));
        return areEqual(own) ? own[0] : meanOf(own); // a rounded mean is not quite that of equal numbers
      });
      const tokenAdvantages = rollouts.map((rollout, i) =>
        byToken(
          rollout,
          returns[i].map((value, turn) => value - means[turn]),
        ),
      );
      return { advantages: Float32Array.from(tokenAdvantages, (own) => own[0] ?? 0), tokenAdvantages };
    };
    return {
      estimate: (groups) => groups.map(estimateOne),
      isDead: (group) => estimateOne(group).tokenAdvantages.every((own) => own.every((value) => value === 0)),
    };
  },
});

/** [turns of the policy] */
function turnReturns(rollout: CountedRollout, discount: number): number[] {
  const paid = turnsOf(rollout).flatMap(({ label, reward = 0 }) => (label === POLICY_TURN ? [reward] : []));
  const returns = new Array<number>(paid.length);
  for (let turn = paid.length - 1, later = rollout.reward; turn >= 0; turn--) {
    returns[turn] = later = paid[turn] + (turn === paid.length - 1 ? later : discount * later);
  }
  return returns;
}

/** [tokens] what its turn has, in each token of it; 0 where another wrote, or where nothing is known of its turns. */
function byToken(rollout: Rollout, byTurn: readonly number[]): Float32Array {
  const values = new Float32Array(rollout.tokens.length);
  let begin = 0;
  let turn = 0;
  for (const { tokens, label } of turnsOf(rollout)) {
    const end = begin + tokens.length;
    if (label === POLICY_TURN) values.fill(byTurn[turn++] ?? 0, begin, end);
    begin = end;
  }
  return values;
}
