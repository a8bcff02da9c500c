/** What can be done to a grid of digits, by codes of a letter and a few digits: how each is drawn, done and said. */
import type { Rng, Rows } from '../../kit.ts';

interface Operation {
  /** The digits after its letter; undefined where it cannot be done to a grid of this size. */
  draw(rng: Rng, height: number, width: number): string | undefined;
  /** @param a, b  the digits of its code */
  apply(rows: Rows, a: number, b: number): Rows;
  sentence(a: string, b: string): string;
}

const flipped = (text: string): string => text.split('').reverse().join('');
const transposed = (rows: Rows): Rows =>
  (rows[0] as string).split('').map((_, column) => rows.map((row) => row[column]).join(''));
const mapped = (rows: Rows, change: (digit: number) => number): Rows =>
  rows.map((row) => row.replace(/[0-9]/g, (digit) => String(change(Number(digit)))));
/** Every nth one gone. */
const thinned = (row: string, n: number): string =>
  row
    .split('')
    .filter((_, i) => (i + 1) % n !== 0)
    .join('');

const nothing = (): string => '';
/** At least half of them, and not all. */
const drawRange = (rng: Rng, length: number): string | undefined => {
  if (length < 2) return undefined;
  const kept = rng.int(Math.ceil(length / 2), length - 1);
  const first = rng.int(1, length - kept + 1);
  return `${first}${first + kept - 1}`;
};
const drawNth = (rng: Rng, length: number): string | undefined => (length < 2 ? undefined : String(rng.int(2, length)));
const ordinal = (n: string): string => (n === '2' ? '2nd' : n === '3' ? '3rd' : `${n}th`);

const OPERATIONS: Readonly<Record<string, Operation>> = {
  r: {
    draw: nothing,
    apply: (rows) => transposed([...rows].reverse()),
    sentence: () => 'rotate it clockwise by a quarter turn',
  },
  h: { draw: nothing, apply: (rows) => rows.map(flipped), sentence: () => 'reverse each row' },
  v: { draw: nothing, apply: (rows) => [...rows].reverse(), sentence: () => 'reverse the order of the rows' },
  d: { draw: nothing, apply: transposed, sentence: () => 'mirror it along the diagonal from the upper left' },
  c: {
    draw: nothing,
    apply: (rows) => [...transposed(rows)].reverse().map(flipped),
    sentence: () => 'mirror it along the diagonal from the upper right',
  },
  m: {
    draw: (rng) => {
      const from = rng.int(0, 9);
      return `${from}${(from + rng.int(1, 9)) % 10}`;
    },
    apply: (rows, a, b) => mapped(rows, (digit) => (digit === a ? b : digit)),
    sentence: (a, b) => `replace each ${a} by ${b}`,
  },
  z: {
    draw: (rng) => String(rng.int(2, 9)),
    apply: (rows, n) => mapped(rows, (digit) => (digit % n === 0 ? 0 : digit)),
    sentence: (n) => `replace each multiple of ${n} by 0`,
  },
  k: {
    draw: (rng, height) => drawRange(rng, height),
    apply: (rows, first, last) => rows.slice(first - 1, last),
    sentence: (first, last) => `keep the rows ${first} to ${last}`,
  },
  l: {
    draw: (rng, _height, width) => drawRange(rng, width),
    apply: (rows, first, last) => rows.map((row) => row.slice(first - 1, last)),
    sentence: (first, last) => `keep the columns ${first} to ${last}`,
  },
  p: {
    draw: (rng, height) => drawNth(rng, height),
    apply: (rows, n) => rows.filter((_, i) => (i + 1) % n !== 0),
    sentence: (n) => `remove every ${ordinal(n)} row`,
  },
  q: {
    draw: (rng, _height, width) => drawNth(rng, width),
    apply: (rows, n) => rows.map((row) => thinned(row, n)),
    sentence: (n) => `remove every ${ordinal(n)} column`,
  },
};
/** The letters of all codes. */
export const OPERATION_LETTERS = Object.keys(OPERATIONS);

const known = (code: string): Operation => OPERATIONS[code[0] as string] as Operation;

/** The code of an operation; undefined where the one that was drawn cannot be done to this grid. */
export function drawOperation(rng: Rng, rows: Rows): string | undefined {
  const letter = rng.pick(OPERATION_LETTERS);
  const digits = known(letter).draw(rng, rows.length, (rows[0] as string).length);
  return digits === undefined ? undefined : letter + digits;
}

export function applyOperation(rows: Rows, code: string): Rows {
  return known(code).apply(rows, Number(code[1]), Number(code[2]));
}

/** In words. */
export function operationSentence(code: string): string {
  return known(code).sentence(code[1] as string, code[2] as string);
}
