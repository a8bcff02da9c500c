/** Verdicts from threads: those of the verifier itself, however many threads there are and whichever is done first. */
import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { verdictsOf, verifyEach } from '../../../src/data/judging/judged.ts';
import type { GivenAnswer } from '../../../src/data/task.ts';
import type { TaskSet } from '../../../src/data/task_set.ts';
import { parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { moduleReference } from '../module.node.ts';
import { type OpenedPlugins, openPlugins } from '../open_plugins.node.ts';
import { judgeThreads, type NodeJudgeThreads } from '../threads/judge_threads.node.ts';

eachInOwnFolder();

let opened: OpenedPlugins | undefined;
let threads: NodeJudgeThreads | undefined;

afterEach(async () => {
  await opened?.close();
  await threads?.close();
  opened = threads = undefined;
});

function answersOf(tasks: TaskSet, count: number): GivenAnswer[] {
  return Array.from({ length: count }, (_, index) => {
    const item = tasks.trainItem(0, index >> 1);
    return { item, completion: index % 2 === 0 ? item.answer : `${index}`, context: { finishReason: 'eos' } };
  });
}

/** A task that imports nothing of the package, so that a thread loads it at once. */
function sum(verify: string, more: string): string {
  return `import { isMainThread } from 'node:worker_threads';
    const PIECES = ['<pad>', '<eos>', ...'0123456789+='];
    const TOKENIZER = {
      vocabSize: 14, eosTokenId: 1, padTokenId: 0,
      encode: (text) => Int32Array.from([...text], (piece) => PIECES.indexOf(piece)),
      decode: (ids) => Array.from(ids, (id) => PIECES[id]).join(''),
      tokenText: (id) => PIECES[id], toJSON: () => ({}), configJSON: () => ({}),
    };
    const judgeNumber = (answer, sum) => answer === String(sum)
      ? { score: 1, status: 'correct', reason: 'the sum' }
      : { score: 0, status: 'incorrect', reason: 'not the sum' };
    export default {
      name: 'sum', version: 1, category: 'arithmetic', tier: 1, family: 'sum', knobs: {}, levels: [{}],
      generate: (rng) => ({ a: rng.int(0, 99), b: rng.int(0, 99) }),
      key: ({ a, b }) => 'sum|' + Math.min(a, b) + '|' + Math.max(a, b),
      prompt: ({ a, b }) => a + '+' + b + '=', oracle: ({ a, b }) => String(a + b),
      demonstration: ({ a, b }) => String(a + b), mutants: () => [], chance: () => 0.1,
      verify({ a, b }, answer) { ${verify} },
      tokenizer: () => TOKENIZER, limits: () => ({ promptTokens: 6, completionTokens: 5 }),
      ${more}
    };`;
}

/** The tasks of a run with it. */
async function own(verify: string, more = 'takesTime: true', limit = 30): Promise<TaskSet> {
  writeFileSync('sum.mjs', sum(verify, more));
  const yaml = `task: ./sum.mjs\nmax_steps: 1\nreward_funcs: [accuracy]\nreward_timeout: ${limit}`;
  opened = await openPlugins(parseConfig(yaml, { file: 'my.yaml' }), { file: 'my.yaml', announce: () => {} });
  return opened.tasks;
}

describe('threads for verdicts', () => {
  it('give the same in the same order, whether there is one or there are three', async () => {
    writeFileSync(
      'sum.mjs',
      sum('for (const until = Date.now() + (a % 4); Date.now() < until; ); return judgeNumber(answer, a + b);', ''),
    );
    const asked = Array.from({ length: 100 }, (_, a) => ({
      identity: { a, b: 1 },
      answer: String(a % 3 === 0 ? a + 1 : a),
      context: { finishReason: 'eos' as const },
    }));
    for (const count of [1, 3]) {
      threads = judgeThreads(count);
      const judge = threads.ofFile(moduleReference('sum.mjs', undefined, '.'), 30);
      expect((await judge(asked, {})).map(({ score }) => score)).toEqual(asked.map((_, a) => (a % 3 === 0 ? 1 : 0)));
      expect(await judge([], {})).toEqual([]);
      await threads.close();
    }
  });

  it('judge a file of the user that says so, which is slow for some answers', async () => {
    const tasks = await own(`
      for (const until = Date.now() + (isMainThread ? 0 : a % 5); Date.now() < until; );
      return { ...judgeNumber(answer, a + b), reason: isMainThread ? 'here' : 'there' };`);
    const answers = answersOf(tasks, 40);
    const there = await verdictsOf(tasks, answers);
    expect(new Set(there.map(({ reason }) => reason))).toEqual(new Set(['there']));
    const here = verifyEach(tasks, answers);
    expect(there.map(({ score }) => score)).toEqual(here.map(({ score }) => score));
    expect(new Set(here.map(({ reason }) => reason))).toEqual(new Set(['here']));
  });

  it.each([
    [
      'throws',
      "throw new TypeError('no table')",
      /verify failed for problem \{ a: \d+, b: \d+ \} and answer '7777': TypeError: no table/,
    ],
    [
      'hangs',
      'for (;;);',
      /verify gave nothing within 0\.5 s for problem .* and answer '7777' — it hangs or is too slow/,
    ],
    [
      'ends its thread',
      'process.exit(3)',
      /task "sum" \(sum\.mjs\): verify failed for problem .* and answer '7777': it called process\.exit\(3\)/,
    ],
    [
      'gives NaN',
      'return { ...judgeNumber(answer, 1), score: NaN }',
      /verify gave \{ score: NaN, .* for problem .* and answer '7777'/,
    ],
  ])('say which answer it was where a verifier %s, and judge the next ones', async (_, does, says) => {
    const tasks = await own(
      `if (answer === '7777') { ${does}; } return judgeNumber(answer, a + b);`,
      'takesTime: true',
      0.5,
    );
    const answers = answersOf(tasks, 12);
    const bad = answers.map((one, i) => (i === 5 ? { ...one, completion: '7777' } : one));
    await expect(verdictsOf(tasks, bad)).rejects.toThrow(says);
    expect(await verdictsOf(tasks, answers)).toEqual(verifyEach(tasks, answers));
  });
});

describe('judge of a file', () => {
  const judging = (body: string): string => `verify: undefined, judge: async (answers) => { ${body} }`;
  const all = 'answers.map(({ identity: { a, b }, answer }) => judgeNumber(answer, a + b))';

  it('gives the verdicts, where there is no verify', async () => {
    const tasks = await own('', judging(`await new Promise((resolve) => setTimeout(resolve, 5)); return ${all};`));
    const verdicts = await verdictsOf(tasks, answersOf(tasks, 6));
    expect(verdicts.map(({ score }) => score)).toEqual([1, 0, 1, 0, 1, 0]);
    const [{ item, completion, context }] = answersOf(tasks, 1);
    expect(() => tasks.verify(item, completion, context)).toThrow('its answers are judged together');
  });

  it.each([
    [
      'fails',
      "await 0; throw new TypeError('no answer')",
      'task "sum" (sum.mjs): judge failed: TypeError: no answer (line',
    ],
    ['never ends', 'await new Promise(() => {})', 'task "sum" (sum.mjs): judge gave nothing within 0.4 s — it hangs'],
    ['hangs', 'for (;;);', 'task "sum" (sum.mjs): judge gave nothing within 0.4 s — it hangs'],
    ['gives fewer', `return ${all}.slice(1)`, 'task "sum": judge gave 5 verdicts for 6 answers'],
    ['gives no number', `return ${all}.with(1, { score: NaN })`, 'judge gave {"score":"NaN"} for answer 2 of 6, "1"'],
  ])('that %s stops the run in words', async (_, body, says) => {
    const tasks = await own('', judging(body), 0.4);
    await expect(verdictsOf(tasks, answersOf(tasks, 6))).rejects.toThrow(says);
  });
});
