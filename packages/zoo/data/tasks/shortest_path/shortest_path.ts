/**
 * A shortest way from S to G through a grid, around walls (#), by the moves U, D, L and R; `none` where there is no way.
 *
 * Moves are carried out: one into a wall or out of the grid, one after the goal, or a longer way than the shortest is
 * wrong.
 */
import { correct } from '../../../../../src/data/judge.ts';
import { illegal, malformed, missing, wrongValue } from '../../../../../src/rewards/reject.ts';
import { readMoves, simulate } from '../../../parsing/moves.ts';
import { readWord } from '../../../parsing/words.ts';
import { drawRows, drawSize, inLine, inLines, type Place, placesOf, type Rows, stepsFrom } from '../../cells.ts';
import { lineTask } from '../../line_task.ts';
import type { NearMisses } from '../../near_misses.ts';
import { remembered } from '../../remembered.ts';
import { type ShortestPathKnobs, shortestPathCard } from './card.ts';

export type ShortestPathItem = { readonly rows: Rows };

const MOVES: Readonly<Record<string, Place>> = { U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1] };

const only = (rows: Rows, kind: string): Place => placesOf(rows, kind)[0] as Place; // each grid has one

/** Steps to the goal from each cell. */
function stepsToGoal(rows: Rows): (number | undefined)[][] {
  return stepsFrom(rows, [only(rows, 'G')], (cell) => cell !== '#');
}

function moved(rows: Rows, [row, column]: Place, move: string): Place | undefined {
  const [dy, dx] = MOVES[move] as Place;
  const cell = rows[row + dy]?.[column + dx];
  return cell === undefined || cell === '#' ? undefined : [row + dy, column + dx];
}

/** The first shortest way in the order of the moves; undefined where there is none. */
const wayOf = remembered(({ rows }: ShortestPathItem): string | undefined => {
  const steps = stepsToGoal(rows);
  let place = only(rows, 'S');
  let left = steps[place[0]]?.[place[1]];
  if (left === undefined) return undefined;
  let way = '';
  while (left > 0) {
    for (const move of Object.keys(MOVES)) {
      const next = moved(rows, place, move);
      if (next === undefined || steps[next[0]]?.[next[1]] !== left - 1) continue;
      way += move;
      place = next;
      break;
    }
    left--;
  }
  return way;
});

export const shortestPath = lineTask<ShortestPathItem, ShortestPathKnobs>(shortestPathCard, {
  characters: 'SG.#/>UDLRnoe',
  answers: 'open',
  generate(rng, { size, walls }) {
    const [height, width] = drawSize(rng, 2, size);
    if (height + width < 5) return null;
    const cells = drawRows(height, width, () => (rng.int(0, 99) < walls ? '#' : '.'))
      .join('')
      .split('');
    const start = rng.int(0, cells.length - 1);
    const goal = rng.int(0, cells.length - 1);
    if (start === goal) return null;
    cells[start] = 'S';
    cells[goal] = 'G';
    const rows = Array.from({ length: height }, (_, row) => cells.slice(row * width, (row + 1) * width).join(''));
    // Two cells side by side are one move, of four: three of four such problems are left out.
    const item = { rows };
    return wayOf(item)?.length === 1 && rng.int(0, 3) > 0 ? null : item;
  },
  key: ({ rows }) => `path|${inLine(rows)}`,
  prompt: ({ rows }) => `${inLine(rows)}>`,
  question: ({ rows }) =>
    `Find a shortest way from S to G through this grid, where # is a wall:\n${inLines(rows)}\nGive the moves U, D, L and R without spaces, or none if there is no way.`,
  oracle: (item) => wayOf(item) ?? 'none',
  verify(item, answer) {
    const way = wayOf(item);
    if (readWord(answer, ['none']) === 'none')
      return way === undefined ? correct('there is no way', 'none') : wrongValue('there is a way');
    const reading = readMoves(answer, Object.keys(MOVES));
    if (!reading.ok) return answer.trim() === '' ? missing('the answer is empty') : malformed(reading.reason);
    const { rows } = item;
    const end = simulate(reading.moves, {
      start: only(rows, 'S'),
      step: (place, move) => moved(rows, place, move),
      isGoal: ([row, column]) => rows[row]?.[column] === 'G',
      most: 4 * (way?.length ?? 0),
    });
    if (end.outcome !== 'goal') return illegal(end.reason);
    return end.moves === way?.length
      ? correct('a shortest way', reading.moves.join(''))
      : wrongValue('not the shortest way');
  },
  mutants: (item): NearMisses => {
    const way = wayOf(item);
    if (way === undefined)
      return { 'a way': 'RD', 'none twice': 'none none', 'in capitals': 'NONE', 'nothing to do': 'S' };
    const last = way.slice(-1);
    const back = { U: 'D', D: 'U', L: 'R', R: 'L' }[last] as string;
    return {
      'a detour': `${way.slice(0, -1)}${last}${back}${last}`,
      'behind the goal': `${way}${back}`,
      'cut short': way.slice(0, -1) || 'none',
      'given twice': way + way,
      'no way': 'none',
      'small letters': way.toLowerCase(),
      'a move that is none': `${way}X`,
    };
  },
  /** One move, or `none`. */
  chance: ({ size }) => (size <= 3 ? 0.35 : 0.45),
  longest: ({ size }) => ({
    prompt: size * (size + 1) + 1,
    answer: Math.max(4, Math.floor((size * size) / 2) + size),
    question: 170 + size * (size + 1),
  }),
});
