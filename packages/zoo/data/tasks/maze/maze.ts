/**
 * How many steps the shortest way from S to G through a maze has.
 *
 *   split       by hash of the maze, turned and mirrored to the least of its forms, S and G alike
 *
 * Rooms and the places between them alternate. Doors are opened in an order by chance wherever they join what was not
 * joined, so that each place can be reached; then some more.
 */
import { judgeNumber } from '../../../../../src/data/judge.ts';
import type { Rng } from '../../../../../src/kernels/philox.ts';
import { drawSize, inLine, inLines, leastForm, placesOf, type Rows, stepsFrom } from '../../cells.ts';
import { lineTask } from '../../line_task.ts';
import { numberMisses } from '../../near_misses.ts';
import { type MazeKnobs, mazeCard } from './card.ts';

/** `steps` are those of a shortest way. */
export type MazeItem = { readonly rows: Rows; readonly steps: number };

const WALL = '#';
const OPEN = '.';

/** A maze of `high` × `wide` rooms, as rows of walls and open places. */
function drawMaze(rng: Rng, high: number, wide: number, doors: number): string[][] {
  const cells = Array.from({ length: 2 * high - 1 }, (_, y) =>
    Array.from({ length: 2 * wide - 1 }, (_, x) => (y % 2 === 0 && x % 2 === 0 ? OPEN : WALL)),
  );
  const group = Array.from({ length: high * wide }, (_, room) => room);
  const groupOf = (room: number): number => {
    let one = room;
    while (group[one] !== one) one = group[one] as number;
    return one;
  };
  const walls = group.flatMap((room) => [
    ...(room % wide < wide - 1 ? [[room, room + 1] as const] : []),
    ...(room + wide < group.length ? [[room, room + wide] as const] : []),
  ]);
  for (const [one, other] of rng.shuffle(walls)) {
    const areJoined = groupOf(one) === groupOf(other);
    if (areJoined && rng.int(0, 99) >= doors) continue;
    group[groupOf(one)] = groupOf(other);
    const y = Math.floor(one / wide) + Math.floor(other / wide);
    (cells[y] as string[])[(one % wide) + (other % wide)] = OPEN;
  }
  return cells;
}

export const maze = lineTask<MazeItem, MazeKnobs>(mazeCard, {
  characters: 'maze SG.#/>0123456789',
  generate(rng, { rooms, doors }) {
    const [high, wide] = drawSize(rng, 3, rooms);
    const cells = drawMaze(rng, high, wide, doors);
    const open = placesOf(
      cells.map((row) => row.join('')),
      OPEN,
    );
    const [start, goal] = [rng.pick(open), rng.pick(open)];
    if (start === goal) return null;
    (cells[start[0]] as string[])[start[1]] = 'S';
    (cells[goal[0]] as string[])[goal[1]] = 'G';
    const rows = cells.map((row) => row.join(''));
    const steps = stepsFrom(rows, [start], (cell) => cell !== WALL)[goal[0]]?.[goal[1]] as number; // all are joined
    // Two places side by side ask for nothing.
    return steps === 1 ? null : { rows, steps };
  },
  key: ({ rows }) => `maze|${inLine(rows)}`,
  splitKey: ({ rows }) => `maze|${leastForm(rows.map((row) => row.replace(/[SG]/g, 'E')))}`,
  prompt: ({ rows }) => `maze ${inLine(rows)}>`,
  question: ({ rows }) =>
    `How many steps up, down, left or right has the shortest way from S to G through this maze, where # is a wall?\n${inLines(rows)}`,
  oracle: ({ steps }) => String(steps),
  verify: ({ steps }, answer) => judgeNumber(answer, steps),
  mutants: (item) => {
    const [[y = 0, x = 0] = [], [toY = 0, toX = 0] = []] = [placesOf(item.rows, 'S')[0], placesOf(item.rows, 'G')[0]];
    const straight = Math.abs(y - toY) + Math.abs(x - toX);
    return {
      ...numberMisses(item.steps),
      ...(straight !== item.steps && { 'through the walls': String(straight) }),
      'the places on the way': `${item.steps + 1} places`,
      'none at all': 'none',
    };
  },
  /** Counted: the share of the commonest number. */
  chance: ({ rooms }) => (rooms === 3 ? 0.25 : 0.2),
  longest: ({ rooms }) => ({ prompt: 2 * rooms * (2 * rooms - 1) + 6, answer: 2, question: 140 + 4 * rooms * rooms }),
});
