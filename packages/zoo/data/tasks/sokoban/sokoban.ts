/**
 * Sokoban in a small warehouse.
 *
 *   prompt      ..../.pb./..../..o.>    rows from the top; p the player, b a box, o where one belongs, # a wall; P and B
 *                                       the same on a place where a box belongs
 *   action      U, D, L or R            a move against a wall, or of two boxes at once, leads nowhere
 *   observation ..../..../.pb./..o.     the rows after the move; ? where that was no move
 *   won         with every box on a place; lost where that cannot be any more, or after `turns` moves
 *   split       by hash of the rows
 *
 * The expert takes a shortest way, found by a breadth-first search. A warehouse whose way is shorter than 3 moves, or longer
 * than `turns`, is drawn again.
 */
import { correct, environmentTask, wrongValue } from '../../kit.ts';
import { type SokobanKnobs, sokobanCard } from './card.ts';
import { isDone, MOVES, moved, type Standing, shortestWay, usefulFields, type Warehouse } from './warehouse.ts';

export type SokobanItem = {
  readonly size: number;
  readonly floor: string;
  readonly player: number;
  readonly boxes: readonly number[];
};
/** `way`: moves of the shortest way at the start. */
export type SokobanState = SokobanItem & { readonly way: number };

const LEAST_MOVES = 3;

/** Rows as the prompt has them. */
function written({ size, floor, player, boxes }: Warehouse & Standing): string {
  const fields = floor.split('').map((field, at) => {
    const on = at === player ? 'p' : boxes.includes(at) ? 'b' : field;
    return field === 'o' ? on.replace('p', 'P').replace('b', 'B') : on;
  });
  return Array.from({ length: size }, (_, row) => fields.slice(row * size, (row + 1) * size).join('')).join('/');
}

export const sokoban = environmentTask<SokobanItem, SokobanState, SokobanKnobs>(sokobanCard, {
  characters: '.#pPbBo/>UDLR?',
  generate(rng, { size, boxes: count, walls }) {
    const fields: string[] = Array.from({ length: size * size }, () => (rng.float() * 100 < walls ? '#' : '.'));
    const places = rng.shuffle(fields.map((_, at) => at)).slice(0, 2 * count + 1);
    const [player, ...rest] = places;
    for (const at of places) fields[at] = '.';
    for (const at of rest.slice(count)) fields[at] = 'o';
    return { size, floor: fields.join(''), player, boxes: rest.slice(0, count).sort((a, b) => a - b) };
  },
  isFit(item, { turns }) {
    const useful = usefulFields(item);
    if (item.boxes.some((box) => useful[box] === 0)) return false;
    const way = shortestWay(item, item)?.length ?? 0;
    return way >= LEAST_MOVES && way <= turns;
  },
  key: (item) => `sokoban|${written(item)}`,
  prompt: (item) => `${written(item)}>`,
  question: (item) =>
    'Push every box (b) onto a place where one belongs (o); you are p, # is a wall, and P and B are you and a box on such a ' +
    `place:\n${written(item).replaceAll('/', '\n')}\nWrite one letter, U, D, L or R, for one move, and I show the rows after it.`,
  start: (item) => ({ ...item, way: shortestWay(item, item)?.length ?? 1 }),
  step(state, action) {
    if (action.length !== 1 || !MOVES.includes(action)) return { state, observation: '?', illegal: true };
    const next = { ...state, ...moved(state, state, action) };
    if (isDone(next, next)) return { state: next, potential: 1, verdict: correct('every box is on a place', action) };
    const left = shortestWay(next, next)?.length;
    if (left === undefined) return { state: next, potential: 0, verdict: wrongValue('a box is where no way leads on') };
    return { state: next, observation: written(next), potential: Math.max(0, 1 - left / (2 * state.way)) };
  },
  expert: (state) => shortestWay(state, state)?.[0] ?? MOVES[0],
  random: (_, __, rng) => rng.pick([...MOVES]),
  mutants: (item) => ({
    'the whole way in one action': shortestWay(item, item) ?? '',
    'all but the last move': (shortestWay(item, item) ?? '').slice(0, -1).split('').join('\n'),
  }),
  /** Counted, of 400 walks at random on each level: 3 % at most. */
  chance: () => 0.15,
  longest: ({ size, turns }) => ({
    turns,
    prompt: size * (size + 1),
    action: 1,
    observation: size * (size + 1) - 1,
    question: 260 + size * (size + 1),
  }),
});
