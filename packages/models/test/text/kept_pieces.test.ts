/** Sections of text are cut up once, and as they would be without being kept. */
import { expect, it, vi } from 'vitest';
import { keepingPieces } from '../../text/kept_pieces.ts';

const cut = (text: string, { section_index: index }: { readonly section_index: number }) =>
  (index === 0 ? ` ${text}` : text).split('-');

it('a section is cut up once, and the first of a text apart from further ones', () => {
  const counted = vi.fn(cut);
  const kept = keepingPieces(counted);
  for (const index of [0, 1, 2, 0]) {
    expect(kept('a-b', { section_index: index })).toEqual(index === 0 ? [' a', 'b'] : ['a', 'b']);
  }
  expect(counted).toHaveBeenCalledTimes(2);
});

it('what is kept has an end, after which sections are what they were', () => {
  const counted = vi.fn(cut);
  const kept = keepingPieces(counted);
  const long = 'x'.repeat(600_000);
  kept('a-b', { section_index: 1 });
  kept(long, { section_index: 1 });
  kept(`${long}-`, { section_index: 1 });
  expect(kept('a-b', { section_index: 1 })).toEqual(['a', 'b']);
  expect(counted).toHaveBeenCalledTimes(4);
});
