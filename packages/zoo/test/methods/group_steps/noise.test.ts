/** A verifier that errs, and what undoes its errors: noisy-wrapper, noise-backward, noise-forward, appeal. */
import { describe, expect, it } from 'vitest';
import { group } from '../../../../../src/methods/advantage_estimators/group.ts';
import type { StageConfig } from '../../../../../src/methods/stage.ts';
import { meanOf } from '../../../../../src/methods/statistics.ts';
import { parseConfig, remarksOn } from '../../../../../test/support/everything.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { StepTrial } from '../../support/group_steps.ts';

const RATES = 'false_positive: 0.1, false_negative: 0.3';
const rows = (count: number, isRight: (i: number) => boolean) =>
  Array.from({ length: count }, (_, i) => ({ parts: [Number(isRight(i))] }));
const many = rows(20_000, (i) => i % 4 === 0);
const meanWhere = (rewards: readonly (number | null)[], right: boolean): number =>
  meanOf(rewards.filter((_, i) => (i % 4 === 0) === right).map((reward) => reward ?? Number.NaN));

describe('noisy-wrapper', () => {
  it('errs at its rates, and logs them and the gap to what the verifier said', () => {
    const { rewards, logged, groups } = new StepTrial(`{name: noisy-wrapper, ${RATES}}`, '[accuracy]').apply([many]);
    // Five standard errors of the shares of 15,000 and 5,000.
    expect(Math.abs(meanWhere(rewards[0], false) - 0.1)).toBeLessThan(0.013);
    expect(Math.abs(1 - meanWhere(rewards[0], true) - 0.3)).toBeLessThan(0.033);
    expect(logged['noisy-wrapper/false_positives']).toBeCloseTo(meanWhere(rewards[0], false), 12);
    expect(logged['noisy-wrapper/youden_j']).toBeCloseTo(
      meanWhere(rewards[0], true) - meanWhere(rewards[0], false),
      12,
    );
    expect(logged['noisy-wrapper/false_negatives']).toBeCloseTo(1 - meanWhere(rewards[0], true), 12);
    expect(logged['noisy-wrapper/proxy_gap']).toBeCloseTo(meanOf(rewards[0].map(Number)) - 0.25, 12);
    expect(groups[0].rollouts.map(({ verdict }) => verdict.score)).toEqual(many.map(({ parts }) => parts[0]));
  });

  it('changes nothing at rates of 0, and turns all round at 1', () => {
    const given = [1, 0, null, 0.4];
    expect(new StepTrial('noisy-wrapper', '[accuracy]').rewardsOf(given)).toEqual(given);
    const turned = new StepTrial('{name: noisy-wrapper, false_positive: 1, false_negative: 1}', '[accuracy]');
    expect(turned.rewardsOf(given)).toEqual([0, 1, null, 1]);
  });
});

describe('noise-backward', () => {
  it('gives the true reward on average, right or wrong', () => {
    const both = new StepTrial(`{name: noisy-wrapper, ${RATES}}, {name: noise-backward, ${RATES}}`, '[accuracy]');
    const [rewards] = both.apply([many]).rewards;
    expect(Math.abs(meanWhere(rewards, true) - 1)).toBeLessThan(0.033 / 0.6);
    expect(Math.abs(meanWhere(rewards, false))).toBeLessThan(0.013 / 0.6);
    const exact = new StepTrial(`{name: noise-backward, ${RATES}}`, '[accuracy]').rewardsOf([1, 0]).map(Number);
    expect(0.7 * exact[0] + 0.3 * exact[1]).toBeCloseTo(1, 12);
    expect(0.1 * exact[0] + 0.9 * exact[1]).toBeCloseTo(0, 12);
  });

  it('refuses rates with which the verifier says nothing', () => {
    expect(() => stageOf('group_steps: [{name: noise-backward, false_positive: 0.5, false_negative: 0.5}]')).toThrow(
      /false_negative: 0\.5 — with false_positive 1 or more/,
    );
  });
});

describe('noise-forward', () => {
  it('weighs a right completion 0 on average, and a wrong one −(1 − ρ0 − ρ1)', () => {
    const [ifOne, ifZero] = new StepTrial('{name: noise-forward, false_negative: 0.3}', '[accuracy]')
      .rewardsOf([1, 0])
      .map(Number);
    expect(ifOne).toBeCloseTo(0.3, 12);
    expect(ifZero).toBeCloseTo(-0.7, 12);
    expect(0.7 * ifOne + 0.3 * ifZero).toBeCloseTo(0, 12);
    expect(0.1 * ifOne + 0.9 * ifZero).toBeCloseTo(-(1 - 0.1 - 0.3), 12);
  });
});

/** What the group steps of a stage have to say before step 1. */
function remarksOf(stage: StageConfig): string[] {
  if (stage.stage !== 'grpo') throw new Error('expected a grpo stage');
  const heard = ['groupSteps', 'advantageEstimator'];
  return remarksOn(stage)
    .filter(({ at }) => 'point' in at && heard.includes(at.point))
    .map(({ text }) => text);
}

describe('constant rates', () => {
  const advantagesAfter = (steps: string, ...lines: readonly string[]): number[] => {
    const trial = new StepTrial(steps, '[accuracy]', ...lines);
    const { groups } = trial.apply([rows(8, (i) => i < 3)]);
    const [plugin] = trial.stage.methods.advantageEstimator;
    const options = { scaleRewards: plugin.scale_rewards, rewardBaseline: plugin.baseline ?? 'group' };
    const part = group.create(options as never, trial.stage);
    return [...part.estimate(groups, stepContext(trial.stage))[0].advantages];
  };
  const NONE = ['baseline: none', 'scale_rewards: none'];

  it.each([`{name: noise-backward, ${RATES}}`, '{name: noise-forward, false_negative: 0.3}'])(
    '%s is no change of advantages that are divided by the deviation of their group',
    (step) => {
      const plain = advantagesAfter('');
      advantagesAfter(step).forEach((value, i) => expect(value).toBeCloseTo(plain[i], 3)); // but for the 1e-4 below it
      expect(advantagesAfter(step, ...NONE)).not.toEqual(advantagesAfter('', ...NONE));
    },
  );

  it.each([
    ['{name: noise-backward, false_positive: 0.1}', [], /undoes it but for its scale, .*; set baseline: none/],
    ['{name: noise-forward, false_negative: 0.1}', [], /compared with a mean undoes it; set baseline: none/],
    ['{name: noise-backward, false_positive: 0.1}', NONE, undefined],
    ['{name: noise-backward, false_positive: 0.1}', ['reward_funcs: [accuracy, lcs]'], undefined],
  ] as const)('%s with %j: %s is said before step 1', (step, lines, text) => {
    const { config } = parseConfig(
      ['task: sort_digits', 'max_steps: 10', `group_steps: [${step}]`, ...lines].join('\n'),
      { file: 'my.yaml' },
    );
    const said = remarksOf(config.stages[0]);
    if (text === undefined) expect(said).toEqual([]);
    else expect(said.join('\n')).toMatch(text);
  });
});

describe('appeal', () => {
  it('rewards what the verifier finds right among what was called wrong, and tells the rate of such errors', () => {
    const missed = Array.from({ length: 1000 }, (_, i) => ({
      parts: [Number(i % 4 === 0)],
      verdict: { score: i % 2 === 0 ? 1 : 0 },
    }));
    const all = new StepTrial('{name: appeal, share: 1}', '[accuracy]').apply([missed]);
    expect(all.rewards[0]).toEqual(missed.map(({ verdict }) => verdict.score));
    expect(all.logged['appeal/overturned']).toBeCloseTo(1 / 3, 12);
    expect(all.logged['appeal/false_negatives']).toBeCloseTo(0.5, 12);
    const some = new StepTrial('{name: appeal, share: 0.2}', '[accuracy]').apply([missed]);
    const raised = some.rewards[0].filter((reward, i) => reward !== missed[i].parts[0]).length;
    expect(raised).toBeGreaterThan(20);
    expect(raised).toBeLessThan(80);
    expect(Math.abs(some.logged['appeal/false_negatives'] - 0.5)).toBeLessThan(0.1);
  });

  it('never takes a reward away, and keeps its rates in the checkpoint', () => {
    const trial = new StepTrial('{name: appeal, share: 1}', '[accuracy]');
    const fooled = { parts: [1], verdict: { score: 0 } };
    expect(trial.apply([[fooled, { parts: [null] }]]).rewards).toEqual([[1, null]]);
    const other = new StepTrial('{name: appeal, share: 1}', '[accuracy]');
    other.state = trial.state;
    expect(other.state).toEqual(trial.state);
  });
});
