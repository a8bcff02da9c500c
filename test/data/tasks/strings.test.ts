import { describe, expect, it } from 'vitest';
import { ab } from '../../../src/data/tasks/ab/ab.ts';
import { letterCounting } from '../../../src/data/tasks/letter_counting/letter_counting.ts';
import { roundTrip } from '../../../src/data/tasks/round_trip/round_trip.ts';
import { stringManipulation } from '../../../src/data/tasks/string_manipulation/string_manipulation.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { STRINGS } from '../second_checkers/strings.ts';

describeTasks(STRINGS, {
  round_trip: ['3d93b5e1', 'b1830396', 'ce6afbad', 'f497ff0f'],
  copy: ['346b3dd7', '8d90060f', '1e5d8185', 'c4adbfd3'],
  parity: ['c4a7ae65', '7285ac0a', '357cf091', 'ff2ca901'],
  letter_counting: ['0edf9ab0', '341b0ab7', 'c52ac1a1', '7673b6e0'],
  caesar_cipher: ['7271f3d5', 'fed5e274', 'c24229de', '4964d8b9'],
  dyck: ['967741fb', 'b442d08d', 'def6cfff', '27ecccbf'],
  number_sorting: ['03bc3266', 'f46032c4', '2a158dbd', '479264b5'],
  needle_haystack: ['07d5acc1', 'f1116c05', '887aee8b', 'cdce3a25'],
  word_sorting: ['72f699ba', 'c3290959', 'f44f2da8', '22f9b627'],
  word_sequence_reversal: ['3dce1fce', '9b614aa3', '5455ba1c', '3bfefebf'],
  number_filtering: ['1e947f56', '818360b9', '8a515446', '5b6fb2b4'],
  ransom_note: ['77b105d4', 'e1c66aa3', '679e827c', 'e6271b36'],
  isomorphic_strings: ['84b4f706', 'ecc080bd', '37c23b3b', '864caa91'],
  palindrome_generation: ['00b2b5af', 'ed6edfec', 'c37f2bcf', '9151af75'],
  binary_alternation: ['f5786829', 'b3261428', '592b8572', '9f5e6f93'],
  run_length: ['88fcc026', 'acbcdb53', '14f4a88e', '36d9c076'],
  roman_numerals: ['3633f4ae', '0cb820e3', 'cd29784c', '909d3d9f'],
  sort_digits: ['7c3ce862', '9030ef1b', '5ffe82cb'],
  reverse_text: ['3e9a7318', 'ab51a80a', 'eb087146'],
  ab: ['ad49e69d', 'b889cee4', 'e0d5d804', '8ad2c959'],
  string_manipulation: ['f9eda063', '1b44a674', 'd9d1f63f', '17a717e6'],
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
  itScores(roundTrip, {
    problem: { code: ['00a', '01a', '1b'], text: 'ab' },
    1: ['001', '011'],
    0: ['01', '1', '0001'],
  });
});
