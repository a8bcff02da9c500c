/**
 * A graded reward, judged more strictly as the stage advances: `strictness` is a schedule, as {from: 0.5, to: 1}.
 * Held-out problems are judged by the verdict alone, and so by the strictest measure, at every step.
 */

import { method } from '../../../../src/methods/method.ts';
import type { GroupStep } from '../../../../src/methods/points.ts';
import { choice, key, number } from '../../../../src/options/keys.ts';
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
  options: {
    judgedReward: rewardKey('reward', 'The graded reward, by its name.'),
    strictnessMode: key(
      'mode',
      choice(['threshold', 'tolerance', 'decay'])
        .default('threshold')
        .describe('What strictness is: the least reward that counts, the most error, or how fast an error costs.'),
    ),
    strictnessNow: key(
      'strictness',
      number({ min: 0, example: 0.75 }).describe('A number, or a schedule: {from: 0.5, to: 1, over: 0.5}.'),
    ),
    bestReward: key('best', number({ example: 1 }).default(1).describe('Reward without any error.')),
  },
  isRepeatable: true,
  conflict: changeConflict,
  pays: paysReward('changes'),
  create: ({ judgedReward, strictnessMode, strictnessNow, bestReward }, stage): GroupStep => {
    const target = targetOf(stage, judgedReward);
    const judge = (value: number): number => {
      const error = Math.abs(bestReward - value);
      switch (strictnessMode) {
        case 'threshold':
          return value >= strictnessNow - SLACK ? 1 : 0;
        case 'tolerance':
          return strictnessNow === 0 ? Number(error === 0) : Math.max(0, 1 - error / strictnessNow);
        case 'decay':
          return Math.exp(-strictnessNow * error);
        default:
          return strictnessMode satisfies never;
      }
    };
    return {
      scope: 'group',
      apply(groups, { metric }) {
        metric('strictness', strictnessNow);
        return mapRollouts(groups, (rollout) => {
          const value = target.read(rollout);
          return value === null ? rollout : target.write(rollout, judge(value));
        });
      },
    };
  },
});
