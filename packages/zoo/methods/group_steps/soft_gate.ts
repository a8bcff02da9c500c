/**
 * Listed several times, the factors multiply. A total that is not above 0 stays: a penalty does not shrink. After
 * Janus-Q.
 */
import { type GroupStep, keys, meanOf, method, number } from '../kit.ts';
import { mapRollouts, readerOf, rewardKey, unknownReward } from '../support/rewards/reward_parts.ts';

export const softGate = method({
  id: 'soft-gate',
  about: {
    does: 'Multiplies the total by a reward, down to a floor.',
    names: ['gate', 'Janus-Q', 'hierarchical gated reward'],
    formula: 'R ← R·min(1, max(floor, s)) where R > 0, s: the reward `factor`; where it does not apply, R',
    source: 'own',
    certainty: 'after the paper',
    when: 'Where a reward is worth something only if another is met, by degrees; reward_gate does it by all or nothing.',
  },
  options: keys({
    gateFactor: rewardKey(
      'factor',
      'The reward that the total is multiplied by; with weight 0 it counts as that alone.',
    ),
    floor: number({ min: 0, max: 1, example: 0.2 }).default(0).describe('The least factor; 1: none at all.'),
  }),
  isRepeatable: true,
  conflict: ({ factor }, _, stage) => unknownReward(stage, factor),
  pays: { does: 'changes' },
  create: ({ gateFactor, floor }, stage): GroupStep => {
    const read = readerOf(stage, gateFactor);
    return {
      scope: 'group',
      apply: (groups, { metric }) => {
        const factors: number[] = [];
        const changed = mapRollouts(groups, (rollout) => {
          const [value, { reward }] = [read(rollout), rollout];
          if (value === null) return rollout;
          const factor = Math.min(1, Math.max(floor, value));
          factors.push(factor);
          return reward === null || reward <= 0 ? rollout : { ...rollout, reward: reward * factor };
        });
        if (factors.length > 0) metric('factor', meanOf(factors));
        return changed;
      },
    };
  },
});
