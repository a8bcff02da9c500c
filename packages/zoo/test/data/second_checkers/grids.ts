/** The tasks of grids, decided from their prompts cell by cell. */
import type { SecondChecker } from '../../../data/index.ts';
import { asked, bare, isNumberOrNone, wholeNumber } from './notation.ts';

/** The cells of an answer of one-character cells: rows by line breaks or `/`, cells joined, or by a space or comma. */
export function cellsOf(answer: string, rows: number, columns: number): string[][] | undefined {
  const text = bare(answer).replaceAll('\r\n', '\n');
  for (const between of ['\n', '/']) {
    const lines = text.split(between);
    if (lines.length !== rows) continue;
    for (const separator of [' ', ',', ', ', '']) {
      const cells = lines.map((line) => line.split(separator));
      if (cells.every((row) => row.length === columns && row.every((cell) => /^[^\s,/]+$/.test(cell)))) return cells;
    }
  }
  return undefined;
}

/** Whether an answer is this grid, cell by cell. */
function isGrid(
  answer: string,
  rows: number,
  columns: number,
  cellAt: (row: number, column: number) => string,
): boolean {
  const cells = cellsOf(answer, rows, columns);
  return cells?.every((row, y) => row.every((cell, x) => cell === cellAt(y, x))) ?? false;
}

const gridOf = (text: string): string[] => text.split('/');

export const GRIDS: Readonly<Record<string, SecondChecker>> = {
  rotate_matrix({ prompt }, answer) {
    const [turns = '', text = ''] = asked(prompt, /^rot ([0-9]+) ([0-9/]+)>$/);
    const rows = gridOf(text);
    const [h, w] = [rows.length, rows[0]?.length as number];
    const quarter = Number(turns) % 4;
    const source = (y: number, x: number): string => {
      if (quarter === 0) return rows[y]?.[x] as string;
      if (quarter === 1) return rows[h - 1 - x]?.[y] as string;
      if (quarter === 2) return rows[h - 1 - y]?.[w - 1 - x] as string;
      return rows[x]?.[w - 1 - y] as string;
    };
    return quarter % 2 === 0 ? isGrid(answer, h, w, source) : isGrid(answer, w, h, source);
  },

  spiral_matrix({ prompt }, answer) {
    let rows = gridOf(asked(prompt, /^spiral ([0-9/]+)>$/)[0] as string);
    let spiral = '';
    while (rows.length > 0) {
      spiral += rows[0];
      const rest = rows.slice(1);
      // What is left, turned against the clock.
      const width = rest[0]?.length ?? 0;
      rows = Array.from({ length: width }, (_, i) => rest.map((row) => row[width - 1 - i]).join(''));
    }
    return bare(answer) === spiral;
  },

  binary_matrix({ prompt }, answer) {
    const rows = gridOf(asked(prompt, /^near ([01/]+)>$/)[0] as string);
    const distance = (y: number, x: number): string => {
      let least = 99;
      for (const [row, text] of rows.entries()) {
        for (const [column, cell] of [...text].entries()) {
          if (cell === '0') least = Math.min(least, Math.abs(row - y) + Math.abs(column - x));
        }
      }
      return String(least);
    };
    return isGrid(answer, rows.length, rows[0]?.length as number, distance);
  },

  rotten_oranges({ prompt }, answer) {
    let rows = gridOf(asked(prompt, /^rot ([012/]+)>$/)[0] as string);
    let minutes = 0;
    for (;;) {
      const isRotten = (y: number, x: number): boolean => rows[y]?.[x] === '2';
      const next = rows.map((text, y) =>
        [...text]
          .map((cell, x) =>
            cell === '1' && (isRotten(y - 1, x) || isRotten(y + 1, x) || isRotten(y, x - 1) || isRotten(y, x + 1))
              ? '2'
              : cell,
          )
          .join(''),
      );
      if (next.join() === rows.join()) break;
      rows = next;
      minutes++;
    }
    return isNumberOrNone(answer, rows.join('').includes('1') ? 'none' : String(minutes));
  },

  largest_island({ prompt }, answer) {
    const rows = gridOf(asked(prompt, /^isle ([01/]+)>$/)[0] as string);
    const width = rows[0]?.length as number;
    // Each land cell has its number; the smaller of two neighbours' spreads until nothing changes.
    const names = [...rows.join('')].map((cell, i) => (cell === '1' ? i : -1));
    for (let changed = true; changed; ) {
      changed = false;
      names.forEach((name, i) => {
        if (name < 0) return;
        for (const other of [
          i - width,
          i + width,
          ...(i % width > 0 ? [i - 1] : []),
          ...(i % width < width - 1 ? [i + 1] : []),
        ]) {
          const near = names[other] ?? -1;
          if (near >= 0 && near < (names[i] as number)) {
            names[i] = near;
            changed = true;
          }
        }
      });
    }
    const sizes = names.filter((name) => name >= 0).map((name) => names.filter((one) => one === name).length);
    return wholeNumber(answer) === BigInt(Math.max(0, ...sizes));
  },

  game_of_life({ prompt }, answer) {
    const [steps = '', text = ''] = asked(prompt, /^life ([0-9]+) ([01/]+)>$/);
    const rows = gridOf(text);
    const [h, w] = [rows.length, rows[0]?.length as number];
    let alive = new Set(rows.flatMap((row, y) => [...row].flatMap((cell, x) => (cell === '1' ? [y * w + x] : []))));
    for (let step = 0; step < Number(steps); step++) {
      const counts = new Map<number, number>();
      for (const cell of alive) {
        const [y, x] = [Math.floor(cell / w), cell % w];
        for (const [dy, dx] of /* biome-ignore format: a list */ [
          [-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1],
        ] as const) {
          const other = ((y + dy + h) % h) * w + ((x + dx + w) % w);
          counts.set(other, (counts.get(other) ?? 0) + 1);
        }
      }
      alive = new Set(
        [...counts].filter(([cell, count]) => count === 3 || (count === 2 && alive.has(cell))).map(([cell]) => cell),
      );
    }
    return isGrid(answer, h, w, (y, x) => (alive.has(y * w + x) ? '1' : '0'));
  },

  manipulate_matrix({ prompt }, answer) {
    const [codes = '', text = ''] = asked(prompt, /^mat ([a-z0-9 ]+): ([0-9/]+)>$/);
    const rows = gridOf(text);
    type Source = (y: number, x: number) => readonly [number, number];
    let [h, w] = [rows.length, rows[0]?.length as number];
    const sources: Source[] = [];
    const changes: ((digit: number) => number)[] = [];
    // Where each cell comes from, and what becomes of a digit: neither asks for the other.
    for (const code of codes.split(' ')) {
      const [height, width] = [h, w];
      const [a, b] = [Number(code[1]), Number(code[2])];
      const behind = (i: number): number => i + Math.floor(i / (a - 1));
      switch (code[0]) {
        case 'r':
          sources.push((y, x) => [height - 1 - x, y]);
          break;
        case 'h':
          sources.push((y, x) => [y, width - 1 - x]);
          break;
        case 'v':
          sources.push((y, x) => [height - 1 - y, x]);
          break;
        case 'd':
          sources.push((y, x) => [x, y]);
          break;
        case 'c':
          sources.push((y, x) => [height - 1 - x, width - 1 - y]);
          break;
        case 'k':
          sources.push((y, x) => [y + a - 1, x]);
          h = b - a + 1;
          break;
        case 'l':
          sources.push((y, x) => [y, x + a - 1]);
          w = b - a + 1;
          break;
        case 'p':
          sources.push((y, x) => [behind(y), x]);
          h -= Math.floor(h / a);
          break;
        case 'q':
          sources.push((y, x) => [y, behind(x)]);
          w -= Math.floor(w / a);
          break;
        case 'm':
          changes.push((digit) => (digit === a ? b : digit));
          break;
        default:
          changes.push((digit) => (digit % a > 0 ? digit : 0));
      }
      if ('rdc'.includes(code[0] as string)) [h, w] = [w, h];
    }
    const cellAt = (row: number, column: number): string => {
      const [y, x] = sources.reduceRight<readonly [number, number]>(
        (place, source) => source(place[0], place[1]),
        [row, column],
      );
      return String(changes.reduce((digit, change) => change(digit), Number(rows[y]?.[x])));
    };
    return isGrid(answer, h, w, cellAt);
  },
};
