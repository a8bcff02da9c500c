/**
 * A grid as an answer: of exactly `rows` rows of exactly `columns` cells.
 *
 * Rows end with a line break, or where `rows` says so with `/` or not at all. Cells are separated by single spaces or
 * by commas, or not at all where each is one character; one way for all of the grid.
 */
import { trimAscii } from '../../../src/parsing/trim_ascii.ts';

const MAX_GRID_LENGTH = 4096;

/** How large a grid has to be, and how its rows may be set apart. */
export interface GridShape {
  readonly rows: number;
  readonly columns: number;
  /** What may separate rows; default: a line break alone. `''`: rows of one-character cells, joined. */
  readonly between?: readonly ('\n' | '/' | '')[];
}

/** [rows][columns] texts of the cells, or why the answer is no such grid. */
export type GridReading =
  | { readonly ok: true; readonly cells: readonly (readonly string[])[] }
  | { readonly ok: false; readonly reason: string };

export type RowsReading =
  | { readonly ok: true; readonly rows: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Rows as they are written, and what separates their cells; `''`: each cell is one character. */
interface Lines {
  readonly lines: readonly string[];
  readonly separator: '' | ' ' | ',' | ', ';
}

/** The cells of a grid, [rows][columns], none of them empty. Total and pure. */
export function readGrid(answer: string, shape: GridShape): GridReading {
  const read = readLines(answer, shape);
  if (typeof read === 'string') return { ok: false, reason: read };
  return { ok: true, cells: read.lines.map((line) => line.split(read.separator)) };
}

/** The rows of a grid whose cells are one character each, a text per row. Total and pure. */
export function readRows(answer: string, shape: GridShape): RowsReading {
  const read = readLines(answer, shape);
  if (typeof read === 'string') return { ok: false, reason: read };
  const { lines, separator } = read;
  if (separator === '') return { ok: true, rows: lines };
  const rows = lines.map((line) => line.replaceAll(separator, ''));
  if (rows.every((row) => row.length === shape.columns)) return { ok: true, rows };
  return { ok: false, reason: 'a cell has more than one character' };
}

/** What is written, or why it is no grid. */
function readLines(answer: string, { rows, columns, between = ['\n'] }: GridShape): Lines | string {
  const text = trimAscii(answer).replaceAll('\r\n', '\n');
  if (text === '') return 'the answer is empty';
  if (text.length > MAX_GRID_LENGTH) return `longer than ${MAX_GRID_LENGTH} characters`;
  for (const end of between) {
    const lines = end === '' ? joinedLines(text, rows, columns) : text.split(end);
    const separator = lines?.length === rows ? separatorOf(lines, columns) : undefined;
    if (lines !== undefined && separator !== undefined) return { lines, separator };
  }
  return `not ${rows} rows of ${columns} cells`;
}

/** Rows without anything between them or their cells. */
function joinedLines(text: string, rows: number, columns: number): string[] | undefined {
  if (text.length !== rows * columns) return undefined;
  return Array.from({ length: rows }, (_, row) => text.slice(row * columns, (row + 1) * columns));
}

/** What a cell is made of, and a row of them with nothing in between. */
const CELL = /^[^\s,/]+$/;

/** What separates the cells in all rows alike; undefined where a row has another number of them. */
function separatorOf(lines: readonly string[], columns: number): Lines['separator'] | undefined {
  if (lines.every((line) => line.length === columns && CELL.test(line))) return '';
  for (const separator of [' ', ',', ', '] as const) {
    if ((lines[0] as string).split(separator).length !== columns) continue;
    const isWhole = (line: string): boolean => {
      const cells = line.split(separator);
      return cells.length === columns && cells.every((cell) => CELL.test(cell));
    };
    if (lines.every(isWhole)) return separator;
  }
  return undefined;
}
