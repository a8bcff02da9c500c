/** m-proxy-gap: rewards beside verdicts, in numbers written out. */
import { expect, it } from 'vitest';
import { StepTrial } from '../../support/group_steps.ts';

const rowsOf = (...pairs: readonly (readonly [reward: number | null, score: number])[]) =>
  pairs.map(([reward, score]) => ({ parts: [reward], verdict: { score } }));

it('says how far rewards are from verdicts, how often they agree, and where a wrong answer is paid best', () => {
  const trial = new StepTrial('m-proxy-gap', '[lcs]');
  const first = rowsOf([2, 1], [1, 0], [2, 0], [0, 0]);
  const second = rowsOf([0, 1], [1, 0], [null, 0]);
  const { logged, rewards } = trial.apply([first, second]);
  // Scaled: 1, ½, 1, 0 and 0, ½ of two right ones among six.
  expect(logged['m-proxy-gap/gap']).toBeCloseTo(3 / 6 - 2 / 6, 12);
  expect(logged['m-proxy-gap/agreement']).toBeCloseTo((1 + 0.5 + 1 + 0) / 4, 12);
  expect(logged['m-proxy-gap/fooled']).toBe(0.5);
  expect(logged['m-proxy-gap/youden_j']).toBeCloseTo((1 + 0) / 2 - (0.5 + 1 + 0 + 0.5) / 4, 12);
  expect(rewards).toEqual([
    [2, 1, 2, 0],
    [0, 1, null],
  ]);
});

it('says no agreement where a step has no group of both kinds', () => {
  const { logged } = new StepTrial('m-proxy-gap', '[lcs]').apply([rowsOf([1, 1], [1, 1])]);
  expect(logged).toEqual({ 'm-proxy-gap/gap': -1 });
});

it("is Youden's J of a reward of 0 or 1: how often it pays right completions, less how often wrong ones", () => {
  const { logged } = new StepTrial('m-proxy-gap', '[lcs]').apply([
    rowsOf([1, 1], [1, 1], [1, 1], [0, 1], [1, 0], [0, 0], [0, 0], [0, 0], [0, 0]),
  ]);
  expect(logged['m-proxy-gap/youden_j']).toBeCloseTo(3 / 4 - 1 / 5, 12);
});
