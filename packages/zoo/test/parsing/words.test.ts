import { expect, it } from 'vitest';
import { readAssignment, readWord } from '../../parsing/words.ts';

const isRight = (text: string): boolean => {
  const reading = readAssignment(text, ['Ann', 'Bob'], ['knight', 'knave']);
  return reading.ok && reading.roles.Ann === 'knight' && reading.roles.Bob === 'knave';
};

it.each([
  ['Ann is a knight, and Bob is a knave.', true],
  ['Bob is a knave, Ann is a knight', true],
  ['Ann is a knight and Bob is a knave', true],
  ['Ann is a knight', false],
  ['Ann is a knight, Bob is a knight', false],
  ['Ann is a knight, Ann is a knave, Bob is a knave', false],
  ['Ann is a knight, Bob is a knave, Cy is a knave', false],
  ['Ann is a knight, Ann is a knight, Bob is a knave', false],
  ['Ann is not a knight, Bob is a knave', false],
  ['Ann is a knight or Bob is a knave', false],
  ['', false],
  ['__proto__ is a knight, Bob is a knave', false],
])('%j: Ann is a knight and Bob is a knave: %s', (text, expected) => {
  expect(isRight(text)).toBe(expected);
});

it('a word is one of a list, whole and in its case', () => {
  expect(readWord(' none\n', ['some', 'none'])).toBe('none');
  expect([readWord('None', ['none']), readWord('none none', ['none']), readWord('', ['none'])]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
