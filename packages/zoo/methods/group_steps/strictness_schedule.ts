/** `strictness` is a schedule, as {from: 0.5, to: 1}. Held-out problems are judged by the verdict alone. */
import { choice, type GroupStep, keys, method, number } from '../kit.ts';
import { changeConflict, mapRollouts, paysReward, rewardKey, targetOf } from '../support/rewards/reward_parts.ts';

/** Tolerance for a schedule that passes a threshold by rounding. */
const SLACK = 1e-9;

export const strictnessSchedule = method({
  id: 'strictness-schedule',
  about: {
    does: 'Judges a graded reward more strictly as the stage advances.',
    formula: '1[R ≥ s] | max(0, 1 − e/s) | exp(−s·e), e = |best − R|, s a schedule of the step',
    source: 'own',
    certainty: 'own',
  },
  options: keys({
    reward: rewardKey('reward', 'The graded reward, by its name.'),
    mode: choice(['threshold', 'tolerance', 'decay'])
      .default('threshold')
      .describe('What strictness is: the least reward that counts, the most error, or how fast an error costs.'),
    strictness: number({ min: 0, example: 0.75 }).describe('A number, or a schedule: {from: 0.5, to: 1, over: 0.5}.'),
    best: number({ example: 1 }).default(1).describe('Reward without any error.'),
  }),
  isRepeatable: true,
  conflict: changeConflict,
  pays: paysReward('changes'),
  create: ({ reward, mode, strictness, best }, stage): GroupStep => {
    const target = targetOf(stage, reward);
    const judge = (value: number): number => {
      const error = Math.abs(best - value);
      switch (mode) {
        case 'threshold':
          return value >= strictness - SLACK ? 1 : 0;
        case 'tolerance':
          return strictness === 0 ? Number(error === 0) : Math.max(0, 1 - error / strictness);
        case 'decay':
          return Math.exp(-strictness * error);
        default:
          return mode satisfies never;
      }
    };
    return {
      scope: 'group',
      apply(groups, { metric }) {
        metric('strictness', strictness);
        return mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          return value === null ? rollout : target.write(rollout, judge(value));
        });
      },
    };
  },
});
