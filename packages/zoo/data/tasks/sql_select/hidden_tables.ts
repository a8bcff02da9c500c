/**
 * The tables that a query is tried on: what tells a right one from those that are right where numbers are small, nothing is
 * missing and there is enough of all. A number may be negative, of several digits or missing, and so may a letter; there are
 * groups of one row, groups without a number, many rows and none, and rows that any bound leaves out.
 */
import { type Rng, rngFor } from '../../../../../src/kernels/philox.ts';

export const NUMBERS = ['a', 'b'] as const;
export type NumberColumn = (typeof NUMBERS)[number];
export const SIGNS = ['>', '<', '='] as const;

export type Condition = {
  readonly column: NumberColumn;
  readonly sign: (typeof SIGNS)[number];
  readonly n: number;
};

export interface Row {
  readonly a: number | null;
  readonly b: number | null;
  readonly c: string | null;
}

/** Rows, and one that is there very often. */
export interface Table {
  readonly rows: readonly Row[];
  readonly often?: Row;
}

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
/** Those of large groups. */
const FREQUENT = ['x', 'y', 'z'];
/** Numbers of a query have a digit: the others are for those that rely on it. */
const LARGEST_DIGIT = 9;
const WIDE = [-1, -2, -9, -37, -1000, 10, 11, 12, 37, 1000];
/** Beyond the bounds that fit into an answer; the sum of the four in a table is exact. */
const FAR = 10 ** 15;
/** More than two digits may limit or count. */
const OFTEN = 120;
const MIXED_ROWS = 50;

/** Whether a row's number is known and meets a condition. */
export function meets(row: Row, { column, sign, n }: Condition): boolean {
  const { [column]: value } = row;
  if (value === null) return false;
  return sign === '>' ? value > n : sign === '<' ? value < n : value === n;
}

/** A number that meets a condition, of those around it most often. */
function meeting(rng: Rng, { sign, n }: Condition): number {
  if (sign === '=') return n;
  const distance = rng.int(0, 3) === 0 ? rng.int(1, 40) : rng.int(1, 3);
  return sign === '>' ? n + distance : n - distance;
}

const anyNumber = (rng: Rng): number | null => {
  const kind = rng.int(0, 9);
  return kind === 0 ? null : kind <= 2 ? rng.pick(WIDE) : rng.int(0, LARGEST_DIGIT);
};

const unknown = (): null => null;

/** A row whose numbers are drawn: those that are asked about around what is asked. */
function mixedRow(rng: Rng, conditions: readonly Condition[]): Row {
  const drawn = (column: NumberColumn): number | null => {
    const condition = conditions.find((one) => one.column === column);
    return condition === undefined || rng.int(0, 1) === 0 ? anyNumber(rng) : condition.n + rng.int(-1, 1);
  };
  return { a: drawn('a'), b: drawn('b'), c: rng.int(0, 9) === 0 ? null : rng.pick(FREQUENT) };
}

/** A row that meets all conditions. @param open  a number that none of them is about */
function meetingRow(
  rng: Rng,
  conditions: readonly Condition[],
  c: string | null,
  open: () => number | null = () => anyNumber(rng),
): Row {
  const drawn = (column: NumberColumn): number | null => {
    const condition = conditions.find((one) => one.column === column);
    return condition === undefined ? open() : meeting(rng, condition);
  };
  return { a: drawn('a'), b: drawn('b'), c };
}

/** Each letter in one row that is asked for, some in more, and rows near what is asked. */
function manyRows(rng: Rng, conditions: readonly Condition[]): Row[] {
  const once = LETTERS.map((letter) => meetingRow(rng, conditions, letter));
  return rng.shuffle([
    ...once,
    ...FREQUENT.flatMap((letter) => [letter, letter, letter]).map((letter) => meetingRow(rng, conditions, letter)),
    ...Array.from({ length: MIXED_ROWS }, () => mixedRow(rng, conditions)),
  ]);
}

/** Numbers just at, below and above each that is asked, each with each, and of other sizes; some pairs more often. */
function edges(rng: Rng, conditions: readonly Condition[]): Row[] {
  const values = (column: NumberColumn): (number | null)[] => {
    const condition = conditions.find((one) => one.column === column);
    if (condition === undefined) return [null, -3, rng.int(0, LARGEST_DIGIT), 14];
    const { n } = condition;
    return [null, n - 2, n - 1, n, n + 1, n + 2, -n, -n - 1, LARGEST_DIGIT + n];
  };
  const pairs = values('a').flatMap((a) => values('b').map((b) => ({ a, b })));
  return pairs.flatMap((pair) => Array.from({ length: rng.int(1, 2) }, () => ({ ...pair, c: rng.pick(FREQUENT) })));
}

/** Letters that are there with one kind of row alone, which is asked for or just not: with nothing else known, or far from 0. */
function sparse(rng: Rng, conditions: readonly Condition[]): Row[] {
  const small = (): number => rng.int(1, LARGEST_DIGIT);
  const far = NUMBERS.flatMap((column) =>
    [FAR, -FAR].map((value) => ({ ...meetingRow(rng, conditions, rng.pick(FREQUENT), small), [column]: value })),
  );
  const alone = ['m', 'm', null].map((c) => meetingRow(rng, conditions, c, unknown));
  const unasked = conditions.flatMap(({ column, sign, n }) => [
    { ...meetingRow(rng, conditions, 'n'), [column]: null },
    { ...meetingRow(rng, conditions, 'o', unknown), [column]: sign === '=' ? n + 1 : n },
  ]);
  return rng.shuffle([...far, ...alone, ...unasked]);
}

/** The same each time that they are asked for. @param key  of what is asked */
export function hiddenTables(key: string, conditions: readonly Condition[]): Table[] {
  const rng = rngFor(`hidden tables|${key}`);
  const made = [manyRows, edges, sparse].map((rows) => ({ rows: rows(rng, conditions) }));
  const mixed = Array.from({ length: MIXED_ROWS }, () => mixedRow(rng, conditions));
  const lacking = ['x', 'x', 'y'].map((c) => meetingRow(rng, conditions, c, unknown));
  return [...made, { rows: mixed }, { rows: lacking, often: lacking[0] }, { rows: [] }];
}

export function rowsOf({ rows, often }: Table): readonly Row[] {
  return often === undefined ? rows : [...rows, ...new Array<Row>(OFTEN).fill(often)];
}

/** The statements that make a table. Its rows are numbered far above and below 0, so that no bound of theirs holds them all. */
export function setupText({ rows, often }: Table): string {
  const text = ({ a, b, c }: Row): string => `${a},${b},${c === null ? c : `'${c}'`}`;
  const each = rows.map((row, i) => `(${i % 2 === 0 ? FAR - i : i - FAR},${text(row)})`);
  const many = `with recursive n(i) as (select 1 union all select i+1 from n where i<${OFTEN})`;
  return [
    'create table t(a integer,b integer,c text)',
    each.length > 0 ? `insert into t(rowid,a,b,c) values ${each.join()}` : '',
    often === undefined ? '' : `${many} insert into t(rowid,a,b,c) select i,${text(often)} from n`,
  ].join(';');
}
