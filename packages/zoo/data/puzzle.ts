/** Puzzles of one-character cells that are filled in: any grid that keeps the rules is right. */
import { correct } from '../../../src/data/judge.ts';
import type { Rng } from '../../../src/kernels/philox.ts';
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';
import { illegal, malformed, missing, wrongValue } from '../../../src/rewards/reject.ts';
import type { Verdict } from '../../../src/rewards/verdict.ts';
import { type GridShape, readRows } from '../parsing/grid.ts';
import { inLine, type Rows } from './cells.ts';
import type { NearMisses } from './near_misses.ts';

/** A cell that is open. */
export const HOLE = '_';

/** A grid with open cells that an answer has to fill. */
export interface FilledGrid {
  /** What was given, [rows][columns]: any character but `open` must be there in the answer too. */
  readonly given: Rows;
  /** What marks a cell that is open; default `HOLE`. */
  readonly open?: string;
  /** What a cell may be filled with. */
  readonly symbols: string;
  readonly between?: GridShape['between'];
  /** The rule that a filled grid breaks; undefined where it keeps all. */
  broken(rows: Rows): string | undefined;
}

/** By the rules alone: form, what was given, then what the puzzle asks. Total and pure. */
export function judgeFilledGrid(answer: string, puzzle: FilledGrid): Verdict {
  const { given, open = HOLE, symbols, between = ['\n', '/'], broken } = puzzle;
  const reading = readRows(answer, { rows: given.length, columns: (given[0] as string).length, between });
  if (!reading.ok) return trimAscii(answer) === '' ? missing('the answer is empty') : malformed(reading.reason);
  const { rows } = reading;
  if (!rows.every((row) => isOf(symbols, row))) return malformed('a cell holds what no cell can');
  const canonical = inLine(rows);
  const isKept = given.every((text, y) => agrees(text, rows[y] as string, open));
  if (!isKept) return { ...illegal('a cell that was given is changed'), canonical };
  const rule = broken(rows);
  return rule === undefined ? correct('it keeps every rule', canonical) : { ...wrongValue(rule), canonical };
}

/** Whether a text is made of these characters alone. */
function isOf(symbols: string, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!symbols.includes(text[i] as string)) return false;
  return true;
}

/** Whether a row has what is given of it. */
function agrees(given: string, row: string, open: string): boolean {
  for (let x = 0; x < given.length; x++) if (given[x] !== open && given[x] !== row[x]) return false;
  return true;
}

const ZERO = '0'.charCodeAt(0);

/** Whether a digit is in a line of digits twice: none is in a line of so many digits that has each of them. */
export function repeats(line: string): boolean {
  let seen = 0;
  for (let i = 0; i < line.length; i++) {
    const digit = 1 << (line.charCodeAt(i) - ZERO);
    if ((seen & digit) !== 0) return true;
    seen |= digit;
  }
  return false;
}

/** A solved grid with exactly `holes` of its cells open. */
export function withHoles(rng: Rng, rows: Rows, holes: number): Rows {
  const width = (rows[0] as string).length;
  const cells = rows.join('').split('');
  const places = rng.shuffle(cells.map((_, place) => place));
  for (const place of places.slice(0, holes)) cells[place] = HOLE;
  return rows.map((_, y) => cells.slice(y * width, (y + 1) * width).join(''));
}

/** The columns of a square grid. */
export function columnsOf(rows: Rows): Rows {
  return rows.map((_, x) => {
    let column = '';
    for (const row of rows) column += row[x];
    return column;
  });
}

/**
 * Near misses of a solved puzzle in which no cell can be another by itself.
 *
 * @param fills  what every open cell is filled with alike, in echoes of the puzzle: a symbol each
 */
export function filledGridMisses(solution: Rows, given: Rows, symbols: string, fills: string): NearMisses {
  const right = inLine(solution);
  const cells = right.split('');
  const place = cells.findIndex((cell, i) => cell !== '/' && inLine(given)[i] !== cell);
  const at = Math.max(0, place); // the first open cell
  const other = symbols.split('').find((symbol) => symbol !== cells[at]) as string; // there are two symbols or more
  const texts: NearMisses = {
    'one cell changed': cells.map((cell, i) => (i === at ? other : cell)).join(''),
    'one cell open': cells.map((cell, i) => (i === at ? HOLE : cell)).join(''),
    'left as given': inLine(given),
    ...Object.fromEntries(
      fills.split('').map((fill) => [`open cells all ${fill}`, inLine(given).replaceAll(/[_.]/g, fill)]),
    ),
    'row dropped': inLine(solution.slice(1)),
    'row doubled': inLine([solution[0] as string, ...solution]),
    'column dropped': inLine(solution.map((row) => row.slice(1))),
    'given twice': `${right}/${right}`,
    'separator behind it': `${right}/`,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== right));
}
