import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { openSql } from '../../sandbox/sql.ts';
import { HOSTILE_QUERIES } from './hostile_queries.ts';

const sandbox = await openSql();
const SETUP = "create table t(a,b,c); insert into t values (1,2,'x'),(3,4,'y'),(5,6,'x'),(7,null,'z')";
const hostile = Object.entries(HOSTILE_QUERIES);
const attacked = () => hostile.map(([, text]) => sandbox.query(SETUP, text, 300_000));

describe('queries that are right', () => {
  it.each([
    ['select a from t where b>2', [[3], [5]]],
    [
      'SELECT c, sum(a) FROM t GROUP BY c ORDER BY c;',
      [
        ['x', 6],
        ['y', 3],
        ['z', 7],
      ],
    ],
    ['with s as (select max(a) m from t) select b from t, s where a=m', [[null]]],
    [
      'with recursive r(n) as (select 1 union all select n+1 from r where n<4) select group_concat(n) from r',
      [['1,2,3,4']],
    ],
    ['select 1/2, 1.0/2, 9007199254740993', [[0, 0.5, '9007199254740993']]],
    ['select x.a from t x join t y on x.a=y.a+2 where x.c in (select c from t)', [[3], [5], [7]]],
    ['select case when exists (select 1 from t where b is null) then upper(c) end from t limit 1', [['X']]],
    ['select count(*) filter (where a>1) from t', [[3]]],
  ])('%s', (text, rows) => {
    expect(sandbox.query(SETUP, text)).toMatchObject({ ok: true, rows });
  });
});

describe(`${hostile.length} texts that are not`, () => {
  const first = attacked();

  it.each(hostile.map(([name], i) => [name, first[i]] as const))('%s', (_name, result) => {
    expect(result?.ok).toBe(false);
  });

  it('end for the reason that they should', () => {
    const ended = Object.fromEntries(hostile.map(([name], i) => [name, first[i]?.ok ? '' : first[i]?.failure]));
    expect(ended).toMatchObject({
      'an endless recursion': 'fuel',
      'a join without a condition': 'fuel',
      'an attached file': 'error',
      'two statements': 'syntax',
      'the time': 'error',
      'a table that is not there': 'syntax',
    });
  });

  it('get them beside two busy threads too, and memory is back within 50 MB', async () => {
    const before = process.memoryUsage().rss;
    const busy = [0, 1].map(() => new Worker('while (true);', { eval: true }));
    try {
      expect(attacked()).toEqual(first);
    } finally {
      await Promise.all(busy.map((one) => one.terminate()));
    }
    attacked();
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 2 ** 20);
  });

  it('get the same verdicts with the same fuel in any order, and leave the next query its tables', () => {
    expect(attacked()).toEqual(first);
    const backwards = [...hostile].reverse().map(([, text]) => sandbox.query(SETUP, text, 300_000));
    expect(backwards.reverse()).toEqual(first);
    expect(sandbox.query(SETUP, 'select count(*) from t')).toMatchObject({ ok: true, rows: [[4]] });
  });
});

it.each([0, 0.5, 2 ** 31])('fuel of %d is refused, with the rule', (fuel) => {
  expect(() => sandbox.query(SETUP, 'select 1', fuel)).toThrow(/^fuel: .* a whole number from 1 to 2147483647$/);
});
