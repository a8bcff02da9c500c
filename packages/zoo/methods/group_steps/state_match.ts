import { states } from '../../../../src/methods/uses/states.ts';
import { choice, flag, type GroupStep, key, keys, meanOf, method, type Rollout } from '../kit.ts';
import { ownTurns } from '../support/rewards/paid_turns.ts';
import { changeConflict, changedReward, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

/**
 * An episode that nearly got there is worth more than one that did nothing, or did harm. The environment shows both
 * states cell by cell; a verdict is as it was.
 */
export const stateMatch = method({
  id: 'state-match',
  about: {
    does: 'Pays an episode by how far its last state is the one that wins.',
    names: ['LOGIGEN', 'CUA-Gym'],
    formula:
      'exact [s_T = s*] | dense clip(1 − diff(s_T, s*)/diff(s_0, s*), 0, 1) | cells right/all of those that should change or did',
    source: 'own',
    certainty: 'after the paper',
    when: 'For environments whose goal is one state, such as forms and files; it pays progress before the first win.',
  },
  options: keys({
    form: choice(['exact', 'dense', 'cells'])
      .default('dense')
      .describe(
        'exact: 1 for the state that wins, else 0. dense: the share of the difference that is gone; harm takes from it. ' +
          'cells: of the cells that should change, or were changed, the share that is right.',
      ),
    paysRuleBreakers: key(
      'illegal',
      flag().default(false).describe('Whether an episode with an action that broke the rules is paid too.'),
    ),
    matchedReward: changedReward,
  }),
  conflict: changeConflict,
  uses: () => [states('compared')],
  pays: paysReward('changes'),
  create: ({ form, paysRuleBreakers, matchedReward }, stage): GroupStep => {
    const target = targetOf(stage, matchedReward);
    return {
      scope: 'group',
      apply: (groups, { metric }) => {
        const shares: number[] = [];
        const paid = mapRollouts(groups, (rollout) => {
          const share = matchOf(rollout, form);
          if (share === undefined || target.read(rollout) === null) return rollout;
          shares.push(share);
          const isBroken = ownTurns(rollout).some(({ illegal }) => illegal);
          return target.write(rollout, isBroken && !paysRuleBreakers ? 0 : share);
        });
        if (shares.length > 0) metric('matched', meanOf(shares));
        return paid;
      },
    };
  },
});

/** Undefined where nothing is known of its states. */
function matchOf(rollout: Rollout, form: 'exact' | 'dense' | 'cells'): number | undefined {
  const own = ownTurns(rollout);
  const [start, end] = [own[0]?.before?.compared, own.at(-1)?.after?.compared];
  if (start === undefined || end === undefined) return undefined;
  const { cells, goal } = end;
  const isRight = cells.map((cell, at) => cell === goal[at]);
  const wrong = isRight.filter((is) => !is).length;
  const wrongBefore = start.cells.filter((cell, at) => cell !== goal[at]).length;
  if (form === 'exact' || (form === 'dense' && wrongBefore === 0)) return Number(wrong === 0);
  if (form === 'dense') return Math.max(0, 1 - wrong / wrongBefore);
  const touched = isRight.filter((_, at) => start.cells[at] !== goal[at] || start.cells[at] !== cells[at]);
  return touched.length === 0 ? 1 : touched.filter((is) => is).length / touched.length;
}
