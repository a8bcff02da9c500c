/**
 * A query in SQL for what is asked of a table t with the whole numbers a and b and the letters c, any of which may be missing.
 * Answers run in the sandbox `sql`.
 *
 *   verdict     right where it gives the right rows, in any order, of six tables that are not shown; one that limits its rows
 *               is right where there is one row alone
 *   parts       runs: it is a query that gives rows of each; tables: share of those whose rows are right
 */
import type { SqlSandbox, SqlValue } from '../../../sandbox/sql.ts';
import type { Rng, TaskDefinition, Verdict } from '../../kit.ts';
import { illegal, lineTask, malformed, missing, onlyMisses, trimAscii, wrongValue } from '../../kit.ts';
import { type SqlSelectKnobs, sqlSelectCard } from './card.ts';
import { type Condition, hiddenTables, meets, NUMBERS, type Row, rowsOf, SIGNS, setupText } from './hidden_tables.ts';

/** Each row that is wrongly taken or left out changes them. */
const TOTALS = ['count', 'sum'] as const;

export type SqlSelectItem = {
  readonly total: (typeof TOTALS)[number] | null;
  readonly column: 'a' | 'b' | 'c';
  readonly conditions: readonly Condition[];
  readonly isGrouped: boolean;
};

/** Characters of prompts and answers. */
export const SQL_CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789(),.:*<>=+-' ";
/** Numbers of a condition have a digit. */
const LARGEST = 9;

/** `count`, `sum b` or `b`. */
const askedText = ({ total, column }: SqlSelectItem): string =>
  total === null ? column : total === 'count' ? total : `${total} ${column}`;
const conditionText = ({ column, sign, n }: Condition): string => `${column}${sign}${n}`;

function problemText(item: SqlSelectItem): string {
  const conditions = item.conditions.map(conditionText).join(' and ');
  return `t(a,b,c): ${askedText(item)} if ${conditions}${item.isGrouped ? ' by c' : ''}`;
}

function rightAnswer({ total, column, conditions, isGrouped }: SqlSelectItem): string {
  const value = total === null ? column : `${total}(${total === 'count' ? '*' : column})`;
  const where = conditions.map(conditionText).join(' and ');
  return isGrouped ? `select c,${value} from t where ${where} group by c` : `select ${value} from t where ${where}`;
}

function totalOf({ total, column }: SqlSelectItem, rows: readonly Row[]): SqlValue {
  if (total === 'count') return rows.length;
  const known = rows.flatMap((row) => row[column] ?? []);
  return known.length === 0 ? null : known.reduce((sum: number, value) => sum + Number(value), 0);
}

/** The rows that a table should give. */
function rightRows(item: SqlSelectItem, table: readonly Row[]): SqlValue[][] {
  const rows = table.filter((row) => item.conditions.every((condition) => meets(row, condition)));
  if (item.total === null) return rows.map((row) => [row[item.column]]);
  if (!item.isGrouped) return [[totalOf(item, rows)]];
  const letters = [...new Set(rows.map(({ c }) => c))];
  return letters.map((letter) => [
    letter,
    totalOf(
      item,
      rows.filter(({ c }) => c === letter),
    ),
  ]);
}

/** Rows without their order. */
const sorted = (rows: readonly (readonly SqlValue[])[]): string =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join();

/** A hidden table: the statements that make it, and the rows that a right query gives of it. */
export interface HiddenTable {
  readonly setup: string;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** Right where a query gives the right rows, in any order, of all tables. @param fuel  for each of them */
export function judgeQuery(sandbox: SqlSandbox, tables: readonly HiddenTable[], answer: string, fuel: number): Verdict {
  const text = trimAscii(answer);
  const failed = { parts: { runs: 0, tables: 0 } };
  if (text === '') return { ...missing('the answer is empty'), ...failed };
  let right = 0;
  for (const { setup, rows } of tables) {
    const result = sandbox.query(setup, text, fuel);
    if (!result.ok) {
      if (result.failure === 'syntax') return { ...malformed(result.reason), ...failed };
      return {
        ...illegal(result.reason),
        ...(result.failure === 'fuel' && { failure: 'timeout' as const }),
        ...failed,
      };
    }
    if (sorted(result.rows) === sorted(rows)) right++;
  }
  const parts = { runs: 1, tables: right / tables.length };
  return right === tables.length
    ? { score: 1, status: 'correct', reason: 'the right rows of all tables', canonical: text, parts }
    : { ...wrongValue('other rows'), canonical: text, parts };
}

const made = new WeakMap<SqlSelectItem, readonly HiddenTable[]>();

function tablesOf(item: SqlSelectItem): readonly HiddenTable[] {
  const tables =
    made.get(item) ??
    hiddenTables(problemText(item), item.conditions).map((table) => ({
      setup: setupText(table),
      rows: rightRows(item, rowsOf(table)),
    }));
  made.set(item, tables);
  return tables;
}

/** No table is so large that a LIMIT of its rows would show: only a total of all has one row in each. */
const limitsRows = (item: SqlSelectItem, answer: string): boolean =>
  (item.total === null || item.isGrouped) && /\blimit\b/i.test(answer);

function judge(sandbox: SqlSandbox, item: SqlSelectItem, answer: string, fuel: number): Verdict {
  const verdict = judgeQuery(sandbox, tablesOf(item), answer, fuel);
  return verdict.score === 1 && limitsRows(item, answer) ? { ...verdict, ...illegal('it limits its rows') } : verdict;
}

function drawConditions(rng: Rng, count: number): Condition[] {
  const columns = count === 1 ? [rng.pick(NUMBERS)] : NUMBERS;
  return columns.map((column) => ({ column, sign: rng.pick(SIGNS), n: rng.int(1, LARGEST - 1) }));
}

export function sqlSelect(sandbox: SqlSandbox): TaskDefinition<SqlSelectItem, SqlSelectKnobs> {
  const line = lineTask<SqlSelectItem, SqlSelectKnobs>(sqlSelectCard, {
    family: 'sql_select',
    answers: 'open',
    characters: SQL_CHARACTERS,
    generate: (rng, { shape, conditions }) => {
      const total = shape === 'rows' ? null : rng.pick(TOTALS);
      const column =
        total === 'count' ? 'a' : shape === 'rows' ? rng.pick(['a', 'b', 'c'] as const) : rng.pick(NUMBERS);
      return { total, column, conditions: drawConditions(rng, conditions), isGrouped: shape === 'groups' };
    },
    key: (item) => `sql|${problemText(item)}`,
    prompt: (item) => `${problemText(item)}>`,
    question: (item) => {
      const what =
        item.total === null
          ? `the column ${item.column}`
          : item.total === 'count'
            ? 'the number'
            : `the sum of ${item.column}`;
      const rows = `of the rows where ${item.conditions.map(conditionText).join(' and ')}`;
      const groups = item.isGrouped ? ' for each c that has such rows: two columns, c first' : '';
      return (
        'A table t of SQLite has the columns a and b, which are whole numbers, and c, which is a letter; any may be null. ' +
        `Write a query that gives ${what} ${rows}${groups}. Answer with one SELECT alone.`
      );
    },
    oracle: rightAnswer,
    verify: (item, answer, { fuel }) => judge(sandbox, item, answer, fuel),
    mutants: (item, { fuel }, rng) => {
      const right = rightAnswer(item);
      const [first] = item.conditions as [Condition];
      const other = {
        ...item,
        conditions: [{ ...first, n: first.n === 1 ? 2 : first.n - 1 }, ...item.conditions.slice(1)],
      };
      const texts: Record<string, string> = {
        'another number': rightAnswer(other),
        'another sign': right.replace(/[<>=]/, (sign) => rng.pick(SIGNS.filter((one) => one !== sign))),
        'no condition': right.replace(/ where .*?( group|$)/, '$1'),
        'another table': right.replace(' t ', ' u '),
        'two statements': `${right};${right}`,
        'a table dropped after it': `${right};drop table t`,
        'the schema': 'select sql from sqlite_master',
        'an insertion': "insert into t values(1,1,'x')",
        'a pragma': 'pragma table_info(t)',
        'a union with more': `${right} union all ${right}`,
        'the problem': problemText(item),
        'the start alone': right.slice(0, right.indexOf(' where')),
        'as a text': `select '${right.replaceAll("'", '')}'`,
        'an endless one': 'with recursive r(n) as (select 1 union all select n+1 from r) select n from r',
      };
      return onlyMisses(texts, (text) => judge(sandbox, item, text, fuel));
    },
    chance: () => 0.05,
    longest: ({ conditions }) => ({ prompt: 32 + 8 * conditions, answer: 44 + 8 * conditions, question: 350 }),
  });
  return { ...line, takesTime: true, sandboxEngine: sandbox.engine };
}
