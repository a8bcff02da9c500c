import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyedPermutation } from '../../../data/datasets/permutation.ts';
import { PromptIndex } from '../../../data/datasets/prompt_index.ts';
import { RowStore } from '../../../data/datasets/row_store.ts';

describe('rows in memory', () => {
  it('are given back as they were, across the borders of pieces', () => {
    const store = new RowStore();
    const rows = Array.from({ length: 30 }, (_, i) => ({
      row: { text: `ü😀${i}\n`.repeat(1 + i * 4000), n: i },
      ...(i % 2 === 0 && { written: { n: `${i}.0` } }),
    }));
    for (const row of rows) store.add(row);
    expect(store.bytes).toBeGreaterThan(2 * 4 * 1024 ** 2);
    expect(rows.map((_, i) => store.row(i))).toEqual(rows);
    expect(() => store.row(30)).toThrow(RangeError);
  });

  it('are told apart by their prompts, not by their hashes alone', () => {
    const index = new PromptIndex();
    const texts = Array.from({ length: 5000 }, (_, i) => `prompt ${i}`);
    for (const [row, text] of texts.entries()) expect(index.add(text, row, () => false)).toBeUndefined();
    for (const [row, text] of texts.entries()) {
      expect(index.add(text, 9999, (other) => texts[other] === text)).toBe(row);
    }
  });
});

describe('a keyed order', () => {
  it('has every place once, for any number of rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), fc.string(), (count, key) => {
        const at = keyedPermutation(key, count);
        const places = Array.from({ length: count }, (_, i) => at(i));
        expect([...places].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
      }),
      { numRuns: 60 },
    );
  });

  it('is another one for another key, and looks like chance', () => {
    const count = 1000;
    const [one, other] = ['a', 'b'].map((key) => keyedPermutation(key, count));
    const same = Array.from({ length: count }, (_, i) => i).filter((i) => one(i) === other(i));
    expect(same.length).toBeLessThan(10);
    // Mean distance of two random places of 1000 is a third of it, with a deviation of 7.5 for a thousand of them.
    const distances = Array.from({ length: count }, (_, i) => Math.abs(one(i) - i));
    expect(Math.abs(distances.reduce((sum, value) => sum + value, 0) / count - count / 3)).toBeLessThan(40);
  });
});
