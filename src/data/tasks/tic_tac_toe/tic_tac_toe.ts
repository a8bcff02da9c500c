/**
 * Tic-tac-toe against an opponent, from a position that is not lost.
 *
 *   prompt      ..x.o....x>    the cells in rows from the top left, and the side of the policy, which is to move
 *   action      2              a free cell, numbered from 0
 *   observation ..x.o.xo.      the cells after the answer of the opponent; ? where the cell was not free
 *   won         what the position was worth to a perfect player, or more: a win, or a draw where no more can be forced
 *   split       by hash of the position, the same for its turned and mirrored copies
 *
 * A draw from a position that was won scores 0.5. The perfect opponent takes any of the best moves, by chance.
 */
import { wrongValue } from '../../../rewards/reject.ts';
import type { Verdict } from '../../../rewards/verdict.ts';
import { environmentTask } from '../../environment_task.ts';
import { correct } from '../../judge.ts';
import { type TicTacToeKnobs, ticTacToeCard } from './card.ts';

/** `cells`: `x`, `o` or `.`; `side`: whose turn it is. */
export type TicTacToeItem = { readonly cells: string; readonly side: 'x' | 'o' };
/** `worth`: what the first position is worth to `side`, 1 or 0. */
export type TicTacToeState = TicTacToeItem & { readonly worth: number };

const LINES = ['012', '345', '678', '036', '147', '258', '048', '246'].map((line) => line.split('').map(Number));
const SIZE = 9;
/** Where each cell of a quarter turn, and of a mirror image, comes from. */
const TURNED = [6, 3, 0, 7, 4, 1, 8, 5, 2];
const MIRRORED = [2, 1, 0, 5, 4, 3, 8, 7, 6];

const otherSide = (side: string): 'x' | 'o' => (side === 'x' ? 'o' : 'x');

function freeCells(cells: string): number[] {
  return cells.split('').flatMap((cell, place) => (cell === '.' ? [place] : []));
}

function placed(cells: string, place: number, side: string): string {
  return cells.slice(0, place) + side + cells.slice(place + 1);
}

function hasLine(cells: string, side: string): boolean {
  return LINES.some((line) => line.every((place) => cells[place] === side));
}

/** By position and side: there are fewer than 20,000. */
const worths = new Map<string, number>();

/** What a position is worth to the side that is to move, if both play perfectly: 1 a win, 0 a draw, -1 a loss. */
export function worthOf(cells: string, side: string): number {
  const key = cells + side;
  const known = worths.get(key);
  if (known !== undefined) return known;
  const free = freeCells(cells);
  let worth = hasLine(cells, otherSide(side)) ? -1 : 0;
  if (worth === 0 && free.length > 0) worth = Math.max(...free.map((place) => worthOfMove(cells, place, side)));
  worths.set(key, worth);
  return worth;
}

/** The same of a move, to the side that makes it. */
function worthOfMove(cells: string, place: number, side: string): number {
  return 0 - worthOf(placed(cells, place, side), otherSide(side));
}

/** The moves that lose nothing. */
function bestMoves(cells: string, side: string): number[] {
  const worth = worthOf(cells, side);
  return freeCells(cells).filter((place) => worthOfMove(cells, place, side) === worth);
}

/** The first of the eight turned and mirrored copies, so that all of them are on one side of the split. */
function classOf(cells: string): string {
  const copies: string[] = [];
  let copy = cells;
  for (let turn = 0; turn < 4; turn++) {
    copies.push(copy, MIRRORED.map((place) => copy[place]).join(''));
    copy = TURNED.map((place) => copy[place]).join('');
  }
  return copies.sort()[0];
}

const OUTCOMES = ['lost', 'a draw', 'won'];

/** @param outcome  1, 0 or -1, to the policy */
function judged(outcome: number, { worth, cells }: TicTacToeState): Verdict {
  if (outcome >= worth) return correct(OUTCOMES[outcome + 1], cells);
  const said = `${OUTCOMES[outcome + 1]}, where a perfect player had ${OUTCOMES[worth + 1]}`;
  return outcome === 0 ? { ...wrongValue(said), score: 0.5, failure: 'partial' } : wrongValue(said);
}

export const ticTacToe = environmentTask<TicTacToeItem, TicTacToeState, TicTacToeKnobs>(ticTacToeCard, {
  family: 'tic_tac_toe',
  characters: '.xo012345678>?',
  generate(rng, { moves }) {
    let cells = '.'.repeat(SIZE);
    let side: 'x' | 'o' = 'x';
    for (let made = rng.int(0, moves); made > 0; made--) {
      cells = placed(cells, rng.pick(freeCells(cells)), side);
      if (hasLine(cells, side)) return null;
      side = otherSide(side);
    }
    return worthOf(cells, side) < 0 ? null : { cells, side };
  },
  key: ({ cells }) => `tic_tac_toe|${cells}`,
  splitKey: ({ cells }) => `tic_tac_toe|${classOf(cells)}`,
  prompt: ({ cells, side }) => `${cells}${side}>`,
  question: ({ cells, side }) =>
    `We play tic-tac-toe, and you are ${side}. The cells are numbered from 0 to 8, in rows from the top left, and look ` +
    `like this: ${cells}. Write the number of a free cell, and I show the cells after my answer.`,
  start: (item) => ({ ...item, worth: worthOf(item.cells, item.side) }),
  step(state, action, { opponent }, rng) {
    const { cells, side } = state;
    if (!/^[0-8]$/.test(action) || cells[Number(action)] !== '.') return { state, observation: '?', illegal: true };
    const own = placed(cells, Number(action), side);
    if (hasLine(own, side)) return ended({ ...state, cells: own }, 1);
    if (!own.includes('.')) return ended({ ...state, cells: own }, 0);
    const other = otherSide(side);
    const answers = opponent === 'perfect' ? bestMoves(own, other) : freeCells(own);
    const next = { ...state, cells: placed(own, rng.pick(answers), other) };
    if (hasLine(next.cells, other)) return ended(next, -1);
    if (!next.cells.includes('.')) return ended(next, 0);
    return { state: next, observation: next.cells, potential: (1 + worthOf(next.cells, side)) / 3 };
  },
  expert: ({ cells, side }) => String(bestMoves(cells, side)[0]),
  random: ({ cells }, _, rng) => String(rng.pick(freeCells(cells))),
  mutants: ({ cells, side }) => {
    const taken = cells.search(/[xo]/);
    const [first] = bestMoves(cells, side);
    return {
      ...(!hasLine(placed(cells, first, side), side) && { 'only the first move': String(first) }),
      ...(taken >= 0 && { 'a cell that is taken': [taken, taken, taken].join('\n') }),
      'all cells in one action': freeCells(cells).join(''),
    };
  },
  /** Counted, of 20,000 games at random: 67 % against a random opponent, 36 % against a perfect one. */
  chance: ({ opponent }) => (opponent === 'random' ? 0.8 : 0.5),
  longest: () => ({ turns: 5, prompt: SIZE + 2, action: 1, observation: SIZE, question: 260 }),
});

/** The potential of the end says what it is worth on the scale of those before it. */
function ended(state: TicTacToeState, outcome: number) {
  const verdict = judged(outcome, state);
  return { state, potential: verdict.score === 1 ? 1 : (1 + outcome) / 3, verdict };
}
