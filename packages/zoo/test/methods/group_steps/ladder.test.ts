import { describe, expect, it } from 'vitest';
import { stageOf } from '../../../../../test/support/stages.ts';
import { StepTrial } from '../../support/group_steps.ts';

const RUNGS =
  '{name: ladder, rungs: [{reward: lcs, worth: 0.1, from: 0.2}, {reward: positions, worth: 0.1, from: 0.5}, {reward: accuracy, worth: 0.8}]}';
const apply = (...parts: readonly (readonly (number | null)[])[]) =>
  new StepTrial(RUNGS).apply([parts.map((own) => ({ parts: own }))]);

describe('the ladder', () => {
  it('pays for each rung up to the first that is missed', () => {
    const { rewards, logged } = apply([0, 0.4, 0.1], [0, 0.4, 0.2], [0, 0.5, 0.9], [1, 1, 1], [1, 1, 0]);
    expect(rewards[0].map((reward) => Number(reward?.toFixed(12)))).toEqual([0, 0.1, 0.2, 1, 0]);
    expect(logged).toEqual({ 'ladder/lcs': 3 / 5, 'ladder/positions': 2 / 5, 'ladder/accuracy': 1 / 5 });
  });

  it('is the grades of a compiler: parse 0 < type 0.1 < runs 0.2 < right 1', () => {
    const grades = [
      [0, 0, 0],
      [0, 0, 0.2],
      [0, 0.5, 0.2],
      [1, 0.5, 0.2],
    ];
    expect(apply(...grades).rewards[0].map((reward) => Number(reward?.toFixed(12)))).toEqual([0, 0.1, 0.2, 1]);
  });

  it('leaves out a rung that does not apply, and has no reward where none does', () => {
    expect(apply([1, null, 0.3], [1, null, 0.1], [null, null, null]).rewards[0]).toEqual([0.9, 0, null]);
  });

  it('names a reward that the stage does not have, with what it has', () => {
    const refused = (name: string) => () =>
      stageOf(
        `group_steps: [{name: ladder, rungs: [{reward: ${name}, worth: 1}]}]`,
        'reward_funcs: [accuracy, positions]',
      );
    expect(refused('postions')).toThrow(
      /stage\.yaml:3 .*"postions" is no reward of this stage \(accuracy, positions\); the nearest is positions/,
    );
    expect(refused('lcs')).toThrow(/"lcs" is no reward of this stage .*; add it to reward_funcs, with weight 0/);
  });
});
