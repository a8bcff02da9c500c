/** Rewards beside the verdict, with the values that their formulas give by hand. */

import { describe, expect, it } from 'vitest';
import { getReward } from '../../../../test/support/everything.ts';
import { type Row, values } from './reward_batch.ts';

describe('repetition', () => {
  it.each([
    ['a a a a a', -2 / 3],
    ['a b c d', 0],
    ['a a', 0],
    ['', 0],
    ['A b c\ta B c', -1 / 4],
  ])('%j gives %d', (text, expected) => {
    expect(values('repetition', [{ text }])[0]).toBeCloseTo(expected, 12);
  });

  it('scales with its penalty and its n', () => {
    expect(values('repetition', [{ text: 'a a a a a' }], { ngram_size: 1, max_penalty: -5 })[0]).toBeCloseTo(-4, 12);
  });
});

describe('cosine', () => {
  it.each([
    [1, 0, 1],
    [1, 500, 0.75],
    [1, 1000, 0.5],
    [1, 2000, 0.5],
    [0, 0, -1],
    [0, 1000, -0.5],
    [null, 500, null],
  ])('a score of %s at %d tokens gives %s', (score, length, expected) => {
    const [value] = values('cosine', [{ score, length }], { max_len: 1000 });
    if (expected === null) expect(value).toBeNull();
    else expect(value).toBeCloseTo(expected, 12);
  });
});

describe('ternary', () => {
  const rows = [
    { text: 'x', score: 1 },
    { text: " I don't know ", score: 0 },
    { text: "<think>?</think><answer>I don't know</answer>", score: 0 },
    { text: "I don't know, x", score: 0 },
    { text: 'y', score: 0 },
    { text: 'z', score: null },
  ];

  it('tells right, refused and wrong apart', () => {
    expect(values('ternary', rows)).toEqual([1, 0, 0, -1, -1, null]);
    expect(values('ternary', rows, { wrong: -3 })).toEqual([1, 0, 0, -3, -3, null]);
  });

  it('refuses an order in which guessing or refusing is always best', () => {
    expect(() => getReward('ternary', { refused: 1 })).toThrow('must lie between wrong (-1) and right (1)');
  });
});

describe('diversity', () => {
  it('pays the share of the other right answers that are of another class', () => {
    const rows = ['a', 'a', 'b', 'c'].map((canonical) => ({ canonical }));
    expect(values('diversity', rows)).toEqual([2 / 3, 2 / 3, 1, 1]);
  });

  it('looks into one group at a time, and takes what cannot be read as one class', () => {
    const rows: Row[] = [
      { canonical: 'a', group: 0 },
      { canonical: 'a', group: 1 },
      { score: 0, group: 1 },
      { score: null, group: 1 },
      { canonical: 'a', group: 2 },
      { canonical: '', group: 2 },
    ];
    expect(values('diversity', rows)).toEqual([1, 1, 0, null, 1, 1]);
  });
});

describe('format', () => {
  it.each([
    ['<think>x</think> <answer>2</answer>', 1, 0],
    ['<answer>2</answer>', 0, 1],
    [' <answer>2</answer>\n', 0, 1],
    ['<answer>2</answer><answer>3</answer>', 0, 0],
    ['<answer> </answer>', 0, 0],
    ['<answer>2</answer> so', 0, 0],
    ['2', 0, 0],
  ])('%j gives %d with the think part and %d without', (text, withThinking, alone) => {
    expect(values('format', [{ text }])).toEqual([withThinking]);
    expect(values('format', [{ text }], { think: false })).toEqual([alone]);
  });

  it('counts what the prompt has opened', () => {
    expect(values('format', [{ text: 'x</think><answer>2</answer>' }], { prefill: '<think>' })).toEqual([1]);
  });
});
