import { type GroupStep, keys, meanOf, method, number } from '../kit.ts';
import { rewardNames } from '../support/rewards/reward_names.ts';
import { mapRollouts, readerOf, unknownReward } from '../support/rewards/reward_parts.ts';

/** What fools one reward alone pays less. */
export const ensemble = method({
  id: 'ensemble',
  about: {
    does: 'Averages rewards, less a penalty for their disagreement.',
    formula: 'R = mean_k R_k − penalty·std_k R_k',
    source: '2401.06080',
    certainty: 'after the paper',
    when: 'Where rewards are several estimates of the same thing; of different things, disagreement is no error.',
  },
  options: keys({
    rewards: rewardNames(2, ['accuracy', 'positions']).describe('The rewards, by their names; those that apply count.'),
    penalty: number({ min: 0, example: 1 })
      .default(1)
      .describe('Weight of the standard deviation over the rewards (with n).'),
  }),
  conflict: ({ rewards }, _, stage) => unknownReward(stage, ...(rewards as readonly string[])), // read by its schema
  pays: { does: 'makes' },
  create: ({ rewards, penalty }, stage): GroupStep => {
    const readers = rewards.map((name) => readerOf(stage, name));
    return {
      scope: 'group',
      apply: (groups) =>
        mapRollouts(groups, (rollout) => {
          const values = readers.map((read) => read(rollout)).filter((value) => value !== null);
          if (values.length === 0) return { ...rollout, reward: null };
          const mean = meanOf(values);
          const isOne = values.every((value) => value === values[0]);
          const spread = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)));
          return { ...rollout, reward: isOne ? values[0] : mean - penalty * spread };
        }),
    };
  },
});
