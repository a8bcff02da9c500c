/**
 * Minesweeper on a board that needs no guess.
 *
 *   prompt      3 01##/12##/####/####>    the mines in all, and the rows: # is covered, a digit counts the mines around it
 *   action      20                        row and column of a field to open, from 0
 *   observation 01##/12##/1###/####       the rows after it; ? where that was no covered field
 *   won         with every field open that has no mine; lost on a mine
 *   split       by hash of the board as the prompt shows it
 *
 * A field without a mine around it opens those around it, too. The first field is open already. A board is drawn again where
 * not every field without a mine follows from what is open, by every way in which the mines may lie: the expert opens one
 * that follows.
 */
import { correct, environmentTask, illegal } from '../../kit.ts';
import { remembered } from '../../remembered.ts';
import { type MinesweeperKnobs, minesweeperCard } from './card.ts';
import { COVERED, neighboursOf, safeFields } from './deduction.ts';

/** `mines`: fields, numbered in reading order; `shown`: the board as it is at the start, as `seen` of a state. */
export type MinesweeperItem = { readonly mines: readonly number[]; readonly shown: string };
/** `seen`: digits and `#`, in reading order. */
export type MinesweeperState = MinesweeperItem & { readonly seen: string };

const around = remembered(({ size }: MinesweeperKnobs) => neighboursOf(size));

/** What is seen once a field that is no mine is opened. */
function opened(
  seen: string,
  field: number,
  mines: readonly number[],
  neighbours: ReturnType<typeof neighboursOf>,
): string {
  const fields = seen.split('');
  const queue = [field];
  for (let next = 0; next < queue.length; next++) {
    const near = neighbours[queue[next]];
    const count = near.filter((other) => mines.includes(other)).length;
    fields[queue[next]] = String(count);
    if (count === 0) queue.push(...near.filter((other) => fields[other] === COVERED && !queue.includes(other)));
  }
  return fields.join('');
}

const coveredIn = (seen: string): number => seen.split(COVERED).length - 1;

function written(seen: string, size: number): string {
  return Array.from({ length: size }, (_, row) => seen.slice(row * size, (row + 1) * size)).join('/');
}

/** Whether every field follows from the ones before, and some field is left to open. */
function needsNoGuess(item: MinesweeperItem, knobs: MinesweeperKnobs): boolean {
  let seen = item.shown;
  if (coveredIn(seen) === knobs.mines) return false;
  while (coveredIn(seen) > knobs.mines) {
    const safe = safeFields(seen, knobs.mines, around(knobs));
    if (safe.length === 0) return false;
    for (const field of safe) if (seen[field] === COVERED) seen = opened(seen, field, item.mines, around(knobs));
  }
  return true;
}

export const minesweeper = environmentTask<MinesweeperItem, MinesweeperState, MinesweeperKnobs>(minesweeperCard, {
  characters: '012345678#/ >?',
  generate(rng, knobs) {
    const [first, ...rest] = rng.shuffle(Array.from({ length: knobs.size * knobs.size }, (_, field) => field));
    const mines = rest.slice(0, knobs.mines).sort((a, b) => a - b);
    return { mines, shown: opened(COVERED.repeat(knobs.size * knobs.size), first, mines, around(knobs)) };
  },
  isFit: needsNoGuess,
  key: ({ mines, shown }) => `minesweeper|${mines.join(' ')}|${shown}`,
  // Boards that look alike may play alike to their last field.
  splitKey: ({ mines, shown }) => `minesweeper|${mines.length}|${shown}`,
  prompt: ({ shown }, { size, mines }) => `${mines} ${written(shown, size)}>`,
  question: ({ shown }, { size, mines }) =>
    `Open every field of this board that has no mine; there are ${mines} mines. # is covered, and a digit says how many ` +
    `of the fields around it are mines:\n${written(shown, size).replaceAll('/', '\n')}\nWrite the row and ` +
    'the column of a field, counted from 0, such as 20, and I show the board after it.',
  start: (item) => ({ ...item, seen: item.shown }),
  step(state, action, knobs) {
    const { size } = knobs;
    const [row, column] = /^\d\d$/.test(action) ? [Number(action[0]), Number(action[1])] : [size, size];
    const field = row * size + column;
    if (row >= size || column >= size || state.seen[field] !== COVERED)
      return { state, observation: '?', illegal: true };
    if (state.mines.includes(field)) return { state, potential: 0, verdict: illegal('opened a mine') };
    const next = { ...state, seen: opened(state.seen, field, state.mines, around(knobs)) };
    const left = coveredIn(next.seen) - knobs.mines;
    if (left === 0)
      return { state: next, potential: 1, verdict: correct('every field without a mine is open', next.seen) };
    const all = coveredIn(state.shown) - knobs.mines;
    return { state: next, observation: written(next.seen, size), potential: 1 - left / all };
  },
  /** Where nothing follows, which he does not come to, any field without a mine. */
  expert({ seen, mines }, knobs) {
    const safe = safeFields(seen, knobs.mines, around(knobs));
    const field = safe[0] ?? [...seen].findIndex((one, at) => one === COVERED && !mines.includes(at));
    return `${Math.floor(field / knobs.size)}${field % knobs.size}`;
  },
  random({ seen }, { size }, rng) {
    const field = rng.pick([...seen].flatMap((one, at) => (one === COVERED ? [at] : [])));
    return `${Math.floor(field / size)}${field % size}`;
  },
  mutants: ({ mines, shown }, { size }) => {
    const first = [...shown].findIndex((one) => one !== COVERED);
    const name = (field: number): string => `${Math.floor(field / size)}${field % size}`;
    return {
      'a mine': name(mines[0]),
      'the field that is open': [first, first, first].map(name).join('\n'),
      'every field in one action': Array.from({ length: size * size }, (_, field) => name(field)).join(''),
    };
  },
  /** One field is left at least, and it is one of this many. */
  chance: ({ mines }) => 1 / (mines + 1),
  longest: ({ size, mines }) => ({
    turns: size * size - mines - 1,
    prompt: size * (size + 1) + 2,
    action: 2,
    observation: size * (size + 1) - 1,
    question: 360 + size * (size + 1),
  }),
});
