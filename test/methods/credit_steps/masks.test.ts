/** Completions that carry no loss: which ones, to the token. */
import { expect, it } from 'vitest';
import { creditedGroup, creditStep } from '../../support/credit.ts';

it('length-mask leaves out what has more tokens than max_tokens, and keeps what has as many', () => {
  const group = creditedGroup([{ length: 3 }, { length: 4 }, { length: 5 }]);
  const [masked] = creditStep('length-mask', { max_tokens: 4 }).apply([group]);
  expect(masked.rollouts.map(({ inLoss }) => inLoss)).toEqual([undefined, undefined, false]);
  expect(masked.rollouts.map(({ tokens }) => tokens.length)).toEqual([3, 4, 5]);
  expect(masked.advantages).toEqual(group.advantages);
});
