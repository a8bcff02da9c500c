/** What is read of answers that search: countdown's by hand, a graph's, and any string. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchSpace } from '../../../../../src/data/search_text.ts';
import { triesReader } from '../../../methods/support/figures/read_tries.ts';
import { searchOf, spaceOf } from '../../support/searches.ts';

const THREE = { numbers: [3, 7, 2], target: 13 };
const FOUR = { numbers: [9, 2, 8, 3], target: 77 };

/** Each try: its text, depth, mark, whether a hit is in reach and shown, wrong results. */
function triesOf(space: SearchSpace<unknown>, answer: string): unknown[][] {
  return triesReader(space)(answer).tries.map(({ from, to, depth, mark, inReach, showsHit, wrongResults }) => {
    return [answer.slice(from, to), depth, mark, inReach, showsHit, wrongResults];
  });
}

describe('three numbers', () => {
  it('have tries with marks, and a solution after the hit', () => {
    const answer = '7 + 3 = 10 : 12 8 20 5 n , 3 * 2 = 6 : 13 y , 3 * 2 = 6 , 7 + 6 = 13';
    expect(triesOf(spaceOf(THREE), answer)).toEqual([
      ['7 + 3 = 10 : 12 8 20 5 n', 0, 'closed', false, false, 0],
      ['3 * 2 = 6 : 13 y', 0, 'hit', true, true, 0],
    ]);
    const { solution, tries } = searchOf(THREE)(answer);
    expect(answer.slice(solution?.from, solution?.to)).toBe('3 * 2 = 6 , 7 + 6 = 13');
    expect(tries.map(({ key }) => key)).toEqual(['7 + 3 = 10', '3 * 2 = 6']);
  });

  it('have results that are wrong, out of place or too many, and steps that there are not', () => {
    const answer =
      '7 - 3 = 4 : 6 3 8 2 n , 3 * 2 = 6 : 13 1 42 9 n , 7 + 2 = 8 : 11 y , 9 + 3 = 12 : 13 n , 7 - 2 = 5 : 2 8 15 4 n';
    expect(triesOf(spaceOf(THREE), answer).map((one) => one.slice(2))).toEqual([
      ['closed', false, false, 1],
      ['closed', true, true, 1],
      ['hit', false, false, 1],
      ['closed', false, false, 1],
      ['closed', false, false, 3],
    ]);
  });

  it('repeat what is left, or something else', () => {
    const answer = '7 - 3 = 4 2 : 6 2 8 2 n , 7 + 3 = 10 7 : 12 8 20 5 n , 3 * 2 = 6 7 : 13 y';
    const tries = triesReader(spaceOf(THREE, { restate: true }))(answer).tries;
    expect(tries.map(({ key, mark, wrongResults }) => [key, mark, wrongResults])).toEqual([
      ['7 - 3 = 4', 'closed', 0],
      ['7 + 3 = 10', 'closed', 1],
      ['3 * 2 = 6', 'hit', 0],
    ]);
  });

  it('may be cut anywhere', () => {
    expect(triesOf(spaceOf(THREE), '3 * 2 = 6 : 1')).toEqual([['3 * 2 = 6 : 1', 0, 'open', true, false, 1]]);
    expect(triesOf(spaceOf(THREE), '3 * 2 =')).toEqual([]);
    expect(searchOf(THREE)('3 * 2 = 6 : 13 y').solution).toBeUndefined();
  });

  it('have first steps of which some are of a solution, and so are some of those nearest to the target', () => {
    // 10 4 21, 5 1 6, 9 5 14: 6 = 3 * 2 alone, and 14 is the nearest to 13
    expect(searchOf(THREE)('').first).toEqual({ chance: 1 / 9, nearest: 0 });
    // 9 1 20 and 8 16 1: 16 + 5, and 20 is the nearest to 21; 20 + 4, and 20 is the nearest to 24
    expect(searchOf({ numbers: [4, 5, 4], target: 21 })('').first).toEqual({ chance: 1 / 6, nearest: 0 });
    expect(searchOf({ numbers: [4, 5, 4], target: 24 })('').first).toEqual({ chance: 1 / 6, nearest: 1 });
  });
});

describe('two and four numbers', () => {
  it('have results without a step', () => {
    const two = { numbers: [7, 3], target: 21 };
    const answer = ': 10 4 21 y , 7 * 3 = 21';
    expect(triesOf(spaceOf(two), answer)).toEqual([[': 10 4 21 y', 0, 'hit', true, true, 0]]);
    const { solution, first } = searchOf(two)(answer);
    expect(answer.slice(solution?.from, solution?.to)).toBe('7 * 3 = 21');
    expect(first).toBeUndefined();
  });

  it('have tries within a step, which a bracket closes or a hit leaves open', () => {
    const answer =
      '9 + 2 = 11 ( 8 - 3 = 5 : 16 6 55 2 n ) , 9 - 2 = 7 ( 8 + 3 = 11 : 18 4 77 y , 9 - 2 = 7 , 8 + 3 = 11 , 11 * 7 = 77';
    expect(triesOf(spaceOf(FOUR), answer)).toEqual([
      ['9 + 2 = 11 ( 8 - 3 = 5 : 16 6 55 2 n )', 0, 'closed', false, false, 0],
      ['8 - 3 = 5 : 16 6 55 2 n', 1, 'closed', false, false, 1],
      ['9 - 2 = 7 ( 8 + 3 = 11 : 18 4 77 y', 0, 'open', true, false, 0],
      ['8 + 3 = 11 : 18 4 77 y', 1, 'hit', true, true, 0],
    ]);
    const { solution, tries } = searchOf(FOUR)(answer);
    expect(answer.slice(solution?.from, solution?.to)).toBe('9 - 2 = 7 , 8 + 3 = 11 , 11 * 7 = 77');
    expect(tries[3].key).toBe('9 - 2 = 7 8 + 3 = 11');
  });
});

it('a graph with a way back is searched to its end, and moves may end a try without a list', () => {
  const next: Readonly<Record<string, readonly string[]>> = { a: ['b', 'c'], b: ['a', 'd'], c: ['c'], d: [], z: [] };
  const space: SearchSpace<string> = {
    start: 'a',
    expand: (state) => next[state].map((to) => ({ text: `to ${to}`, to })),
    isSolved: (state) => state === 'd',
    isDead: (state) => state === 'z',
  };
  expect(triesOf(space, 'to c ( to c n ) , to b ( to d y , to b to d')).toEqual([
    ['to c ( to c n )', 0, 'closed', false, false, 0],
    ['to c n', 1, 'closed', false, false, 0],
    ['to b ( to d y', 0, 'open', true, false, 0],
    ['to d y', 1, 'hit', true, true, 0],
  ]);
  expect(triesReader(space)('').first).toEqual({ chance: 1 / 2 });
});

it('any string has a reading whose spans lie within it, in order', () => {
  const word = fc.constantFrom(
    '3',
    '7',
    '2',
    '0',
    '+',
    '-',
    '*',
    '=',
    ':',
    ',',
    '(',
    ')',
    ';',
    'y',
    'n',
    'x',
    '3 * 2 = 6',
  );
  const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));
  const readers = [THREE, FOUR, { numbers: [7, 3], target: 21 }].map(searchOf);
  fc.assert(
    fc.property(fc.constantFrom(...readers), fc.oneof(text, fc.string()), (read, answer) => {
      const { tries, solution } = read(answer);
      const spans = solution ? [...tries, solution] : tries;
      expect(spans.every(({ from, to }) => from < to && to <= answer.length)).toBe(true);
      expect(spans.every(({ from }, i) => i === 0 || from > spans[i - 1].from)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});
