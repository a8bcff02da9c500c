import { expect, it } from 'vitest';
import { duration, percent, thousands } from '../src/format.ts';

it.each([
  [0, '0s'],
  [12.4, '12s'],
  [59.6, '1m 00s'],
  [65, '1m 05s'],
  [7380, '2h 03m'],
  [Number.NaN, '?'],
  [Number.POSITIVE_INFINITY, '?'],
])('%d seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

it.each([
  [0, '0'],
  [999.6, '1,000'],
  [1234567, '1,234,567'],
  [-12345, '−12,345'],
])('%d in thousands is %s', (value, text) => {
  expect(thousands(value)).toBe(text);
});

it('a share is a percentage with one digit behind the point', () => {
  expect([0, 0.3825, 1].map(percent)).toEqual(['0.0 %', '38.3 %', '100.0 %']);
});
