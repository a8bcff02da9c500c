/**
 * For prompts that are asked once each, and for games whose sides do not win equally often. After SPIRAL
 * (role-conditioned advantage estimation). The average of a role moves with the mean of each batch, once the batch is
 * credited; the first batch of a role is compared with its own mean.
 */
import { counts, rewardsOf } from '../../../../src/methods/support/credit/baseline.ts';
import { type AdvantageEstimator, type Json, keys, meanOf, method, number, type RolloutGroup } from '../kit.ts';
import { hasNoReward } from '../support/credit/group_by_group.ts';

export const emaRole = method({
  id: 'ema-role',
  about: {
    does: 'Compares each reward with a moving average of its role: the task and the kind of its group.',
    names: ['RAE', 'SPIRAL'],
    formula: 'A = R − b_role, b_role ← decay·b_role + (1 − decay)·mean R of the role',
    source: '2506.24119',
    certainty: 'after the paper',
    when: 'Where a policy plays roles that are paid differently, and groups are small; with a full group its mean is the better baseline.',
  },
  options: keys({
    decay: number({ min: 0, below: 1, example: 0.95 })
      .default(0.95)
      .describe('Weight of the average so far when a batch is taken into it.'),
  }),
  takesSingles: true,
  create: ({ decay }): AdvantageEstimator => {
    const averages = new Map<string, number>();
    return {
      estimate(groups, { metric }) {
        const rewards = new Map<string, number[]>();
        for (const group of groups) {
          rewards.set(roleOf(group), [...(rewards.get(roleOf(group)) ?? []), ...rewardsOf(group)]);
        }
        const means = new Map([...rewards].map(([role, own]) => [role, meanOf(own)]));
        const credited = groups.map((group) => {
          const role = roleOf(group);
          const base = averages.get(role) ?? means.get(role) ?? 0;
          return {
            advantages: Float32Array.from(group.rollouts, (rollout) =>
              counts(rollout) ? Math.fround(rollout.reward) - base : 0,
            ),
          };
        });
        for (const [role, mean] of means) averages.set(role, decay * (averages.get(role) ?? mean) + (1 - decay) * mean);
        for (const [role, average] of averages) metric(role, average);
        return credited;
      },
      isDead: hasNoReward,
      state: () => Object.fromEntries(averages),
      restore(state: Json) {
        averages.clear();
        for (const [role, average] of Object.entries(state as Record<string, number>)) averages.set(role, average); // written by `state`
      },
    };
  },
});

/** `solve`, or the kind of the group; of several tasks, with the task in front. */
function roleOf({ item, kind = 'solve' }: RolloutGroup): string {
  return item.task === undefined ? kind : `${item.task}/${kind}`;
}
