import { describe, expect, it } from 'vitest';
import { budget } from '../../../../../test/support/budget.ts';
import { type AnyTaskDefinition, bindTask } from '../../../data/index.ts';
import { jsFunction } from '../../../data/tasks/js_function/js_function.ts';
import type { ShownFunction } from '../../../data/tasks/js_function/tests.ts';
import { jsRepair } from '../../../data/tasks/js_repair/js_repair.ts';
import { type SqlSelectItem, sqlSelect } from '../../../data/tasks/sql_select/sql_select.ts';
import { openJavaScript } from '../../../sandbox/javascript.ts';
import { openSql } from '../../../sandbox/sql.ts';
import { describeTasks, itScores } from '../../support/task_rules.ts';
import { SANDBOXED } from '../second_checkers/sandboxed.ts';
import { mutantFunctions } from './mutant_functions.ts';
import { mutantQueries } from './mutant_queries.ts';

describeTasks(
  SANDBOXED,
  {
    js_function: ['8618a01a', 'e5f06148', 'e965b7df', '889321bb'],
    js_repair: ['154c65f7', '19dfdd91', '86809100', 'f94e7755'],
    sql_select: ['2c2eb210', '639e34dd', 'c9259e48', '91898bc2'],
  },
  1 / 20,
);

const sandbox = await openJavaScript();
const plusTwo = {
  steps: [{ kind: 'add', n: 2 }],
  shown: [
    [1, 2, 3],
    [0, 7, 4],
    [5, 5, 1],
  ],
} as const;

describe('js_function: each number and two', () =>
  itScores(jsFunction(sandbox), {
    problem: plusTwo,
    1: [
      'a=>a.map(x=>x+2)',
      'a=>a.map(x=>2+x)',
      'function(l){const r=[];for(const x of l)r.push(x+2);return r}',
      '(a)=>Array.from(a,x=>x- -2)',
      ' a=>{a.forEach((x,i)=>a[i]=x+2);return a}\n',
    ],
    0: [
      'a=>a.map(x=>x+3)',
      '[3,4,5]',
      "a=>'[3,4,5]'",
      'a=>a.length==3?a.map(x=>x+2):a',
      'a=>a.map(x=>x>9?x:x+2)',
      'a=>{for(;;);}',
      'a=>process.exit()',
      'async a=>a.map(x=>x+2)',
      'a=>a.map(x=>x+2),1',
      'let n=0;a=>a.map(x=>x+2)',
      'a=>a),(a=>a.map(x=>x+2)',
      '0);(a=>a.map(x=>x+2)',
      '0);globalThis.n=1;(a=>a.map(x=>x+2)',
      'a=>a.map(x=>x==20?x:x+2)',
      'a=>a.length>9?a:a.map(x=>x+2)',
    ],
  }));

describe('js_repair: the wrong step again is no repair', () =>
  itScores(jsRepair(sandbox), {
    problem: { ...plusTwo, wrong: [{ kind: 'subtract', n: 2 }] },
    1: ['a=>a.map(x=>x+2)'],
    0: ['a=>a.map(x=>x-2)', 'a=>a', ''],
  }));

it('a test begins afresh: what a function keeps from one list is gone at the next', () => {
  const keeps = 'a=>{globalThis.n=(globalThis.n??1)+1;return a.map(x=>x+globalThis.n)}';
  const { score } = jsFunction(sandbox).verify(
    plusTwo,
    keeps,
    { steps: 1, methods: 1, fuel: 200_000 },
    { finishReason: 'eos' },
  );
  expect(score).toBe(1);
});

/** Problems of each level whose mutants are tried. */
const MUTATED = budget({ quick: 1, all: 2, release: 60 });

it('js_function refuses 99 % of functions near a right one, which are 40 to 60 for each problem', async () => {
  const definition = jsFunction(sandbox);
  const counts = { tried: 0, accepted: 0 };
  for (const level of definition.levels.keys()) {
    const task = bindTask(definition as unknown as AnyTaskDefinition, { level });
    for (let index = 0; index < MUTATED; index++) {
      const item = task.trainItem(0, index);
      const isRight = (answer: string) => task.verify(item, answer, { finishReason: 'eos' }).score === 1;
      const mutants = mutantFunctions((item.identity as ShownFunction).steps);
      counts.tried += mutants.length;
      counts.accepted += mutants.filter(isRight).length;
    }
  }
  expect(counts.tried).toBeGreaterThan(160 * MUTATED);
  expect(counts.accepted).toBeLessThanOrEqual(counts.tried / 100);
});

it(`sql_select refuses each query near a right one: ${MUTATED} problems of each level, 50 to 130 of each`, async () => {
  const definition = sqlSelect(await openSql());
  for (const level of definition.levels.keys()) {
    const task = bindTask(definition as unknown as AnyTaskDefinition, { level });
    for (let index = 0; index < MUTATED; index++) {
      const item = task.trainItem(0, index);
      const scoreOf = (answer: string) => task.verify(item, answer, { finishReason: 'eos' }).score;
      expect(scoreOf(item.answer)).toBe(1);
      const mutants = mutantQueries(item.identity as SqlSelectItem);
      expect(mutants.length).toBeGreaterThanOrEqual(50);
      expect(
        mutants.filter((query) => scoreOf(query) === 1),
        item.prompt,
      ).toEqual([]);
    }
  }
});

describe('sql_select: the sum of b by c, where a is more than 3', async () =>
  itScores(sqlSelect(await openSql()), {
    problem: { total: 'sum', column: 'b', conditions: [{ column: 'a', sign: '>', n: 3 }], isGrouped: true },
    1: [
      'select c,sum(b) from t where a>3 group by c',
      'SELECT c, SUM(b) AS s FROM t WHERE a >= 4 GROUP BY 1 ORDER BY s DESC;',
      'with u as (select * from t where not a<=3) select c,sum(b) from u group by c',
    ],
    0: [
      'select sum(b),c from t where a>3 group by c',
      'select c,sum(b) from t where a>2 group by c',
      'select c,sum(b) from t where a>3',
      'select c,sum(b) from t where a>3 group by c limit 9999',
      'select c,sum(b) from t where a>3 group by c;drop table t',
      'select c,sum(b) from u where a>3 group by c',
      '',
    ],
  }));
