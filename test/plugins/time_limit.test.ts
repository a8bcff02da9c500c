import { describe, expect, it } from 'vitest';
import { TimeLimitError, withTimeLimit } from '../../src/plugins/time_limit.node.ts';

describe('withTimeLimit', () => {
  it('gives what the work gives, and throws what it throws', () => {
    const given = { a: 1 };
    expect(withTimeLimit(60, () => given)).toBe(given);
    const error = new TypeError('mine');
    expect(() =>
      withTimeLimit(60, () => {
        throw error;
      }),
    ).toThrow(error);
  });

  it('ends a loop that has no end, and that would catch everything', () => {
    const stubborn = (): void => {
      for (;;) {
        try {
          for (;;);
        } catch {
          // goes on
        }
      }
    };
    expect(() => withTimeLimit(0.05, stubborn)).toThrow(TimeLimitError);
    expect(withTimeLimit(60, () => 'as before')).toBe('as before');
  });

  it('may be used within itself; the inner limit is the inner one', () => {
    const inner = (): string => {
      try {
        return withTimeLimit(0.05, () => {
          for (;;);
        });
      } catch (error) {
        return error instanceof TimeLimitError ? 'ended' : 'other';
      }
    };
    expect(withTimeLimit(60, inner)).toBe('ended');
  });
});
