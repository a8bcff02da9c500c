import { describe, expect, it } from 'vitest';
import { ab } from '../../../data/tasks/ab/ab.ts';
import { letterCounting } from '../../../data/tasks/letter_counting/letter_counting.ts';
import { roundTrip } from '../../../data/tasks/round_trip/round_trip.ts';
import { stringManipulation } from '../../../data/tasks/string_manipulation/string_manipulation.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { STRINGS } from '../second_checkers/strings.ts';

describeTasks(STRINGS, {
  round_trip: ['9d4617a0', '74df7b68', '32c3adcb', '60cf6175'],
  copy: ['278eecdf', '82eb8033', '5779e915', '7c24ccce'],
  parity: ['c216a560', 'a6d0e5e3', '7eafbca6', 'ade4f665'],
  letter_counting: ['cef12db9', '1562cebf', 'e47be62c', '6bc93cad'],
  caesar_cipher: ['d421d7f0', '06816658', '9f7359f0', '7cd34446'],
  dyck: ['77e06722', '19fe314b', '8b8cdd69', 'cfaf2172'],
  number_sorting: ['fd0ebcf3', '74b66752', '5c4b2c37', '040903bd'],
  needle_haystack: ['6bb4cbca', '1e1b849f', '8f896743', 'a89b28b8'],
  word_sorting: ['0071a4ed', '84c93123', 'dd38ad5e', 'f75df23d'],
  word_sequence_reversal: ['5f52ed31', '780846fd', 'a0d4c98d', 'be6ba4e2'],
  number_filtering: ['d045c1c6', 'c0869d1b', 'd6450714', 'ce86eafa'],
  ransom_note: ['9af0a0d5', 'd3b89d78', 'dde7ad45', 'f95282cc'],
  isomorphic_strings: ['6319c875', 'd41f579c', 'f68b877a', '0fe0a192'],
  palindrome_generation: ['1a3c8b72', 'e3e16b29', '1c09152d', '5321ea52'],
  binary_alternation: ['3d7c0685', '620807ce', '20dec2d4', '0b2c6a75'],
  run_length: ['265d337d', '9dea8e86', '5ac58791', '86fb1cf8'],
  roman_numerals: ['6147ea9b', 'd890804c', '28b7b4d9', '0d46f7c2'],
  sort_digits: ['35040d70', '1b3badd3', '8e0b65c9'],
  reverse_text: ['2c8b5eb1', '1f50a277', '4d8d1158'],
  ab: ['b1956154', '69bc4199', 'b81402d6', 'ecbf2499'],
  string_manipulation: ['68e8b922', 'cb70f146', '2145c0c7', 'fd5db257'],
});

describe('ab: B# A# #B', () =>
  itScores(ab, {
    problem: { program: ['B#', 'A#', '#B'] },
    1: ['A#', '[A#]', '["A#"]'],
    0: ['', 'B# A# #B', '#A', 'a#', 'A# A#', 'A# #A A#'],
  }));

describe('letter_counting: a in banana', () =>
  itScores(letterCounting, {
    problem: { letter: 'a', word: 'banana' },
    1: ['3'],
    0: ['three', '1 2 3 4', '3a', 'aaa', '3 3'],
  }));

describe('string_manipulation', () => {
  const answerTo = (rules: readonly (readonly ['' | '^' | '$', string, string])[], text: string): string =>
    stringManipulation.oracle(
      { rules: rules.map(([where, from, to]) => ({ where, from, to })), text },
      { rules: 3, length: 6, letters: 3 },
    );

  it('applies the first rule that applies, at its first place, and begins with the first rule again', () => {
    expect(
      answerTo(
        [
          ['', 'ab', 'c'],
          ['$', 'cc', 'a'],
        ],
        'abcc',
      ),
    ).toBe('ca');
    expect(
      answerTo(
        [
          ['^', 'b', ''],
          ['', 'b', 'c'],
        ],
        'bbab',
      ),
    ).toBe('ac');
  });

  it('ends before a text that was there, and leaves out what grows without end', () => {
    expect(
      answerTo(
        [
          ['', 'ab', 'ba'],
          ['^', 'ba', 'ab'],
        ],
        'abc',
      ),
    ).toBe('bac');
    expect(answerTo([['', 'a', 'aa']], 'abc')).toBeUndefined();
  });

  const rules = [
    { where: '', from: 'ab', to: 'c' },
    { where: '$', from: 'cc', to: 'a' },
  ] as const;
  itScores(stringManipulation, {
    problem: { rules, text: 'abcc' },
    1: ['ca'],
    0: ['abcc', 'CA', 'ca ca', 'cca', 'c', 'the text is ca'],
  });
});

describe('round_trip: any words that decode to the text', () => {
  const problem = { code: ['0a', '10b', '11c'], text: 'cab' };
  itScores(roundTrip, { problem, 1: ['11010'], 0: ['1101', '110100', '11 0 10', 'cab', '01011', ''] });
  it.each([
    ['11011', 'ca'],
    ['111', 'c'],
    ['0', ''],
    ['01011', ''],
  ])('says of %s that %s is right', (answer, said) => {
    expect(roundTrip.feedback?.(problem, answer, { length: 3, letters: 3, words: 3 })).toBe(said);
  });
  itScores(roundTrip, {
    problem: { code: ['00a', '01a', '1b'], text: 'ab' },
    1: ['001', '011'],
    0: ['01', '1', '0001'],
  });
});
