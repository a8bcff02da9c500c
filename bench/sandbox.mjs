/**
 * How many programs does a sandbox run in a second of one core?
 *
 * Right answers of tasks, each from the same bytes of memory, as their verifiers run them. 1,500 tests of JavaScript a
 * second are the least.
 */

import { bindTask, registeredTasks } from '../build/packages/rlvr-train/tasks.js';
import { openJavaScript } from '../build/packages/zoo/sandbox/javascript.js';
import { openSql } from '../build/packages/zoo/sandbox/sql.js';
import { callRate } from './call_rate.mjs';
import { describeMachine, machineLine, readFlags, table, writeJson } from './command.mjs';

/** Milliseconds of one measurement. */
const MS = 500;
const PROBLEMS = 64;

const { repeats, json } = readFlags({ repeats: 5, quickRepeats: 2 });

const rate = (call) => callRate(call, { repeats, ms: MS });

/** A task's problems at a level, with their right answers. */
async function problemsOf(name, level) {
  const task = bindTask(await registeredTasks[name].load(), { level });
  return Array.from({ length: PROBLEMS }, (_, index) => task.trainItem(1, index));
}

const least = { javascript: 1500, sql: 500 };
const javascript = await openJavaScript();
const results = [];
for (const level of [0, 2]) {
  const items = await problemsOf('js_function', level);
  const perSecond = rate((index) => {
    const { answer, identity } = items[index % PROBLEMS];
    const [list] = identity.shown;
    if (!javascript.call(answer, [list]).ok) throw new Error(`${answer} failed`);
  });
  results.push({ sandbox: 'javascript', what: `tests of js_function, level ${level}`, perSecond });
}
results.push({
  sandbox: 'javascript',
  what: 'units of fuel of an endless loop',
  perSecond: 1_000_000 * rate(() => javascript.run('for(;;);', { fuel: 1_000_000 })),
});

const sql = await openSql();
const rows = Array.from({ length: 12 }, (_, i) => `(${i},${(i * 7) % 10},'${'xyz'[i % 3]}')`).join();
const setup = `create table t(a integer,b integer,c text);insert into t values ${rows}`;
results.push({
  sandbox: 'sql',
  what: 'queries of sql_select, with their tables',
  perSecond: rate(() => {
    if (!sql.query(setup, 'select c,sum(b) from t where a>3 group by c').ok) throw new Error('the query failed');
  }),
});

const machine = describeMachine();
console.log(machineLine(machine));
console.log(
  table(
    ['what', 'per second'],
    results.map(({ what, perSecond }) => [what, perSecond.toLocaleString('en-US')]),
  ),
);
if (json) writeJson(json, 'sandbox', { machine, settings: { repeats, least }, results });
