/** Queries near the right one of sql_select: each gives other rows of some table, often of one that has no small numbers alone. */
import type { SqlSelectItem } from '../../../data/tasks/sql_select/sql_select.ts';

interface Pieces {
  readonly value: string;
  readonly where: string;
  readonly end: string;
}

const BOUNDS = [9, 99, 999, 9_999_999];
const REPLACED_SIGNS = ['>', '<', '=', '>=', '<=', '<>'];
const numbersFrom = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).join();

export function mutantQueries({ total, column, conditions, isGrouped }: SqlSelectItem): string[] {
  const right: Pieces = {
    value: total === null ? column : total === 'count' ? 'count(*)' : `sum(${column})`,
    where: conditions.map((one) => `${one.column}${one.sign}${one.n}`).join(' and '),
    end: '',
  };
  const text = (pieces: Partial<Pieces>, isBy = isGrouped): string => {
    const { value, where, end } = { ...right, ...pieces };
    const from = `from t${where === '' ? '' : ` where ${where}`}`;
    return `select ${isBy ? 'c,' : ''}${value} ${from}${isBy ? ' group by c' : ''}${end}`;
  };
  const asked = (name: string) => conditions.find((one) => one.column === name);
  const isFixed = (name: string): boolean => asked(name)?.sign === '=';
  /** A sum of all takes no notice of what is missing in its column. */
  const showsMissing = (name: string): boolean => isGrouped || total !== 'sum' || name !== column;
  const found: string[] = [];

  for (const [i, { column: name, sign, n }] of conditions.entries()) {
    const others = conditions.filter((_, at) => at !== i).map((one) => `${one.column}${one.sign}${one.n}`);
    const whereOf = (condition: string): string =>
      text({ where: [condition, ...others].filter(Boolean).join(' and ') });
    const own = `${name}${sign}${n}`;
    const other = name === 'a' ? 'b' : 'a';
    const same = sign === '>' ? `${name}>=${n + 1}` : `${name}<=${n - 1}`;
    for (const one of REPLACED_SIGNS) {
      for (let m = n - 2; m <= n + 2; m++) {
        const condition = `${name}${one}${m}`;
        if (condition !== own && (sign === '=' || condition !== same)) found.push(whereOf(condition));
      }
    }
    found.push(whereOf(''), whereOf(`${other}${sign}${n}`), whereOf(`not ${own}`), whereOf(`abs(${name})${sign}${n}`));
    if (showsMissing(name)) found.push(whereOf(`(${own} or ${name} is null)`));
    if (asked(other) === undefined && showsMissing(other)) found.push(whereOf(`(${own} or ${other} is null)`));
    if (sign === '>') found.push(whereOf(`${name} in (${numbersFrom(n + 1, 9)})`));
    if (sign === '<') found.push(whereOf(`${name} in (${numbersFrom(0, n - 1)})`));
    for (const bound of BOUNDS) {
      if (sign === '>') found.push(whereOf(`${own} and ${name}<${Math.max(bound, 10)}`));
      if (sign === '<') found.push(whereOf(`${own} and ${name}>-${bound}`));
    }
  }
  const within = (condition: string): string => text({ where: `${right.where} and ${condition}` });
  if (conditions.length === 2) found.push(text({ where: right.where.replace(' and ', ' or ') }));
  for (const name of ['a', 'b'].filter((one) => asked(one) === undefined)) {
    found.push(within(`${name}>=0`), within(`${name}<10`));
    if (showsMissing(name)) found.push(within(`${name} is not null`));
  }
  found.push(within('c is not null'), within("c<>'x'"), within("c<>'q'"), within("c in ('x','y','z')"));
  for (const bound of [0, ...BOUNDS]) found.push(within(`rowid<${bound}`), within(`rowid>-${bound}`));

  if (total === null || isGrouped) for (const count of [1, 9, 99, 999]) found.push(text({ end: ` limit ${count}` }));
  if (total === null) {
    for (const name of ['a', 'b', 'c'].filter((one) => one !== column)) {
      if (!(isFixed(name) && isFixed(column))) found.push(text({ value: name }));
    }
    found.push(text({ value: `distinct ${column}` }), text({ value: `max(${column})` }));
    found.push(text({ end: ` union select ${column} from t where ${right.where}` }));
    if (column !== 'c') found.push(text({ value: `${column}+1` }));
    if (column !== 'c' && asked(column) === undefined) found.push(text({ value: `abs(${column})` }));
    if (asked(column) === undefined) found.push(text({ value: `coalesce(${column},0)` }));
  } else {
    const numbers = ['a', 'b'].filter((name) => !isFixed(name));
    const values = [
      ...['count(*)', 'count(c)', 'count(distinct c)', 'avg(b)', 'avg(a)', `${right.value}+1`],
      ...['a', 'b'].filter((name) => asked(name) === undefined || total === 'sum').map((name) => `count(${name})`),
      ...numbers.flatMap((name) => [`sum(${name})`, `max(${name})`, `min(${name})`, `sum(distinct ${name})`]),
      ...numbers.filter((name) => asked(name) === undefined).map((name) => `sum(abs(${name}))`),
      ...numbers
        .filter((name) => !isGrouped || asked(name) === undefined)
        .flatMap((name) => [`total(${name})`, `coalesce(sum(${name}),0)`]),
    ];
    const isCount = total === 'sum' && isFixed(column) && asked(column)?.n === 1; // the sum of ones
    const others = values.filter((value) => value !== right.value && !(isCount && value.startsWith('count(')));
    found.push(...others.map((value) => text({ value })));
  }
  if (isGrouped) {
    const having = ['count(*)>1', 'count(*)<99', 'c is not null'];
    if (total === 'sum' && asked(column) === undefined) {
      having.push(`${right.value} is not null`, `${right.value}>0`, `${right.value}<9999999`);
    }
    found.push(...having.map((one) => text({ end: ` having ${one}` })));
    found.push(text({}, false), text({}).replace('select c,', 'select '), text({}).replace(/,(.*?) from/, ' from'));
    found.push(...['a', 'b'].filter((name) => !isFixed(name)).map((name) => text({ end: `,${name}` })));
  }
  return [...new Set(found)];
}
