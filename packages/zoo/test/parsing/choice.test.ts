import { expect, it } from 'vitest';
import { readChoice, readTruth } from '../../parsing/choice.ts';

const OPTIONS = ['six', 'seven', 'eight', 'nine'];

it.each(['B', '(B)', 'b', 'B.', 'B)', 'seven', 'Seven', 'B) seven', 'B. seven', ' B\n'])(
  '%j names the second option',
  (text) => {
    expect(readChoice(text, OPTIONS)).toEqual({ ok: true, index: 1 });
  },
);

it.each(
  /* biome-ignore format: a list */ [
    'B) six', 'A or B', 'AB', 'A B C D', 'E', 'not A', '\u0412', 'The answer is B', '', '2', '[B]', '((B))', 'B)six',
    '(B', 'A, B', 'six seven',
  ],
)('%j does not name the second option', (text) => {
  const reading = readChoice(text, OPTIONS);
  expect(reading.ok && reading.index === 1).toBe(false);
});

it('an option that is a letter of another option names neither', () => {
  expect(readChoice('a', ['b', 'a']).ok).toBe(false);
  expect(readChoice('x', ['x', 'X']).ok).toBe(false);
});

it.each([
  ['False', false],
  ['false', false],
  ['true', true],
  ['True False', undefined],
  ['0', undefined],
  ['x', undefined],
  ['no', undefined],
  ['', undefined],
])('%j is the truth value %s', (text, expected) => {
  expect(readTruth(text)).toBe(expected);
});

it('yes and no are truth values where the task says so', () => {
  expect([readTruth('No', ['yes', 'no']), readTruth('yes', ['yes', 'no']), readTruth('true', ['yes', 'no'])]).toEqual([
    false,
    true,
    undefined,
  ]);
});
