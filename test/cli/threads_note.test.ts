import { expect, it } from 'vitest';
import { threadsNote } from '../../src/cli/process/backend.ts';

it('more threads than cores are told of, others are not', () => {
  expect(threadsNote(99, 2)).toBe(
    'threads: 99 on 2 cores — more than one per core make a run slower; leave threads out, or use 2.',
  );
  expect(threadsNote(2, 1)).toContain('on 1 core —');
  expect(threadsNote(2, 2)).toBeUndefined();
  expect(threadsNote(undefined, 1)).toBeUndefined();
});
