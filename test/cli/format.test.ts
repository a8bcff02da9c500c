import { expect, it } from 'vitest';
import { roughDuration } from '../../packages/commands/display/rough_duration.ts';
import { percentWithInterval } from '../../src/cli/display/format.ts';

it.each([
  [0.4, '0s'],
  [59.4, '59s'],
  [62, '1m 00s'],
  [272, '4m 30s'],
  [599, '10m 00s'],
  [3233, '54m'],
  [7470, '2h 05m'],
])('%d seconds are roughly %s', (seconds, text) => {
  expect(roughDuration(seconds)).toBe(text);
});

it('an interval has a digit more where it is narrow', () => {
  const estimate = { mean: 0.442, count: 571 };
  expect(percentWithInterval({ ...estimate, low: 0.401, high: 0.483 })).toBe('44.2 % [40–48]');
  expect(percentWithInterval({ ...estimate, low: 0.436, high: 0.448 })).toBe('44.2 % [43.6–44.8]');
});
