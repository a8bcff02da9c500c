import { describe, expect, it } from 'vitest';
import { readMoves, simulate } from '../../parsing/moves.ts';

const MAP = ['S#G', '...'];
const STEPS: Readonly<Record<string, readonly [number, number]>> = { U: [0, -1], D: [0, 1], L: [-1, 0], R: [1, 0] };

/** The moves that a plan from S to G takes; undefined where it does not get there. */
function lengthOf(text: string): number | undefined {
  const reading = readMoves(text, Object.keys(STEPS));
  if (!reading.ok) return undefined;
  const end = simulate<readonly [number, number]>(reading.moves, {
    start: [0, 0],
    step: ([x, y], move) => {
      const [dx, dy] = STEPS[move] as readonly [number, number];
      const cell = MAP[y + dy]?.[x + dx];
      return cell === undefined || cell === '#' ? undefined : [x + dx, y + dy];
    },
    isGoal: ([x, y]) => MAP[y]?.[x] === 'G',
    most: 16,
  });
  return end.outcome === 'goal' ? end.moves : undefined;
}

describe('a path from S to G around a wall', () => {
  it.each(
    /* biome-ignore format: a list */ [
      ['DRRU', 4], ['D R R U', 4], ['D,R,R,U', 4], ['D, R, R, U', 4], ['DRLRRU', 6], ['RR', undefined],
      ['DRR', undefined], ['DRRUD', undefined], ['DRRUU', undefined], ['DXRRU', undefined], ['DRR U', undefined],
      ['D,R R,U', undefined], ['drru', undefined], ['', undefined], ['none', undefined], ['DL'.repeat(8), undefined],
      [`D${'RL'.repeat(7)}RRU`, undefined],
    ],
  )('%j takes %s moves', (text, expected) => {
    expect(lengthOf(text)).toBe(expected);
  });
});

it('moves of several characters are separated', () => {
  expect(readMoves('A>B B>C', ['A>B', 'B>C'])).toEqual({ ok: true, moves: ['A>B', 'B>C'] });
  expect(readMoves('A>BB>C', ['A>B', 'B>C']).ok).toBe(false);
});

it('a plan that is done before it begins is no plan with a move', () => {
  const rules = { start: 0, step: (state: number) => state + 1, isGoal: (state: number) => state === 0, most: 3 };
  expect(simulate([], rules)).toEqual({ outcome: 'goal', moves: 0 });
  expect(simulate(['x'], rules).outcome).toBe('illegal');
});
