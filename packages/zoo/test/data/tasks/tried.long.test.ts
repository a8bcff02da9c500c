/** Tasks whose answers are run, in turns: with a tool that runs what a policy tries, and asked again. */
import { expect, it } from 'vitest';
import { bindEnvironment, playEpisode } from '../../../../../src/data/play.ts';
import type { TaskItem } from '../../../../../src/data/task.ts';
import { budget } from '../../../../../test/support/budget.ts';
import { registeredTasks } from '../../../../../test/support/everything.ts';
import { checkTask, findingText, type SecondChecker, takeKnobs } from '../../../data/index.ts';
import { SANDBOXED } from '../second_checkers/sandboxed.ts';

/** The first action that is no call is the answer, after at most as many calls as are given. */
const answered =
  (checker: SecondChecker | undefined): SecondChecker =>
  (problem, answer) => {
    const lines = answer.split('\n');
    const at = lines.findIndex((line) => !line.includes('<call>'));
    return at >= 0 && at <= 3 && (checker?.(problem, lines[at] ?? '') ?? false);
  };

it.each([
  ['js_try', SANDBOXED.js_function, 2],
  ['sql_try', SANDBOXED.sql_select, 1],
] as const)(
  '%s keeps the rules of an environment, and agrees with its second checker',
  async (name, checker, level) => {
    const definition = await registeredTasks[name].load();
    const effort = {
      items: budget({ quick: 2, all: 2, release: 6 }),
      attempts: budget({ quick: 20, all: 20, release: 60 }),
    };
    const { findings } = checkTask(definition, { ...effort, settings: [{ level }], second: answered(checker) });
    expect(findings.map(findingText)).toEqual([]);
  },
  60_000,
);

/** What is read after each action, and the score of the last. */
async function played(name: string, given: object, identity: object, actions: readonly string[]) {
  const definition = await registeredTasks[name].load(given as never);
  const knobs = takeKnobs(definition, given as never);
  const bound = bindEnvironment(definition.environment as NonNullable<typeof definition.environment>, name, knobs);
  const item = { identity, key: definition.key(identity as never) } as unknown as TaskItem;
  const { turns, verdict } = playEpisode(bound, item, 'test', (_, turn) => actions[turn]);
  return { read: turns.filter(({ from }) => from !== 'policy').map(({ text }) => text), score: verdict.score };
}

const PLUS_TWO = {
  steps: [{ kind: 'add', n: 2 }],
  shown: [
    [1, 2, 3],
    [0, 7, 4],
    [5, 5, 1],
  ],
};

it('run_js gives the value of a program, and ? for one that fails; the answer is judged as ever', async () => {
  const tries = ['<call>run_js (a=>a.map(x=>x+3))([1,2,3])</call>', '<call>run_js for(;;);</call>'];
  expect(await played('js_try', { calls: 3 }, PLUS_TWO, [...tries, 'a=>a.map(x=>x+2)'])).toEqual({
    read: ['[4,5,6]', '?'],
    score: 1,
  });
  const hostile = '<call>run_js globalThis.JSON={stringify:()=>"no"};String.fromCharCode(9731)</call>';
  const { read, score } = await played('js_try', {}, PLUS_TWO, [hostile, 'a=>a']);
  expect([read, score]).toEqual([['"?"'], 0]);
});

it('query gives the rows of a query over six rows', async () => {
  const item = { total: 'sum', column: 'b', conditions: [{ column: 'a', sign: '>', n: 3 }], isGrouped: false };
  const tries = ['<call>query select c,sum(b) from t group by c</call>', '<call>query drop table t</call>'];
  expect(await played('sql_try', {}, item, [...tries, 'select sum(b) from t where a>3'])).toEqual({
    read: ['x,9|y,11|z,8', '?'],
    score: 1,
  });
});

it('a task whose verdict takes time is asked again like any other, and says what it runs in', async () => {
  const given = { of: { task: 'js_function' }, attempts: 2 };
  const again = await played('retry', given, PLUS_TWO, ['a=>a.map(x=>x+3)', 'a=>a.map(x=>x+2)']);
  expect(again.score).toBe(1);
  expect(again.read).toHaveLength(1);
  expect((await played('retry', given, PLUS_TWO, ['a=>a', 'a=>{for(;;);}'])).score).toBe(0);
  expect((await registeredTasks.retry.load(given as never)).sandboxEngine?.name).toBe('javascript');
});
