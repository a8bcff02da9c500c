/** Judging on data of the world: the countries of npm's countries-list. */
import { countries } from 'countries-list';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../../src/options/json.ts';
import { judgeRecord } from '../../../data/tasks/json_record/record.ts';
import { judgeQuery } from '../../../data/tasks/sql_select/sql_select.ts';
import { openSchemaChecker } from '../../../sandbox/json_schema.ts';
import { openSql, type SqlValue } from '../../../sandbox/sql.ts';

const all = Object.entries(countries).map(([code, country]) => ({ code, ...country }));

describe('records of countries', async () => {
  const checker = await openSchemaChecker();
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    properties: {
      code: { type: 'string', pattern: '^[A-Z]{2}$' },
      name: text,
      native: text,
      phone: { type: 'array', items: { type: 'integer' }, minItems: 1, uniqueItems: true },
      continent: { enum: ['AF', 'AN', 'AS', 'EU', 'NA', 'OC', 'SA'] },
      continents: { type: 'array', items: text },
      capital: text,
      currency: { type: 'array', items: text },
      languages: { type: 'array', items: { type: 'string', minLength: 2, maxLength: 2 } },
      partOf: text,
      alias: { type: 'array', items: text },
      userAssigned: { type: 'boolean' },
    },
    required: ['code', 'name', 'native', 'phone', 'continent', 'capital', 'currency', 'languages'],
    additionalProperties: false,
  };
  const score = (country: Json, answer: string) => judgeRecord(checker, schema, country, answer).score;

  it('each is right as it is, with blanks, and in any order, and wrong with one flaw', () => {
    expect(all.length).toBeGreaterThan(240);
    for (const country of all as unknown as { readonly [key: string]: Json }[]) {
      const right = JSON.stringify(country);
      const backwards = Object.fromEntries(Object.entries(country).reverse());
      for (const answer of [right, JSON.stringify(backwards, null, 2)]) expect(score(country, answer)).toBe(1);
      const { name, ...rest } = country;
      const wrong = [
        JSON.stringify(rest),
        JSON.stringify({ ...country, name: `${String(name)}.` }),
        JSON.stringify({ ...country, phone: (country.phone as number[]).map(String) }),
        JSON.stringify({ ...country, code: String(country.code).toLowerCase() }),
        JSON.stringify({ ...country, population: 1 }),
        `{"name":${JSON.stringify(name)},${right.slice(1)}`,
        right.slice(0, -1),
      ];
      for (const answer of wrong) expect(score(country, answer), answer).toBe(0);
    }
  });
});

describe('queries over the countries', async () => {
  const sandbox = await openSql();
  const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;
  const rowsOf = (some: typeof all): string =>
    some
      .map(
        ({ code, name, capital, continent, phone }) =>
          `(${[code, name, capital, continent].map(quoted).join()},${phone[0]})`,
      )
      .join();
  const setup = `create table country(code,name,capital,continent,phone integer);insert into country values ${rowsOf(all)}`;
  const inOrder = [...all].sort((one, other) => (one.code < other.code ? -1 : 1));
  const counted = (some: readonly string[]): SqlValue[][] =>
    [...new Set(some)].map((one) => [one, some.filter((other) => other === one).length]);
  const score = (rows: SqlValue[][], query: string) => judgeQuery(sandbox, [{ setup, rows }], query, 3_000_000).score;

  it.each<[string, SqlValue[][]]>([
    ['select count(*) from country', [[all.length]]],
    [
      "select name from country where continent='SA'",
      all.filter(({ continent }) => continent === 'SA').map(({ name }) => [name]),
    ],
    ['select continent,count(*) from country group by continent', counted(all.map(({ continent }) => continent))],
    [
      "select code from country where capital=''",
      all.filter(({ capital }) => capital === '').map(({ code }) => [code]),
    ],
    [
      'select code from country where phone<100 and length(name)>9',
      all.filter(({ phone, name }) => (phone[0] ?? 0) < 100 && name.length > 9).map(({ code }) => [code]),
    ],
    [
      "select name from country where name like '%land'",
      all.filter(({ name }) => name.endsWith('land')).map(({ name }) => [name]),
    ],
    ['select code from country order by code desc limit 3', inOrder.slice(-3).map(({ code }) => [code])],
    ['select max(phone) from country', [[Math.max(...all.map(({ phone }) => phone[0] ?? 0))]]],
    [
      'with n as (select continent c,count(*) k from country group by c) select c from n where k=(select max(k) from n)',
      [
        [
          counted(all.map(({ continent }) => continent)).sort(
            (one, other) => Number(other[1]) - Number(one[1]),
          )[0]?.[0] ?? null,
        ],
      ],
    ],
  ])('%s', (query, rows) => {
    expect(score(rows, query)).toBe(1);
    expect(score(rows, `${query} union all select 1`)).toBe(0);
    expect(score(rows, query.replace('country', 'country where 0'))).toBe(0);
    expect(score(rows, `${query};drop table country`)).toBe(0);
  });
});
