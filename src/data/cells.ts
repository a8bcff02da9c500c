/** Grids of one-character cells, as tasks hold them: a text per row. */
import type { Rng } from '../kernels/philox.ts';

export type Rows = readonly string[];

/** Rows as a compact prompt has them: `12/34`. */
export function inLine(rows: Rows): string {
  return rows.join('/');
}

/** Rows as a question has them, a line each. */
export function inLines(rows: Rows): string {
  return rows.join('\n');
}

/** A grid of so many rows and columns, a cell at a time. */
export function drawRows(rows: number, columns: number, draw: () => string): Rows {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, draw).join(''));
}

/** A size from `least` to `most` for the rows, and one for the columns. */
export function drawSize(rng: Rng, least: number, most: number): readonly [rows: number, columns: number] {
  return [rng.int(least, most), rng.int(least, most)];
}

export type Place = readonly [row: number, column: number];

/** The cells beside one: above, below, left and right, inside the grid. */
export function beside(rows: Rows, [row, column]: Place): Place[] {
  const all: Place[] = [
    [row - 1, column],
    [row + 1, column],
    [row, column - 1],
    [row, column + 1],
  ];
  return all.filter(([y, x]) => rows[y]?.[x] !== undefined);
}

/** Where a cell of this kind is, in reading order. */
export function placesOf(rows: Rows, kind: string): Place[] {
  return rows.flatMap((text, row) =>
    text.split('').flatMap((cell, column) => (cell === kind ? [[row, column] as const] : [])),
  );
}

/**
 * Steps from the nearest of some cells to each that can be reached, [rows][columns]; undefined where none leads there.
 *
 * @param isOpen  whether a cell may be stepped on
 */
export function stepsFrom(
  rows: Rows,
  starts: readonly Place[],
  isOpen: (cell: string) => boolean,
): (number | undefined)[][] {
  const steps = rows.map((text) => text.split('').map((): number | undefined => undefined));
  const at = ([row, column]: Place): number | undefined => steps[row]?.[column];
  let frontier = [...starts];
  for (const [row, column] of starts) (steps[row] as number[])[column] = 0;
  for (let distance = 1; frontier.length > 0; distance++) {
    const next: Place[] = [];
    for (const place of frontier) {
      for (const other of beside(rows, place)) {
        const [row, column] = other;
        if (at(other) !== undefined || !isOpen((rows[row] as string)[column] as string)) continue;
        (steps[row] as (number | undefined)[])[column] = distance;
        next.push(other);
      }
    }
    frontier = next;
  }
  return steps;
}

/** The first, by code unit, of the eight forms that a grid takes when it is turned and mirrored, in a line. */
export function leastForm(rows: Rows): string {
  const turned = (rows[0] as string).split('').map((_, x) => rows.map((row) => row[x]).join(''));
  const forms = [rows, turned].flatMap((one) => {
    const mirrored = one.map((row) => row.split('').reverse().join(''));
    return [one, mirrored, [...one].reverse(), [...mirrored].reverse()].map(inLine);
  });
  return forms.sort()[0] as string;
}

/** Near misses of a grid of digits. */
export function gridMisses(rows: Rows, given: Rows, other: string): Record<string, string> {
  const right = inLine(rows);
  const first = rows[0] as string;
  const texts: Record<string, string> = {
    'one cell changed': inLine([(first[0] === other ? 'x' : other) + first.slice(1), ...rows.slice(1)]),
    'row dropped': inLine(rows.slice(1)) || 'x',
    'row doubled': inLine([first, ...rows]),
    'column dropped': inLine(rows.map((row) => row.slice(1) || 'x')),
    'left as given': inLine(given),
    'rows in the opposite order': inLine([...rows].reverse()),
    'given twice': `${right}/${right}`,
    'separator behind it': `${right}/`,
  };
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== right));
}
