/** Completions that carry no loss: which ones, to the token. */
import { expect, it } from 'vitest';
import type { Rollout } from '../../../../../src/methods/records.ts';
import type { Verdict } from '../../../../../src/rewards/verdict.ts';
import { creditedGroup, creditStep } from '../../../../../test/support/credit.ts';

it('length-mask leaves out what has more tokens than max_tokens, and keeps what has as many', () => {
  const group = creditedGroup([{ length: 3 }, { length: 4 }, { length: 5 }]);
  const [masked] = creditStep('length-mask', { max_tokens: 4 }).apply([group]);
  expect(masked.rollouts.map(({ inLoss }) => inLoss)).toEqual([undefined, undefined, false]);
  expect(masked.rollouts.map(({ tokens }) => tokens.length)).toEqual([3, 4, 5]);
  expect(masked.advantages).toEqual(group.advantages);
});

it('failure-mask leaves out what fails in a way that it names, and says how much', () => {
  const group = creditedGroup([{}, {}, {}, {}]);
  const failures = ['no_answer', 'wrong_value', 'bad_format', undefined] as const;
  const rollouts = group.rollouts.map((rollout, i) => {
    const verdict: Verdict = {
      score: 0,
      status: 'incorrect',
      reason: '',
      ...(failures[i] && { failure: failures[i] }),
    };
    return { ...rollout, verdict };
  });
  const step = creditStep('failure-mask');
  const [masked] = step.apply([{ ...group, rollouts }]);
  expect(masked.rollouts.map(({ inLoss }) => inLoss)).toEqual([false, undefined, false, undefined]);
  expect(step.logged).toEqual({ masked: 0.5 });
});

it('gibberish-mask leaves out what holds a rare token far below a blind choice, and says how much', () => {
  const group = creditedGroup([{ length: 3 }, { length: 3 }, { length: 3 }, { length: 3 }]);
  const rare = [5, 5, 2, 5];
  const logprobs = [-1, -8, -8, -8];
  const rollouts = group.rollouts.map(
    (rollout, i): Rollout => ({
      ...rollout,
      tokens: Int32Array.of(1, rare[i], 1),
      logprobs: Float32Array.of(-1, logprobs[i], -9),
      ...(i === 3 && { inLoss: false }),
    }),
  );
  const step = creditStep('gibberish-mask', { rare_above: 4, gibberish_offset: 2 });
  const [masked] = step.apply([{ ...group, rollouts }]);
  expect(masked.rollouts.map(({ inLoss }) => inLoss)).toEqual([undefined, false, undefined, false]);
  expect(step.logged).toEqual({ masked: 0.25 });
});
