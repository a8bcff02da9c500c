/**
 * Walk over a frozen lake to the goal.
 *
 *   prompt      S..#/..../.#.#/...G>    rows from the top; S start, G goal, # a hole
 *   action      U, D, L or R            a move off the lake stays where it is
 *   observation 12                      row and column after the move, from 0; ? where that was no move
 *   won         on the goal; lost in a hole, or after 3·size moves
 *   guard       answers # to a move that would lead into a hole, where a run has one
 *   split       by hash of the map
 *
 * Maps without a way, and with a way of fewer moves than size, are drawn again.
 */
import { correct, environmentTask, illegal, placesOf, type Rng, stepsFrom } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { type FrozenLakeKnobs, frozenLakeCard } from './card.ts';

/** Rows of `.`, `#`, one `S` and one `G`. */
export type FrozenLakeItem = { readonly rows: readonly string[] };
export type FrozenLakeState = FrozenLakeItem & { readonly row: number; readonly column: number };

const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  U: [-1, 0],
  R: [0, 1],
  D: [1, 0],
  L: [0, -1],
};
/** Clockwise. */
const NAMES = Object.keys(MOVES);

function find({ rows }: FrozenLakeItem, field: string): FrozenLakeState {
  const row = rows.findIndex((text) => text.includes(field));
  return { rows, row, column: rows[row].indexOf(field) };
}

/** Where a move leads: off the lake nowhere. */
function moved(state: FrozenLakeState, name: string): FrozenLakeState {
  const [rows, columns] = MOVES[name];
  const [row, column] = [state.row + rows, state.column + columns];
  return state.rows[row]?.[column] === undefined ? state : { ...state, row, column };
}

const fieldOf = ({ rows, row, column }: FrozenLakeState): string => rows[row][column];
/** [rows][columns] moves from each field to the goal around the holes; undefined where there is no way. */
const movesToGoal = remembered((rows: FrozenLakeItem['rows']) =>
  stepsFrom(rows, placesOf(rows, 'G'), (field) => field !== '#'),
);

/** The move of the shortest way that comes first in the order of MOVES. */
function shortest(state: FrozenLakeState): string {
  const left = movesToGoal(state.rows);
  const of = (name: string): number => {
    const { row, column } = moved(state, name);
    return left[row][column] ?? Number.POSITIVE_INFINITY;
  };
  return NAMES.reduce((best, name) => (of(name) < of(best) ? name : best));
}

/** What a move becomes on the ice. */
function slipped(name: string, slip: number, rng: Rng): string {
  if (slip === 0 || rng.float() * 100 >= slip) return name;
  return NAMES[(NAMES.indexOf(name) + (rng.float() < 0.5 ? 1 : 3)) % 4];
}

export const frozenLake = environmentTask<FrozenLakeItem, FrozenLakeState, FrozenLakeKnobs>(frozenLakeCard, {
  characters: '.#SG/>URDL?01234567',
  generate(rng, { size, holes }) {
    const fields: string[] = Array.from({ length: size * size }, () => (rng.float() * 100 < holes ? '#' : '.'));
    const [start, goal] = rng.shuffle(fields.map((_, place) => place));
    fields[start] = 'S';
    fields[goal] = 'G';
    const rows = Array.from({ length: size }, (_, row) => fields.slice(row * size, (row + 1) * size).join(''));
    return { rows };
  },
  isFit(item, { size }) {
    const { row, column } = find(item, 'S');
    const moves = movesToGoal(item.rows)[row][column];
    return moves !== undefined && moves >= size;
  },
  key: ({ rows }) => `frozen_lake|${rows.join('/')}`,
  prompt: ({ rows }) => `${rows.join('/')}>`,
  question: ({ rows }) =>
    `Walk over this frozen lake from S to G without falling into a hole (#):\n${rows.join('\n')}\n` +
    'Write one letter, U, D, L or R, for one move; I say the row and the column you are in then, counted from 0.',
  start: (item) => find(item, 'S'),
  step(state, action, { slip, size }, rng) {
    if (!NAMES.includes(action)) return { state, observation: '?', illegal: true };
    const next = moved(state, slipped(action, slip, rng));
    const field = fieldOf(next);
    if (field === 'G') return { state: next, potential: 1, verdict: correct('the goal is reached', action) };
    if (field === '#') return { state: next, potential: 0, verdict: illegal('fell into a hole') };
    const left = movesToGoal(next.rows)[next.row][next.column] ?? 2 * size;
    return { state: next, observation: `${next.row}${next.column}`, potential: 1 - Math.min(1, left / (2 * size)) };
  },
  expert: (state) => shortest(state),
  distance: ({ rows, row, column }) => (rows[row][column] === '#' ? undefined : movesToGoal(rows)[row][column]),
  guard: (state, action) => (NAMES.includes(action) && fieldOf(moved(state, action)) === '#' ? '#' : undefined),
  random: (_, __, rng) => rng.pick(NAMES),
  /** Counted, of 10,000 maps of 3×3 that were walked at random: 11 %; larger ones are harder. */
  chance: () => 0.2,
  longest: ({ size }) => ({
    turns: 3 * size,
    prompt: size * (size + 1),
    action: 1,
    observation: 2,
    question: 260 + size * (size + 1),
  }),
  chanceDecides: ({ slip }) => slip > 0,
});
