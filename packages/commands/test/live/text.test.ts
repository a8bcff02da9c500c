import { describe, expect, it } from 'vitest';
import { cut, line, row, wrapWords } from '../../display/live/text.ts';

describe('cut', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 4, 'abc…'],
    ['漢字漢字', 5, '漢字…'],
    ['👩‍👩‍👧x', 2, '…'],
    ['abc', 0, ''],
  ])('%j to %i columns is %j', (text, columns, expected) => {
    expect(cut(text, columns)).toBe(expected);
  });
});

it('a line is painted piece by piece and ends at the width', () => {
  const star = (text: string): string => `*${text}*`;
  expect(line([['abc', star], ['defgh'], ['ij', star]], 6)).toBe('*abc*de…');
});

it('a row keeps whole items only', () => {
  expect(row([[['one']], [['two']], [['three']]], 12)).toBe('one   two');
  expect(row([[['longer than that']]], 8)).toBe('longer …');
});

describe('wrapWords', () => {
  it('breaks between words and indents the rest', () => {
    expect(wrapWords('  step 1: all groups are dead', 16)).toBe('  step 1: all\n    groups are\n    dead');
  });

  it('leaves a word that is too long, and everything where there is no width', () => {
    expect(wrapWords('a/path/without/spaces', 10)).toBe('a/path/without/spaces');
    expect(wrapWords('one two three', undefined)).toBe('one two three');
  });
});
