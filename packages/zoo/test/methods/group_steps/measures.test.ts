/** m-signal and m-curriculum: what a batch can teach, and how hard it is, in numbers written out. */
import { expect, it } from 'vitest';
import { StepTrial } from '../../support/group_steps.ts';

const rowsOf = (...pairs: readonly (readonly [reward: number | null, score: number])[]) =>
  pairs.map(([reward, score]) => ({ parts: [reward], verdict: { score } }));

const right = rowsOf([1, 1], [1, 1], [1, 1], [1, 1]);
const wrong = rowsOf([0, 0], [0, 0], [0, 0], [0, 0]);
/** The reward does not tell them apart. */
const equal = rowsOf([1, 1], [1, 0], [1, 0], [1, 0]);
const mixed = rowsOf([1, 1], [1, 1], [0, 0], [null, 0]);

it('m-signal shares the groups by verdict, counts those whose rewards differ, and changes nothing', () => {
  const { logged, rewards } = new StepTrial('m-signal', '[lcs]').apply([right, wrong, equal, mixed]);
  expect(logged).toEqual({
    'm-signal/all_right': 0.25,
    'm-signal/all_wrong': 0.25,
    'm-signal/mixed': 0.5,
    'm-signal/live': 0.25,
    'm-signal/real_batch': 3 / 16,
  });
  expect(rewards[3]).toEqual([1, 1, 0, null]);
});

it('m-curriculum shares the groups by solve rate, and changes nothing', () => {
  const { logged, rewards } = new StepTrial('m-curriculum', '[lcs]').apply([right, wrong, equal, mixed]);
  expect(logged).toMatchObject({
    'm-curriculum/below_25': 0.25,
    'm-curriculum/below_50': 0.25,
    'm-curriculum/below_75': 0.25,
    'm-curriculum/from_75': 0.25,
    'm-curriculum/replayed': 0,
  });
  expect(logged['m-curriculum/solve_rate']).toBeCloseTo((1 + 0 + 0.25 + 0.5) / 4, 12);
  expect(rewards).toEqual([
    [1, 1, 1, 1],
    [0, 0, 0, 0],
    [1, 1, 1, 1],
    [1, 1, 0, null],
  ]);
});
