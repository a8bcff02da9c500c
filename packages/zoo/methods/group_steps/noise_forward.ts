/**
 * On average over the errors of the verifier the gradient points where the true reward does, up to a factor: right
 * completions weigh 0, wrong ones −(1 − ρ0 − ρ1). Only ρ1, the false negatives, must be known. It acts under `baseline:
 * none` and `scale_rewards: none` alone: being a shift of the reward, any mean that is taken off undoes it.
 */
import { type GroupStep, keys, method, number, text } from '../kit.ts';
import { centredWarning } from '../support/rewards/noise_warnings.ts';
import { changeConflict, mapRollouts, paysReward, targetOf } from '../support/rewards/reward_parts.ts';

export const noiseForward = method({
  id: 'noise-forward',
  about: {
    does: 'Weights completions so that the errors of a verifier cancel on average.',
    formula: 'weight of ∇logprob: false_negative where R = 1, false_negative − 1 where R = 0',
    source: '2510.00915',
    certainty: 'after the paper',
  },
  options: keys({
    reward: text('accuracy').default('accuracy').describe('The noisy reward.'),
    falseNegative: number({ min: 0, below: 1, example: 0.1 }).describe(
      'Chance that a right completion is called wrong.',
    ),
  }),
  isRepeatable: true,
  conflict: changeConflict,
  pays: paysReward('changes', 'accuracy'),
  warn: ({ reward }, _, stage, members) => centredWarning(String(reward), stage, members, 'undoes it'),
  create: ({ reward, falseNegative }, stage): GroupStep => {
    const target = targetOf(stage, reward);
    return {
      scope: 'group',
      apply: (groups) =>
        mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          return value === null ? rollout : target.write(rollout, value - (1 - falseNegative));
        }),
    };
  },
});
