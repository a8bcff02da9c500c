import { Script } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeEach } from '../../../src/data/repeat.ts';
import { repeatWithin, runCall, TimeLimitError, withTimeLimit } from '../calls.node.ts';

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

describe('calls in a row', () => {
  const callOf = (limitSeconds: number, answer: unknown) => ({
    callee: { kind: 'task' as const, name: 'task "t" (t.mjs)', path: '/t.mjs', limitSeconds },
    part: 'verify',
    about: () => ` for answer ${answer}`,
  });
  /** Judges 0, 1, … with a verifier that does this. */
  const judge = (limitSeconds: number, count: number, verify: (answer: number) => unknown): unknown[] => {
    return makeEach(repeatWithin(limitSeconds), count, (i) => runCall(callOf(limitSeconds, i), () => verify(i)));
  };
  const spin = (ms: number): void => {
    const end = performance.now() + ms;
    while (performance.now() < end);
  };

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('share a limit, and give what each alone would give', () => {
    const limits = vi.spyOn(Script.prototype, 'runInContext');
    expect(judge(60, 500, (i) => i * i)).toEqual(Array.from({ length: 500 }, (_, i) => i * i));
    expect(limits.mock.calls.length).toBeLessThan(100);
  });

  it('are ended by the one that has no end, which is named, and the next row begins as if nothing had been', () => {
    const hangs = (): unknown[] =>
      judge(0.2, 50, (i) => {
        while (i === 31);
        return i;
      });
    const message = `task "t" (t.mjs): verify gave nothing within 0.2 s for answer 31 — it hangs or is too slow; correct it, or raise reward_timeout.`;
    expect(hangs).toThrow(message);
    expect(hangs).toThrow(message);
    expect(judge(0.2, 3, (i) => i)).toEqual([0, 1, 2]);
  });

  it('have their own time each, though they take more than one may together', () => {
    const made = makeEach(repeatWithin(0.4), 1, () => {
      for (const part of ['a', 'b', 'c']) runCall(callOf(0.4, part), () => spin(150));
      return 'made';
    });
    expect(made).toEqual(['made']);
  });

  it('fail with the message of the call that failed, and are asked no further', () => {
    const asked: number[] = [];
    const failing = (): unknown[] =>
      judge(60, 9, (i) => {
        asked.push(i);
        if (i === 4) throw new TypeError('mine');
        return i;
      });
    expect(failing).toThrow('verify failed for answer 4: TypeError: mine — correct it.');
    expect(asked).toEqual([0, 1, 2, 3, 4]);
  });

  it('end where one says that it is enough', () => {
    const asked: number[] = [];
    repeatWithin(60)(9, (i) => asked.push(i) === 3);
    expect(asked).toEqual([0, 1, 2]);
  });
});
