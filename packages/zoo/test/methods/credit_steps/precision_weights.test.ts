import { describe, expect, it } from 'vitest';
import { creditedGroup, creditStep } from '../../../../../test/support/credit.ts';

/** Token 0 writes a digit, 1 a word, 2 a word with a digit. */
const TEXTS = ['7', 'plus', 'x2'];
const group = creditedGroup([{ tokens: Int32Array.of(0, 1, 2) }, { tokens: Int32Array.of(1) }]);

describe('precision-weights', () => {
  const weights = (given = group, options = {}) => {
    const step = creditStep('precision-weights', options, { tokenText: (id) => TEXTS[id] });
    return step.apply([given])[0].tokenWeights?.map((own) => [...own]);
  };

  it('weighs tokens that have a digit', () => {
    expect(weights()).toEqual([[2, 1, 2], [1]]);
    expect(weights(group, { number_weight: 0.5 })).toEqual([[0.5, 1, 0.5], [1]]);
  });

  it('multiplies weights of before, and is off at 1', () => {
    const earlier = { ...group, tokenWeights: [Float32Array.of(3, 3, 0), Float32Array.of(1)] };
    expect(weights(earlier)).toEqual([[6, 3, 0], [1]]);
    expect(weights(group, { number_weight: 1 })).toBeUndefined();
  });
});
