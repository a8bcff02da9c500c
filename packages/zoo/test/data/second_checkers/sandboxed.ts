/** The tasks whose answers are run, decided by running them in this very engine. */
import { runInNewContext, Script } from 'node:vm';
import type { SecondChecker } from '../../../data/index.ts';
import { openSql } from '../../../sandbox/sql.ts';
import { asked, bare } from './notation.ts';
import { chained } from './programs.ts';

/** Lists of all lengths that a hidden one may have. */
const LISTS = Array.from({ length: 60 }, (_, i) =>
  Array.from({ length: i % 8 }, (_, j) => (i * 7 + j * 11 + i * j * 3) % 21),
);

/** Whether a text is a function with these results, as JSON; it runs in this very engine. */
function gives(answer: string, results: readonly (readonly [list: string, result: string])[]): boolean {
  if (answer.length > 10_000) return false;
  if (/^\s*\w+\s*=[^=>]/.test(answer)) return false; // node:vm lets a strict program make a global of its context
  try {
    new Script(`"use strict";[${bare(answer)}\n]`); // its brackets are its own
    const lists = `[${results.map(([list]) => list).join()}]`;
    const code = `"use strict";const f=(${bare(answer)}\n);typeof f==='function'?${lists}.map(l=>JSON.stringify(f(l))):[]`;
    const outputs = runInNewContext(code, {}, { timeout: 1000 }) as readonly string[];
    return results.every(([, result], i) => outputs[i] === result);
  } catch {
    return false;
  }
}

/** Whether it does what the right function does; what the examples show, where that function is not known. */
const isRight: SecondChecker = ({ prompt, identity }, answer) => {
  const shown = [...prompt.matchAll(/(\[[0-9,]*\]):(\[[-0-9,]*\]|[0-9]+)/g)].map(
    ([, list = '', result = '']) => [list, result] as const,
  );
  if (identity === null) return gives(answer, shown);
  const chain = chainOf(identity);
  return gives(
    answer,
    LISTS.map((list) => [JSON.stringify(list), JSON.stringify(chained(chain, list))]),
  );
};

/** The text of the right function of a problem. */
const chainOf = (identity: unknown): string => {
  const { steps } = identity as { readonly steps: readonly { readonly kind: string; readonly n: number }[] };
  const texts: Readonly<Record<string, (n: number) => string>> = {
    add: (n) => `.map(x=>x+${n})`,
    subtract: (n) => `.map(x=>x-${n})`,
    multiply: (n) => `.map(x=>x*${n})`,
    from: (n) => `.map(x=>${n}-x)`,
    above: (n) => `.filter(x=>x>${n})`,
    below: (n) => `.filter(x=>x<${n})`,
    divisible: (n) => `.filter(x=>x%${n}==0)`,
    skip: (n) => `.slice(${n})`,
    take: (n) => `.slice(0,${n})`,
    last: (n) => `.slice(-${n})`,
    reverse: () => '.reverse()',
    sort: () => '.sort((x,y)=>x-y)',
    count: () => '.length',
    sum: () => '.reduce((s,x)=>s+x,0)',
  };
  return steps.map(({ kind, n }) => texts[kind]?.(n) ?? '').join('');
};

const sql = await openSql();

type Row = readonly [a: number | null, b: number | null, c: string | null];

/** Rows of the table of a query: each pair of numbers, and a letter by them. Some, few and none. */
const EVEN = [100, 37, 5, 0].map((count) =>
  Array.from(
    { length: count },
    (_, i): Row => [(i * 7) % 10, (i * 3 + Math.floor(i / 10)) % 10, 'xyz'[(i * i + 1) % 3] as string],
  ),
);
/** No two numbers are as frequent, so that a count tells them apart. */
const UNEVEN = Array.from(
  { length: 300 },
  (_, i): Row => [
    Math.floor(Math.sqrt(i % 100)),
    Math.floor(Math.sqrt((i * 37) % 100)),
    'xyz'[(i * i + 1) % 3] as string,
  ],
);
/** Numbers of any sign and size, some missing; a letter may be there once, or missing. */
const FROM = [null, -50, -9, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 80, 5e8] as const;
const ANY = FROM.flatMap((a, i) =>
  FROM.map(
    (b, j): Row => [a, b, i * j === 6 ? null : (i + j) % 4 === 0 ? ('pqrstuvw'[(i + 3 * j) % 8] as string) : 'x'],
  ),
);
const SINGLE = FROM.map(
  (a, i): Row => [a, FROM[(i * 5) % FROM.length] as number | null, 'abcdefghijklmnopqr'[i] as string],
);
const TABLES = [...EVEN, UNEVEN, ANY, SINGLE];

/** What is asked of a table, row by row. */
function askedRows(prompt: string, table: readonly Row[]): string[] {
  const [total = '', column = '', conditions = '', group] = asked(
    prompt,
    /^t\(a,b,c\): (?:(count|sum) ?)?([abc]?) if (.+?)( by c)?>$/,
  );
  const rows = table.filter((row) =>
    conditions.split(' and ').every((one) => {
      const [, name, sign, n] = /^([ab])([<>=])([0-9])$/.exec(one) ?? [];
      const value = row[name === 'a' ? 0 : 1];
      if (value === null) return false;
      const difference = value - Number(n);
      return sign === '>' ? difference > 0 : sign === '<' ? difference < 0 : difference === 0;
    }),
  );
  const columnOf = (row: Row) => row['abc'.indexOf(column)];
  if (total === undefined || total === '') return rows.map((row) => JSON.stringify([columnOf(row)])).sort();
  const totalOf = (some: typeof rows): number | null => {
    if (total === 'count') return some.length;
    const known = some.map(columnOf).filter((one) => one !== null);
    return known.length === 0 ? null : known.map(Number).reduce((x, y) => x + y);
  };
  if (group === undefined) return [JSON.stringify([totalOf(rows)])];
  const letters = [...new Set(rows.map(([, , c]) => c))];
  return letters.map((letter) => JSON.stringify([letter, totalOf(rows.filter(([, , c]) => c === letter))])).sort();
}

function isQuery(prompt: string, answer: string): boolean {
  return TABLES.every((table) => {
    const rows = table.map(([a, b, c]) => `(${a},${b},${c === null ? c : `'${c}'`})`).join();
    const setup = `create table t(a integer,b integer,c text);${rows && `insert into t values ${rows}`}`;
    const result = sql.query(setup, bare(answer), 100_000_000);
    return (
      result.ok &&
      result.rows
        .map((row) => JSON.stringify(row))
        .sort()
        .join() === askedRows(prompt, table).join()
    );
  });
}

export const SANDBOXED: Readonly<Record<string, SecondChecker>> = {
  js_function: isRight,
  js_repair: isRight,
  sql_select: ({ prompt }, answer) =>
    isQuery(prompt, answer) && (!/limit/i.test(answer) || /: (?:count|sum).*[^c]>$/.test(prompt)),
};
