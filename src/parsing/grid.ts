/**
 * A grid as an answer: exactly so many rows of exactly so many cells.
 *
 * Rows end with a line break, or where `rows` says so with `/` or not at all. Cells are separated by single spaces or
 * by commas, or not at all where each is one character; one way for all of the grid.
 */
import { trimAscii } from './trim_ascii.ts';

export const MAX_GRID_LENGTH = 4096;

export interface GridShape {
  readonly rows: number;
  readonly columns: number;
  /** What may stand between rows; default: a line break alone. `''`: rows of one-character cells behind each other. */
  readonly between?: readonly ('\n' | '/' | '')[];
}

export type GridReading =
  | { readonly ok: true; readonly cells: readonly (readonly string[])[] }
  | { readonly ok: false; readonly reason: string };

const failed = (reason: string): GridReading => ({ ok: false, reason });

/** The cells of a grid, [rows][columns], none of them empty. Total and pure. */
export function readGrid(answer: string, { rows, columns, between = ['\n'] }: GridShape): GridReading {
  const text = trimAscii(answer).replaceAll('\r\n', '\n');
  if (text === '') return failed('the answer is empty');
  if (text.length > MAX_GRID_LENGTH) return failed(`longer than ${MAX_GRID_LENGTH} characters`);
  for (const separator of between) {
    const lines = separator === '' ? joinedLines(text, rows, columns) : text.split(separator);
    const cells = lines?.length === rows ? cellsOf(lines, columns) : undefined;
    if (cells !== undefined) return { ok: true, cells };
  }
  return failed(`not ${rows} rows of ${columns} cells`);
}

/** Rows without anything between them or their cells. */
function joinedLines(text: string, rows: number, columns: number): string[] | undefined {
  if (text.length !== rows * columns) return undefined;
  return Array.from({ length: rows }, (_, row) => text.slice(row * columns, (row + 1) * columns));
}

/** What a cell is made of, and a row of them with nothing in between. */
const CELL = /^[^\s,/]+$/;

function cellsOf(lines: readonly string[], columns: number): string[][] | undefined {
  for (const separator of [' ', ',', ', ', '']) {
    if ((lines[0] as string).split(separator).length !== columns) continue;
    const cells = lines.map((line) => line.split(separator));
    const isWhole = (row: readonly string[], index: number): boolean =>
      row.length === columns &&
      (separator === '' ? CELL.test(lines[index] as string) : row.every((cell) => CELL.test(cell)));
    if (cells.every(isWhole)) return cells;
  }
  return undefined;
}
