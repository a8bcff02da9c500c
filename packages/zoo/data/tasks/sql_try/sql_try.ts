/**
 * sql_select with the tool `query`, which runs a query on a table of six rows.
 *
 *   action      <call>query select sum(b) from t where a>3</call>
 *   observation 14                       rows are parted by |; ? where it gives none
 *   answer      select sum(b) from t where a>3      an action without a call, judged as sql_select judges it
 */
import type { TaskDefinition } from '../../../../../src/data/task.ts';
import type { SqlSandbox } from '../../../sandbox/sql.ts';
import { tool } from '../../tools/tool.ts';
import { triedTask, writable } from '../../tools/tried_task.ts';
import type { SqlSelectKnobs } from '../sql_select/card.ts';
import { SQL_CHARACTERS, type SqlSelectItem, sqlSelect } from '../sql_select/sql_select.ts';
import { type SqlTryKnobs, sqlTryCard } from './card.ts';

const ROWS = "(1,5,'x'),(3,2,'y'),(4,4,'x'),(6,1,'z'),(8,9,'y'),(4,7,'z')";
const SETUP = `create table t(a integer,b integer,c text);insert into t values ${ROWS}`;
const WRITABLE = `${SQL_CHARACTERS}|;?`;
/** Characters of a result that are shown. */
const MOST_SHOWN = 60;

export function sqlTry(sandbox: SqlSandbox): TaskDefinition<SqlSelectItem, SqlTryKnobs> {
  const query = tool({
    name: 'query',
    description: 'Runs a query in SQL on six rows of the table and gives its rows.',
    parameters: { sql: { type: 'string', description: 'One SELECT, such as select a from t.' } },
    call({ sql }, state: null) {
      const result = sandbox.query(SETUP, sql);
      if (!result.ok) return { state, flaw: result.reason };
      const rows = result.rows.map((row) => row.map((value) => value ?? 'null').join());
      return { state, observation: writable(rows.join('|').slice(0, MOST_SHOWN), WRITABLE) };
    },
  });
  return triedTask<SqlSelectItem, SqlSelectKnobs, SqlTryKnobs>(sqlTryCard, sqlSelect(sandbox), {
    tool: query,
    characters: WRITABLE,
    call: (_, answer) => ({ sql: answer }),
    longest: { call: 0, observation: MOST_SHOWN },
  });
}
