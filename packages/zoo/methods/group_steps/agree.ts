/** The two rewards are values, as the user's functions read them; where one could not be read the two do not agree. */
import { type GroupStep, key, method, number } from '../kit.ts';
import { mapRollouts, readerOf, rewardKey, unknownReward } from '../support/rewards/reward_parts.ts';

export const agree = method({
  id: 'agree',
  about: {
    does: 'Rewards a completion whose two results are equal.',
    formula: 'R = 1[|first − second| ≤ tolerance]',
    source: 'own',
    certainty: 'own',
    when: 'Where two ways of computing a result exist and no key does; both can be wrong in the same way.',
  },
  options: {
    agreeFirst: rewardKey('first', 'One value, by the name of the reward that reads it.'),
    agreeSecond: rewardKey('second', 'The other value.', 'positions'),
    agreeWithin: key(
      'tolerance',
      number({ min: 0, example: 0.001 }).default(0).describe('Largest difference of equal values.'),
    ),
  },
  conflict: ({ first, second }, _, stage) => unknownReward(stage, first, second),
  pays: { does: 'makes' },
  create: ({ agreeFirst, agreeSecond, agreeWithin }, stage): GroupStep => {
    const [first, second] = [readerOf(stage, agreeFirst), readerOf(stage, agreeSecond)];
    return {
      scope: 'group',
      apply: (groups) =>
        mapRollouts(groups, (rollout) => {
          const [a, b] = [first(rollout), second(rollout)];
          if (a === null && b === null) return { ...rollout, reward: null };
          return { ...rollout, reward: Number(a !== null && b !== null && Math.abs(a - b) <= agreeWithin) };
        }),
    };
  },
});
