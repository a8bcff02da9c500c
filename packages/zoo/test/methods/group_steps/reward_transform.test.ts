import { describe, expect, it } from 'vitest';
import { stageOf } from '../../../../../test/support/stages.ts';
import { StepTrial } from '../../support/group_steps.ts';

const VALUES = [-2, 0.3, null, 0.3, 5];
const by = (options: string) => new StepTrial(`{name: reward-transform, ${options}}`, '[accuracy]').rewardsOf(VALUES);

describe('the map', () => {
  it.each([
    ['kind: clip, low: 0, high: 1', [0, 0.3, null, 0.3, 1]],
    ['kind: scale, factor: 2, offset: 1', [-3, 1.6, null, 1.6, 11]],
    ['kind: tanh, factor: 0.5', [Math.tanh(-1), Math.tanh(0.15), null, Math.tanh(0.15), Math.tanh(2.5)]],
    ['kind: rank', [0, 0.5, null, 0.5, 1]],
    ['kind: threshold, levels: [[1, 1], [0.3, 0.2]]', [0, 0.2, null, 0.2, 1]],
  ] as const)('%s gives what its formula says, and leaves null alone', (options, expected) => {
    expect(by(options)).toEqual(expected);
  });

  it('ranks as win-rate without a margin does', () => {
    const values = [0.2, 0.9, 0.9, -1];
    const ranks = new StepTrial('{name: reward-transform, kind: rank}', '[accuracy]').rewardsOf(values);
    expect(ranks).toEqual(new StepTrial('win-rate', '[accuracy]').rewardsOf(values));
  });

  it('of one reward adds the total up again, by the weights of the stage', () => {
    const trial = new StepTrial(
      '{name: reward-transform, reward: lcs, kind: scale, factor: 10}',
      '[accuracy, {name: lcs, weight: 0.5}]',
    );
    const { rewards, groups } = trial.apply([[{ parts: [1, 0.2] }, { parts: [0, null] }]]);
    expect(rewards).toEqual([[2, 0]]);
    expect(groups[0].rollouts[0].rewardParts).toEqual([1, 2]);
  });

  it('makes equal rewards of equal ones, to the bit, so that a dead group stays dead', () => {
    const trial = new StepTrial(
      '{name: reward-transform, reward: lcs, kind: threshold}',
      '[accuracy, {name: lcs, weight: 0.1}]',
    );
    const { rewards } = trial.apply([[{ parts: [0.7, 0.2] }, { parts: [0.7, 0.4] }, { parts: [0.7, 0.3] }]]);
    expect(new Set(rewards[0])).toEqual(new Set([0.7]));
  });
});

describe('several of them', () => {
  const steps = '{name: reward-transform, kind: scale, factor: 3}, {name: reward-transform, kind: clip, high: 2}';

  it('make a chain, in their order', () => {
    expect(new StepTrial(steps, '[accuracy]').rewardsOf([0.5, 1])).toEqual([1.5, 2]);
    const turned = steps
      .split(', {')
      .reverse()
      .map((step, i) => (i === 0 ? `{${step}` : step))
      .join(', ');
    expect(new StepTrial(turned, '[accuracy]').rewardsOf([0.5, 1])).toEqual([1.5, 3]);
  });

  it('move a scheduled option with the step', () => {
    const trial = new StepTrial(
      '{name: reward-transform, kind: scale, factor: {from: 1, to: 0, over: 0.5}}',
      '[accuracy]',
    );
    expect([0, 1, 5, 9].map((step) => trial.rewardsOf([1], step)[0])).toEqual([1, 0.8, 0, 0]);
  });

  it('have names of their own in what they keep and log', () => {
    const twice =
      '{name: strictness-schedule, reward: lcs, strictness: 0.5}, {name: strictness-schedule, reward: positions, strictness: 1}';
    const { logged } = new StepTrial(twice).apply([[{ parts: [0, 0, 0] }]]);
    expect(Object.keys(logged)).toEqual(['strictness-schedule/strictness', 'strictness-schedule#2/strictness']);
  });
});

describe('a chain that undoes itself', () => {
  it('is refused: a reward that changes after a total was made', () => {
    const refused = (steps: string) => () => stageOf(`group_steps: [${steps}]`, 'reward_funcs: [accuracy, lcs]');
    const part = '{name: reward-transform, reward: lcs, kind: clip}';
    const total = '{name: harmonic, first: accuracy, second: lcs}';
    expect(refused(`${total}, ${part}`)).toThrow(
      /changes lcs and adds the rewards up again, which undoes harmonic before it; put it first/,
    );
    expect(refused(`win-rate, ${part}`)).toThrow(/undoes win-rate/);
    expect(refused(`${part}, ${total}`)).not.toThrow();
    expect(refused(`{name: win-rate, reward: accuracy}, ${part}`)).not.toThrow();
  });

  it('is refused with bounds that are the wrong way round', () => {
    expect(() => stageOf('group_steps: [{name: reward-transform, kind: clip, low: 2}]')).toThrow(
      /high: 1 — not above low \(2\); raise it/,
    );
  });
});
