import { type GroupStep, keys, method, number } from '../kit.ts';
import { mapRollouts, readerOf, rewardKey, unknownReward } from '../support/rewards/reward_parts.ts';

/** The harmonic mean is near the worse of the two. */
export const harmonic = method({
  id: 'harmonic',
  about: {
    does: 'Joins two rewards so that neither makes up for the other.',
    formula: 'R = 1/(lambda/first + (1 − lambda)/second); 0 where one is not above 0',
    source: 'own',
    certainty: 'own',
    when: 'Where a completion must do well at two things at once; it is 0, and teaches nothing, while one of them never is above 0.',
  },
  options: keys({
    harmonicFirst: rewardKey('first', 'One reward, by its name.'),
    harmonicSecond: rewardKey(
      'second',
      'The other reward. Where one of the two does not apply, the other counts alone.',
      'positions',
    ),
    lambda: number({ above: 0, below: 1, example: 0.5 }).default(0.5).describe('Weight of the first.'),
  }),
  conflict: ({ first, second }, _, stage) => unknownReward(stage, first, second),
  pays: { does: 'makes' },
  create: ({ harmonicFirst, harmonicSecond, lambda: share }, stage): GroupStep => {
    const [first, second] = [readerOf(stage, harmonicFirst), readerOf(stage, harmonicSecond)];
    return {
      scope: 'group',
      apply: (groups) =>
        mapRollouts(groups, (rollout) => {
          const [a, b] = [first(rollout), second(rollout)];
          if (a === null || b === null) return { ...rollout, reward: a ?? b };
          return { ...rollout, reward: a > 0 && b > 0 ? 1 / (share / a + (1 - share) / b) : 0 };
        }),
    };
  },
});
