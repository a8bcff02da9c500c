/** Where all of a group called tools, or none did, only the cost counts. After ForgeryVCR. */

import { states } from '../../../../src/methods/uses/states.ts';
import type { GroupStep, Rollout, RolloutGroup } from '../kit.ts';
import { counts, isRight, key, keys, meanOf, method, number } from '../kit.ts';
import { changeConflict, changedReward, paysReward, targetOf } from '../support/rewards/reward_parts.ts';
import { callsOfEpisode } from '../support/rewards/tool_calls.ts';

export const toolGain = method({
  id: 'tool-gain',
  about: {
    does: 'Pays calls of tools by how much righter those of a group are that made some, less a cost.',
    names: ['ForgeryVCR'],
    formula:
      'R ← R + gain·(acc of members with calls − acc of members without) − call_cost·calls, of a member with calls',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where tools are called although they do not help; a group needs members with and without calls.',
  },
  options: keys({
    gainWeight: key(
      'gain',
      number({ min: 0, example: 0.5 }).default(1).describe('Factor on the difference of accuracies.'),
    ),
    callCost: number({ min: 0, example: 0.05 }).default(0.05).describe('What each call costs.'),
    gainReward: changedReward,
  }),
  conflict: changeConflict,
  uses: () => [states('calls')],
  pays: paysReward('changes'),
  readsVerdicts: true,
  create: ({ gainWeight, callCost, gainReward }, stage): GroupStep => {
    const target = targetOf(stage, gainReward);
    return {
      scope: 'group',
      apply: (groups, { metric }) => {
        const gains: number[] = [];
        const paid = groups.map((group): RolloutGroup => {
          const gain = gainOf(group);
          if (gain !== undefined) gains.push(gain);
          const rollouts = group.rollouts.map((rollout) => {
            const made = madeBy(rollout);
            const value = target.read(rollout);
            if (made === 0 || value === null) return rollout;
            return target.write(rollout, value + gainWeight * (gain ?? 0) - callCost * made);
          });
          return { ...group, rollouts };
        });
        if (gains.length > 0) metric('gain', meanOf(gains));
        return paid;
      },
    };
  },
});

const madeBy = (rollout: Rollout): number => callsOfEpisode(rollout)?.made ?? 0;

/** Undefined where all members called a tool, or none did. */
function gainOf({ rollouts }: RolloutGroup): number | undefined {
  const all = rollouts.filter((rollout) => counts(rollout) && callsOfEpisode(rollout) !== undefined);
  const [using, doing] = [all.filter((one) => madeBy(one) > 0), all.filter((one) => madeBy(one) === 0)];
  if (using.length === 0 || doing.length === 0) return undefined;
  const accuracy = (some: readonly Rollout[]): number => meanOf(some.map((one) => Number(isRight(one))));
  return accuracy(using) - accuracy(doing);
}
