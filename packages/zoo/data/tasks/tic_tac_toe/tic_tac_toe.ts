/**
 * Tic-tac-toe against an opponent, from a position that is not lost. The policy is x, also where the opponent began.
 *
 *   prompt      x8o24>    the cells of the policy, then those of the opponent, numbered from 0 in rows from the top left
 *   action      6         a free cell
 *   observation x68o247>  the cells after the answer of the opponent; ? where the cell was not free
 *   won         what the position was worth to a perfect player, or more: a win, or a draw where a win cannot be forced
 *   split       by hash of the position, the same for its turned and mirrored copies
 *
 * A draw from a position that was won scores 0.5. The perfect opponent takes any of the moves that lose nothing, by chance.
 * The expert wins as soon as he can, loses as late as he can, and else takes the middle before corners, and those before
 * sides.
 */
import { correct, environmentTask, type Verdict, wrongValue } from '../../kit.ts';
import { type TicTacToeKnobs, ticTacToeCard } from './card.ts';

/** `cells`: `x` of the policy, which is to move, `o` or `.`, in rows from the top left. */
export type TicTacToeItem = { readonly cells: string };
/** `worth`: what the first position is worth to the policy, 1 or 0. */
export type TicTacToeState = TicTacToeItem & { readonly worth: number };

const LINES = ['012', '345', '678', '036', '147', '258', '048', '246'].map((line) => line.split('').map(Number));
const SIZE = 9;
const POLICY = 'x';
const OPPONENT = 'o';
/** Where each cell of a quarter turn, and of a mirror image, comes from. */
const TURNED = [6, 3, 0, 7, 4, 1, 8, 5, 2];
const MIRRORED = [2, 1, 0, 5, 4, 3, 8, 7, 6];
/** Cells in the order of how many lines they are on. */
const BY_LINES = [4, 0, 2, 6, 8, 1, 3, 5, 7];

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
const values = new Map<string, number>();

/** What a position is worth to the side that is to move, if both play as well: sooner won is more, sooner lost less, a draw 0. */
function positionValue(cells: string, side: string): number {
  const key = cells + side;
  const known = values.get(key);
  if (known !== undefined) return known;
  const free = freeCells(cells);
  let value = hasLine(cells, otherSide(side)) ? -1 - free.length : 0;
  if (value === 0 && free.length > 0) value = Math.max(...free.map((place) => moveValue(cells, place, side)));
  values.set(key, value);
  return value;
}

/** The same of a move, to the side that makes it. */
function moveValue(cells: string, place: number, side: string): number {
  return 0 - positionValue(placed(cells, place, side), otherSide(side));
}

/** What a position is worth to the side that is to move, if both play perfectly: 1 a win, 0 a draw, -1 a loss. */
export function worthOf(cells: string, side: string): number {
  return Math.sign(positionValue(cells, side));
}

/** The moves that lose nothing. */
function bestMoves(cells: string, side: string): number[] {
  const worth = worthOf(cells, side);
  return freeCells(cells).filter((place) => Math.sign(moveValue(cells, place, side)) === worth);
}

/** What the expert takes. */
function expertMove(cells: string): number {
  const best = positionValue(cells, POLICY);
  return BY_LINES.find((place) => cells[place] === '.' && moveValue(cells, place, POLICY) === best) ?? 0;
}

/** As the policy reads it: the cells of each side. */
function written(cells: string): string {
  const of = (side: string) => cells.split('').flatMap((cell, place) => (cell === side ? [place] : []));
  return `x${of('x').join('')}o${of('o').join('')}>`;
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
  characters: 'xo012345678>?',
  generate(rng, { moves }) {
    let cells = '.'.repeat(SIZE);
    for (let left = rng.int(0, moves); left > 0; left--) {
      const side = left % 2 === 0 ? POLICY : OPPONENT; // the opponent makes the last of them
      cells = placed(cells, rng.pick(freeCells(cells)), side);
      if (hasLine(cells, side)) return null;
    }
    return worthOf(cells, POLICY) < 0 ? null : { cells };
  },
  key: ({ cells }) => `tic_tac_toe|${cells}`,
  splitKey: ({ cells }) => `tic_tac_toe|${classOf(cells)}`,
  prompt: ({ cells }) => written(cells),
  question: ({ cells }) =>
    `We play tic-tac-toe, and you are x. The cells are numbered from 0 to 8, in rows from the top left. Those of x and ` +
    `those of o are ${written(cells)} Write the number of a free cell, and I say whose cells are whose after my answer.`,
  start: ({ cells }) => ({ cells, worth: worthOf(cells, POLICY) }),
  step(state, action, { opponent }, rng) {
    const { cells } = state;
    if (!/^[0-8]$/.test(action) || cells[Number(action)] !== '.') return { state, observation: '?', illegal: true };
    const own = placed(cells, Number(action), POLICY);
    if (hasLine(own, POLICY)) return ended({ ...state, cells: own }, 1);
    if (!own.includes('.')) return ended({ ...state, cells: own }, 0);
    const answers = opponent === 'perfect' ? bestMoves(own, OPPONENT) : freeCells(own);
    const next = { ...state, cells: placed(own, rng.pick(answers), OPPONENT) };
    if (hasLine(next.cells, OPPONENT)) return ended(next, -1);
    if (!next.cells.includes('.')) return ended(next, 0);
    return { state: next, observation: written(next.cells), potential: (1 + worthOf(next.cells, POLICY)) / 3 };
  },
  expert: ({ cells }) => String(expertMove(cells)),
  random: ({ cells }, _, rng) => String(rng.pick(freeCells(cells))),
  mutants: ({ cells }) => {
    const taken = cells.search(/[xo]/);
    const first = expertMove(cells);
    return {
      ...(!hasLine(placed(cells, first, POLICY), POLICY) && { 'only the first move': String(first) }),
      ...(taken >= 0 && { 'a cell that is taken': [taken, taken, taken].join('\n') }),
      'all cells in one action': freeCells(cells).join(''),
    };
  },
  /** Counted, of 20,000 games at random: 67 % against a random opponent, 36 % against a perfect one. */
  chance: ({ opponent }) => (opponent === 'random' ? 0.8 : 0.5),
  /** Most cells are taken before the last of them, by one of the two. */
  longest: ({ moves }) => ({ turns: 5, prompt: moves + 3, action: 1, observation: SIZE + 2, question: 280 }),
});

/** The potential of the end says what it is worth on the scale of those before it. */
function ended(state: TicTacToeState, outcome: number) {
  const verdict = judged(outcome, state);
  return { state, potential: verdict.score === 1 ? 1 : (1 + outcome) / 3, verdict };
}
