import { describe, expect, it } from 'vitest';
import { CacheCopies } from '../../src/model/sampling/cache_copies.ts';

/** Of two rows each, up to ten rows a round. */
function roundsOf(...pairs: readonly (readonly [number, number])[]): (readonly [number, number])[][] {
  const copies = new CacheCopies(10);
  for (const [from, to] of pairs) copies.add({ from, to, length: 2 });
  return copies.rounds.map((round) => round.map((copy) => [copy.from, copy.to] as const));
}

describe('copies of cache rows', () => {
  it('are made at once, whoever they are copied from', () => {
    expect(roundsOf([0, 10], [0, 20], [30, 40])).toEqual([
      [
        [0, 10],
        [0, 20],
        [30, 40],
      ],
    ]);
  });

  it('wait for a round where they read what another copy writes, or write what another reads', () => {
    expect(roundsOf([0, 10], [10, 20], [0, 30])).toEqual([
      [[0, 10]],
      [
        [10, 20],
        [0, 30],
      ],
    ]);
    expect(roundsOf([0, 10], [5, 0], [5, 20])).toEqual([
      [[0, 10]],
      [
        [5, 0],
        [5, 20],
      ],
    ]);
  });

  it('go on in the next round where one has no more room', () => {
    const six = [10, 20, 30, 40, 50, 60].map((to) => [0, to] as const);
    expect(roundsOf(...six)).toEqual([six.slice(0, 5), six.slice(5)]);
  });

  it('are none after they are cleared', () => {
    const copies = new CacheCopies(10);
    copies.add({ from: 0, to: 4, length: 1 });
    copies.clear();
    expect(copies.rounds).toEqual([]);
  });
});
