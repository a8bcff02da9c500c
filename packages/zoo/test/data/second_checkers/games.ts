/**
 * Games that are played in turns, decided by rules that are written apart: an answer is the actions of an episode, a line
 * each, and right where the last of them wins. What is hidden comes with the problem.
 *
 * Where chance decides (cards, an opponent who draws), what the policy was answered is looked at too: whether a rule could
 * have given it, and who has won by it. What nobody was shown, such as the dealer's cards, leaves the end open.
 */
import type { SecondChecker } from '../../../data/index.ts';

type Turns = NonNullable<Parameters<SecondChecker>[2]>;

/** What an action leads to. */
type Outcome = 'won' | 'lost' | 'illegal' | 'on';

/** Plays the lines of an answer. @param most  turns that there are */
function wins(answer: string, most: number, act: (action: string) => Outcome): boolean {
  let broken = 0;
  for (const action of answer.split('\n').slice(0, most)) {
    const outcome = act(action);
    if (outcome === 'won') return true;
    if (outcome === 'lost') return false;
    if (outcome === 'illegal' && ++broken === 3) return false;
  }
  return false;
}

/** Letters that made-up words are of. */
const LETTERS: ReadonlySet<string> = new Set('bdgkmnaeo');

/** Actions that broke no rule, each with what it was answered; the last one may have ended the episode. */
function legalTurns(turns: Turns): { readonly action: string; readonly answer: string | undefined }[] {
  const pairs = turns.flatMap(({ from, text }, at) =>
    from === 'policy' ? [{ action: text, answer: turns.at(at + 1)?.text }] : [],
  );
  return pairs.filter(({ answer }) => answer !== '?');
}

/** @throws RangeError where no rule gives such an answer */
function require(isRight: boolean, what: string): void {
  if (!isRight) throw new RangeError(`no rule answers so: ${what}`);
}

/** By cells and mover. */
const worths = new Map<string, number>();

/** What a position of tic-tac-toe is worth to x, whoever is to move. */
function minimax(cells: string, mover: string): number {
  const known = worths.get(cells + mover);
  if (known !== undefined) return known;
  const free = [...cells].flatMap((cell, at) => (cell === '.' ? [at] : []));
  const next = (at: number): number =>
    minimax(cells.slice(0, at) + mover + cells.slice(at + 1), mover === 'x' ? 'o' : 'x');
  const over = hasThree(cells, 'x') ? 1 : hasThree(cells, 'o') ? -1 : free.length === 0 ? 0 : undefined;
  const worth = over ?? (mover === 'x' ? Math.max(...free.map(next)) : Math.min(...free.map(next)));
  worths.set(cells + mover, worth);
  return worth;
}

/** From a first cell in steps of one length: rows, columns, and both diagonals. */
const hasThree = (cells: string, side: string): boolean =>
  [
    [0, 1],
    [3, 1],
    [6, 1],
    [0, 3],
    [1, 3],
    [2, 3],
    [0, 4],
    [2, 2],
  ].some(([first, step]) => [first, first + step, first + 2 * step].every((at) => cells[at] === side));

const nimSum = (heaps: readonly number[]): number => heaps.reduce((all, heap) => all ^ heap, 0);

/** Fields of a board around one, corners included. */
function around(row: number, column: number, size: number): [number, number][] {
  const found: [number, number][] = [];
  for (let y = row - 1; y <= row + 1; y++)
    for (let x = column - 1; x <= column + 1; x++)
      if (x >= 0 && y >= 0 && x < size && y < size && !(x === column && y === row)) found.push([y, x]);
  return found;
}

const STEPS: Readonly<Record<string, readonly [number, number]>> = { U: [-1, 0], D: [1, 0], L: [0, -1], R: [0, 1] };

export const GAMES: Readonly<Record<string, SecondChecker>> = {
  mastermind({ identity, knobs }, answer) {
    const { code } = identity as { readonly code: string };
    const { pegs, colours, turns } = knobs as {
      readonly pegs: number;
      readonly colours: number;
      readonly turns: number;
    };
    const isCode = (text: string): boolean =>
      text.length === pegs && [...text].every((digit) => digit >= '0' && digit < String(colours));
    return wins(answer, turns, (guess) => (!isCode(guess) ? 'illegal' : guess === code ? 'won' : 'on'));
  },

  wordle({ prompt, identity, knobs }, answer) {
    const { hidden } = identity as { readonly hidden: string };
    const listed = prompt.slice(0, -1).split(' ');
    const { turns } = knobs as { readonly turns: number };
    return wins(answer, turns, (guess) => (!listed.includes(guess) ? 'illegal' : guess === hidden ? 'won' : 'on'));
  },

  hangman({ identity, knobs }, answer) {
    const { hidden } = identity as { readonly hidden: string };
    const { length, misses } = knobs as { readonly length: number; readonly misses: number };
    const toFind = new Set(hidden);
    const said = new Set<string>();
    let missed = 0;
    return wins(answer, length + misses, (letter) => {
      if (!/^[a-z]$/.test(letter) || !LETTERS.has(letter) || said.has(letter)) return 'illegal';
      said.add(letter);
      if (!toFind.delete(letter)) return ++missed > misses ? 'lost' : 'on';
      return toFind.size === 0 ? 'won' : 'on';
    });
  },

  minesweeper({ prompt, identity, knobs }, answer) {
    const { mines } = identity as { readonly mines: readonly number[] };
    const { size } = knobs as { readonly size: number };
    const mined = new Set(mines);
    const open = new Set<number>();
    const uncover = (field: number): void => {
      if (open.has(field)) return;
      open.add(field);
      const near = around(Math.floor(field / size), field % size, size).map(([row, column]) => row * size + column);
      if (!near.some((other) => mined.has(other))) for (const other of near) uncover(other);
    };
    const shown = prompt.slice(prompt.indexOf(' ') + 1, -1).replaceAll('/', '');
    for (const [field, one] of [...shown].entries()) if (one !== '#') uncover(field);
    return wins(answer, size * size - mines.length - 1, (action) => {
      const [, row, column] = /^(\d)(\d)$/.exec(action) ?? [];
      if (row === undefined || Number(row) >= size || Number(column) >= size) return 'illegal';
      const field = Number(row) * size + Number(column);
      if (open.has(field)) return 'illegal';
      if (mined.has(field)) return 'lost';
      uncover(field);
      return open.size === size * size - mines.length ? 'won' : 'on';
    });
  },

  sokoban({ prompt, knobs }, answer) {
    const rows = prompt.slice(0, -1).split('/');
    const { turns } = knobs as { readonly turns: number };
    const at = (marks: string): string[] =>
      rows.flatMap((row, y) => [...row].flatMap((mark, x) => (marks.includes(mark) ? [`${y},${x}`] : [])));
    const [places, boxes] = [new Set(at('oPB')), new Set(at('bB'))];
    let [player] = at('pP').map((field) => field.split(',').map(Number));
    const isFree = ([y, x]: readonly number[]): boolean => rows[y]?.[x] !== undefined && rows[y][x] !== '#';
    return wins(answer, turns, (move) => {
      const step = Object.hasOwn(STEPS, move) ? STEPS[move] : undefined;
      if (step === undefined) return 'illegal';
      const next = player.map((part, i) => part + step[i]);
      if (!isFree(next)) return 'on';
      if (boxes.has(next.join())) {
        const behind = next.map((part, i) => part + step[i]);
        if (!isFree(behind) || boxes.has(behind.join())) return 'on';
        boxes.delete(next.join());
        boxes.add(behind.join());
      }
      player = next;
      return [...boxes].every((box) => places.has(box)) ? 'won' : 'on';
    });
  },

  nim({ prompt, knobs }, _, turns) {
    if (turns === undefined) return undefined;
    let heaps = [...prompt.slice(0, -1)].map(Number);
    for (const { action, answer } of legalTurns(turns)) {
      const heap = 'abcde'.indexOf(action[0]);
      const own = heaps.with(heap, heaps[heap] - Number(action[1]));
      if (own.every((count) => count === 0)) return true;
      if (answer === undefined) return false; // the opponent took the last thing
      heaps = [...answer].map(Number);
      const changed = heaps.flatMap((count, at) => (count === own[at] ? [] : [own[at] - count]));
      require(changed.length === 1 && changed[0] > 0, `${own.join('')} became ${answer}`);
      const isPerfect = (knobs as { readonly opponent: string }).opponent === 'perfect';
      if (isPerfect && nimSum(own) !== 0) require(nimSum(heaps) === 0, `${answer} is no perfect taking`);
    }
    return false;
  },

  tic_tac_toe({ prompt, knobs }, _, turns) {
    if (turns === undefined) return undefined;
    const boardOf = (text: string): string => {
      const [, ofX = '', ofO = ''] = /^x(\d*)o(\d*)>$/.exec(text) ?? [];
      return [...'012345678'].map((at) => (ofX.includes(at) ? 'x' : ofO.includes(at) ? 'o' : '.')).join('');
    };
    let cells = boardOf(prompt);
    const worth = minimax(cells, 'x');
    for (const { action, answer } of legalTurns(turns)) {
      const own = `${cells.slice(0, Number(action))}x${cells.slice(Number(action) + 1)}`;
      if (hasThree(own, 'x')) return true;
      const free = own.split('.').length - 1;
      if (free === 0) return worth <= 0;
      // The last cell is the opponent's, and nobody was shown it.
      if (answer === undefined) return free === 1 && !hasThree(own.replace('.', 'o'), 'o') && worth <= 0;
      cells = boardOf(answer);
      const changed = [...cells].flatMap((cell, at) => (cell === own[at] ? [] : [own[at] + cell]));
      require(changed.join() === '.o', `${own} became ${answer}`);
      const isPerfect = (knobs as { readonly opponent: string }).opponent === 'perfect';
      if (isPerfect) require(minimax(cells, 'x') === minimax(own, 'o'), `${answer} is no perfect move`);
    }
    return false;
  },

  blackjack({ prompt }, _, turns) {
    if (turns === undefined) return undefined;
    const cards = [...prompt.split(' ')[0]];
    const total = (): number => {
      const points = cards.reduce((sum, card) => sum + (card === 'A' ? 1 : card === 'T' ? 10 : Number(card)), 0);
      return cards.includes('A') && points <= 11 ? points + 10 : points;
    };
    for (const { action, answer } of legalTurns(turns)) {
      if (action === 's' || answer === undefined) return undefined; // the dealer's cards are not shown
      const [card, said] = answer.split(' ');
      cards.push(card);
      require(/^[A2-9T]$/.test(card) &&
        (said === undefined || Number(said) === total()), `${cards.join('')} is ${said}`);
      require(total() <= 21, `${cards.join('')} goes on`);
    }
    return false;
  },

  kuhn_poker({ prompt }, _, turns) {
    if (turns === undefined) return undefined;
    const seat = prompt.split(' ')[1];
    const actions = legalTurns(turns);
    const last = actions.at(-1)?.action;
    require(actions.length <= (seat === '1' ? 2 : 1), `${actions.length} actions from seat ${seat}`);
    if (actions.length === 2) require(actions[0].action === 'p' && actions[0].answer === 'b', 'a bet after a pass');
    // Two chips are won with a bet alone, and whether it wins depends on a card that is not shown.
    return last === 'b' ? undefined : false;
  },
};
