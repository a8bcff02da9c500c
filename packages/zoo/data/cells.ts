/** Grids of one-character cells, as tasks hold them: a text per row. */
import type { Rng } from '../../../src/kernels/philox.ts';

export type Rows = readonly string[];

/** Rows as a compact prompt has them: `12/34`. */
export function inLine(rows: Rows): string {
  return rows.join('/');
}

/** Rows as a question has them, a line each. */
export function inLines(rows: Rows): string {
  return rows.join('\n');
}

/** A grid of these rows and columns, a cell at a time. */
export function drawRows(rows: number, columns: number, draw: () => string): Rows {
  const drawn: string[] = [];
  for (let row = 0; row < rows; row++) {
    let text = '';
    for (let column = 0; column < columns; column++) text += draw();
    drawn.push(text);
  }
  return drawn;
}

/** A size from `least` to `most` for the rows, and one for the columns. */
export function drawSize(rng: Rng, least: number, most: number): readonly [rows: number, columns: number] {
  return [rng.int(least, most), rng.int(least, most)];
}

export type Place = readonly [row: number, column: number];

/** Where a cell of this kind is, in reading order. */
export function placesOf(rows: Rows, kind: string): Place[] {
  const places: Place[] = [];
  for (const [row, text] of rows.entries()) {
    for (let column = text.indexOf(kind); column >= 0; column = text.indexOf(kind, column + 1)) {
      places.push([row, column]);
    }
  }
  return places;
}

/** Steps of a cell that none leads to, and of one that may not be stepped on, the frame around the grid included. */
const UNREACHED = -1;
const CLOSED = -2;

/** A grid in one array with a frame of closed cells around it, so that each cell has four neighbours. */
class Field {
  readonly width: number;
  readonly steps: Int32Array;
  /** How far each neighbour lies from a cell. */
  readonly neighbours: readonly number[];

  constructor(rows: Rows, isOpen: (cell: string) => boolean) {
    this.width = Math.max(...rows.map(({ length }) => length)) + 2;
    this.steps = new Int32Array(this.width * (rows.length + 2)).fill(CLOSED);
    this.neighbours = [-this.width, this.width, -1, 1];
    for (const [row, text] of rows.entries()) {
      for (let column = 0; column < text.length; column++) {
        if (isOpen(text[column] as string)) this.steps[this.at(row, column)] = UNREACHED;
      }
    }
  }

  at(row: number, column: number): number {
    return (row + 1) * this.width + column + 1;
  }

  /** Writes the steps from these cells into all that can be reached; gives how many are, the first ones included. */
  spread(starts: readonly number[]): number {
    const { steps, neighbours } = this;
    const queue = [...starts];
    for (const start of starts) steps[start] = 0;
    for (let next = 0; next < queue.length; next++) {
      const place = queue[next] as number;
      for (const to of neighbours) {
        if (steps[place + to] !== UNREACHED) continue;
        steps[place + to] = (steps[place] as number) + 1;
        queue.push(place + to);
      }
    }
    return queue.length;
  }
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
  const field = new Field(rows, isOpen);
  field.spread(starts.map(([row, column]) => field.at(row, column)));
  return rows.map((text, row) =>
    Array.from(text, (_, column) => {
      const steps = field.steps[field.at(row, column)] as number;
      return steps < 0 ? undefined : steps;
    }),
  );
}

/**
 * Steps to the farthest of the cells that may be stepped on, each from the nearest of those of a kind; undefined where
 * one cannot be reached.
 */
export function stepsToFarthest(rows: Rows, kind: string, isOpen: (cell: string) => boolean): number | undefined {
  const field = new Field(rows, isOpen);
  field.spread(placesOf(rows, kind).map(([row, column]) => field.at(row, column)));
  let most = 0;
  for (const steps of field.steps) {
    if (steps === UNREACHED) return undefined;
    if (steps > most) most = steps;
  }
  return most;
}

/** Cells of the largest group of this kind whose cells are beside each other. */
export function largestGroup(rows: Rows, kind: string): number {
  const field = new Field(rows, (cell) => cell === kind);
  let most = 0;
  for (let place = 0; place < field.steps.length; place++) {
    if (field.steps[place] === UNREACHED) most = Math.max(most, field.spread([place]));
  }
  return most;
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
