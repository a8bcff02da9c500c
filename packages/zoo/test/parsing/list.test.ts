import Fraction from 'fraction.js';
import { describe, expect, it } from 'vitest';
import { isNumber, readNumber } from '../../../../src/parsing/number.ts';
import { processorMs } from '../../../../test/support/processor_time.ts';
import { readList, sameElements } from '../../parsing/list.ts';

/** Whether a text is this list of numbers, each in any exact notation. */
function areNumbers(text: string, truth: readonly number[]): boolean {
  const list = readList(text);
  return (
    list.ok &&
    sameElements(list.elements, truth, (element, expected) => isNumber(readNumber(element), new Fraction(expected)))
  );
}

describe('L1: 10 9 -1 9, ascending', () => {
  const truth = [-1, 9, 9, 10];

  it.each(['-1 9 9 10', '[-1, 9, 9, 10]', '["-1","9","9","10"]', '-1,9,9,10.0', "'-1' '9' '9' '10'", '-1  9 9  10'])(
    'is %j',
    (text) => {
      expect(areNumbers(text, truth)).toBe(true);
    },
  );

  it.each(
    /* biome-ignore format: a list */ [
      '-1,9,10', '10,9,9,-1', '-1,10,9,9', '-1,9,9,10,10', '-1,9,9,10,', '[-1,9,9,10', '-1,9,9,10]', '-1;9;9;10',
      '10 9 -1 9', '-1, 9 9, 10', '["-1",9,9,10]', '["-1","9","9","10]', "['-1\",'9','9','10']", '-1,,9,9,10',
      '[[-1,9,9,10]]', '-1\t9\t9\t10', '', '[]', '-1 9 9 10 -1 9 9 10',
    ],
  )('is not %j', (text) => {
    expect(areNumbers(text, truth)).toBe(false);
  });
});

describe('L2: apple Banana, by code point', () => {
  it.each([
    ['Banana, apple', true],
    ['apple, Banana', false],
    ['Banana apple', true],
    ['banana, apple', false],
    ['"Banana" "apple"', true],
    ['"Banana""apple"', false],
    ['Banana apple,', false],
  ])('%j is %s', (text, expected) => {
    const list = readList(text);
    expect(list.ok && sameElements(list.elements, ['Banana', 'apple'], (a, b) => a === b)).toBe(expected);
  });
});

it('an empty list is written as brackets', () => {
  expect(readList('[ ]')).toEqual({ ok: true, elements: [] });
});

it('is linear, and capped', () => {
  const start = processorMs();
  expect(readList('1,'.repeat(1_000_000)).ok).toBe(false);
  expect(readList(`"${'" "'.repeat(1300)}"`).ok).toBe(true);
  expect(processorMs() - start).toBeLessThan(200);
});
