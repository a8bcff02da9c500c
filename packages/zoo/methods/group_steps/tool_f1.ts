/**
 * The harmonic mean of both. An episode that calls nothing gets nothing, unless there was nothing to find; one that asks
 * everything twice gets two thirds. Verdicts stay. After ASTRA.
 */
import { states } from '../../../../src/methods/uses/states.ts';
import { type GroupStep, keys, meanOf, method, number } from '../kit.ts';
import { changeConflict, changedReward, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { type CallsUsed, callsOfEpisode } from '../support/rewards/tool_calls.ts';

export const toolF1 = method({
  id: 'tool-f1',
  about: {
    does: 'Pays an episode for what its calls of tools find out, and for making few.',
    names: ['ASTRA'],
    formula: 'R ← R + coef·2PC/(P + C), P = solved/calls, C = solved/open at the start; nothing open: [no calls]',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where a question needs several facts and a call costs something; with one call to make there is nothing to balance.',
  },
  options: keys({
    coef: number({ above: 0, example: 0.5 }).default(1).describe('Factor on what an episode is paid for it.'),
    f1Reward: changedReward,
  }),
  conflict: changeConflict,
  uses: () => [states('calls')],
  pays: paysReward('changes'),
  create: ({ coef, f1Reward }, stage): GroupStep => {
    const target = targetOf(stage, f1Reward);
    return {
      scope: 'group',
      apply: (groups, { metric }) => {
        const found: number[] = [];
        const paid = mapRollouts(groups, (rollout) => {
          const calls = callsOfEpisode(rollout);
          const before = target.read(rollout);
          if (calls === undefined || before === null) return rollout;
          const value = f1Of(calls);
          found.push(value);
          return target.write(rollout, before + coef * value);
        });
        if (found.length > 0) metric('f1', meanOf(found));
        return paid;
      },
    };
  },
});

function f1Of({ made, solved, open }: CallsUsed): number {
  return made + open === 0 ? 1 : (2 * solved) / (made + open);
}
