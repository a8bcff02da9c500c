/** Tasks with fewer problems than an evaluation asks for. */
import { describe, expect, it } from 'vitest';
import { bindTask } from '../../src/data/create_task.ts';
import { splitOf } from '../../src/data/split.ts';
import type { AnyTaskDefinition } from '../../src/data/task.ts';
import { characterTokenizer } from '../../src/text/vocabulary_tokenizer.ts';

/** Draws one of so many numbers, and cannot list them. */
function numbers(count: number, frequency?: (n: number) => number): AnyTaskDefinition {
  const definition: unknown = {
    name: 'numbers',
    version: 1,
    family: 'numbers',
    knobs: {},
    levels: [],
    generate: (rng: { int(low: number, high: number): number }) => rng.int(0, count - 1),
    key: String,
    prompt: String,
    oracle: String,
    chance: () => 0,
    tokenizer: () => characterTokenizer({ name: 'numbers', tokens: [...'0123456789'] }),
    limits: () => ({ promptTokens: 4, completionTokens: 4 }),
    ...(frequency && { frequency }),
  };
  return definition as AnyTaskDefinition; // what a set of problems needs of one
}

describe('a task of fewer held-out problems than are asked for', () => {
  const heldOut = Array.from({ length: 1891 }, (_, n) => n).filter((n) => splitOf('numbers', String(n)) === 'eval');

  it('is evaluated on all that there are, which it need not list', () => {
    expect(heldOut.length).toBeLessThan(512);
    const items = bindTask(numbers(1891)).heldOutItems();
    expect(items.map(({ identity }) => Number(identity)).sort((a, b) => a - b)).toEqual(heldOut);
    expect(new Set(items.map(({ weight }) => weight))).toEqual(new Set([1]));
  });

  it('weighs them as often as they are asked, as a task does that lists them', () => {
    const items = bindTask(numbers(1891, (n) => n + 1)).heldOutItems();
    expect(items.every(({ identity, weight }) => weight === Number(identity) + 1)).toBe(true);
  });

  it('gives a sample of equal weights where there are enough', () => {
    const items = bindTask(numbers(100_000, (n) => n + 1)).heldOutItems();
    expect(items).toHaveLength(512);
    expect(new Set(items.map(({ weight }) => weight))).toEqual(new Set([1]));
  });

  it('is refused where there is none, with both remedies', () => {
    const trained = Array.from({ length: 9 }, (_, n) => n).find((n) => splitOf('numbers', String(n)) === 'train');
    const one = { ...numbers(1), generate: () => trained as number };
    expect(() => bindTask(one).heldOutItems()).toThrow(
      /^task "numbers" with \{\}.* no eval problem in 2000 draws .*about 1 keys exist\); widen the task's knobs, or list a small space by enumerate\.$/,
    );
  });
});
