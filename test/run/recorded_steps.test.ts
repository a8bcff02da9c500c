/** completions.jsonl of a long run: which steps it has, and that the run says so. */
import { expect, it } from 'vitest';
import { isRecorded, rarerNote } from '../../src/run/logs/completions.ts';

const recorded = (from: number, to: number): number =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).filter(isRecorded).length;

it('has every step at first, then one in ten and one in a hundred', () => {
  expect(recorded(1, 1_000)).toBe(1_000);
  expect(recorded(1_001, 10_000)).toBe(900);
  expect(recorded(10_001, 200_000)).toBe(1_900);
});

it('is said after the last step that all of the steps before were recorded as', () => {
  const said = Array.from({ length: 20_000 }, (_, i) => rarerNote(i + 1)).filter((note) => note !== undefined);
  expect(said).toEqual([
    'completions.jsonl: from step 1001 on it has one step in 10.',
    'completions.jsonl: from step 10001 on it has one step in 100.',
  ]);
});
