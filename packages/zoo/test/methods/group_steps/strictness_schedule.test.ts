import { describe, expect, it } from 'vitest';
import { finishSmallRun, plainWasm } from '../../../../../test/support/small_runs.ts';
import { StepTrial } from '../../support/group_steps.ts';

const trial = (options: string) =>
  new StepTrial(`{name: strictness-schedule, reward: accuracy, ${options}}`, '[accuracy]');

describe('strictness', () => {
  it('as a threshold lets pass what is as good', () => {
    expect(trial('strictness: 0.75').rewardsOf([0.5, 0.75, 1, null])).toEqual([0, 1, 1, null]);
  });

  it('as a tolerance is the error that is worth nothing', () => {
    expect(trial('mode: tolerance, strictness: 0.5').rewardsOf([1, 0.75, 0.5, 0])).toEqual([1, 0.5, 0, 0]);
    expect(trial('mode: tolerance, strictness: 0').rewardsOf([1, 0.99])).toEqual([1, 0]);
  });

  it('as a decay is exp(−α·|error|)', () => {
    const given = trial('mode: decay, strictness: 0.07, best: 0').rewardsOf([0, -10, 3]);
    [1, Math.exp(-0.7), Math.exp(-0.21)].forEach((value, i) => expect(given[i]).toBeCloseTo(value, 12));
  });

  it('grows with the step, is logged, and stays at its end', () => {
    const scheduled = trial('strictness: {from: 0.5, to: 1, over: 0.4}');
    const at = (step: number) => scheduled.apply([[{ parts: [0.75] }]], step);
    expect([0, 2, 3, 9].map((step) => at(step).rewards[0][0])).toEqual([1, 1, 0, 0]);
    expect([0, 2, 4, 9].map((step) => at(step).logged['strictness-schedule/strictness'])).toEqual([0.5, 0.75, 1, 1]);
  });
});

it('does not touch an evaluation, which is of the verdict', async () => {
  const run = (lines: string) => ({
    yaml: `
task: {name: sort_digits, digits: 2}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}
seed: 3
max_steps: 2
learning_rate: 1.0e-12
num_generations: 4
generation_batch_size: 16
reward_funcs: [positions]
${lines}`,
  });
  const strict = '{name: strictness-schedule, reward: positions, strictness: {from: 0.5, to: 1}}';
  const plain = await finishSmallRun(await plainWasm(), run(''));
  const shaped = await finishSmallRun(await plainWasm(), run(`group_steps: [${strict}]`));
  expect(shaped.evaluations).toEqual(plain.evaluations);
  expect(shaped.metrics.map((line) => line['strictness-schedule/strictness'])).toEqual([0.5, 0.75]);
  expect(shaped.metrics[0].reward).toBe(plain.metrics[0].reward);
  expect(shaped.metrics[0]['group_steps/reward']).not.toBe(plain.metrics[0].reward);
});
