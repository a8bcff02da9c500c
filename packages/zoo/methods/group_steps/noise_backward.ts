/**
 * A single value may be below 0 or above 1. With constant rates it is affine in the reward, so that a baseline and a
 * deviation undo it exactly: it acts under `baseline: none`.
 */
import { type GroupStep, keys, method, number, text } from '../kit.ts';
import { centredWarning } from '../support/rewards/noise_warnings.ts';
import { changeConflict, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

const rate = (what: string) => number({ min: 0, below: 1, example: 0.1 }).default(0).describe(what);

export const noiseBackward = method({
  id: 'noise-backward',
  about: {
    does: 'Undoes the error rates of a verifier on average.',
    formula: 'R ← (R − false_positive)/(1 − false_positive − false_negative)',
    source: '2510.00915',
    certainty: 'paper',
  },
  options: keys({
    reward: text('accuracy').default('accuracy').describe('The noisy reward.'),
    falsePositive: rate('Chance that a wrong completion is called right.'),
    falseNegative: rate('Chance that a right completion is called wrong.'),
  }),
  isRepeatable: true,
  complete(options, refuse) {
    if (options.falsePositive + options.falseNegative >= 1) {
      refuse('falseNegative', 'with false_positive 1 or more, so that the verifier says nothing; lower one');
    }
    return options;
  },
  conflict: changeConflict,
  pays: paysReward('changes', 'accuracy'),
  warn: ({ reward }, _, stage, members) =>
    centredWarning(
      String(reward),
      stage,
      members,
      'undoes it but for its scale, and a division by the deviation that, too',
    ),
  create: ({ reward, falsePositive, falseNegative }, stage): GroupStep => {
    const target = targetOf(stage, reward);
    const scale = 1 - falsePositive - falseNegative;
    return {
      scope: 'group',
      apply: (groups) =>
        mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          return value === null ? rollout : target.write(rollout, (value - falsePositive) / scale);
        }),
    };
  },
});
