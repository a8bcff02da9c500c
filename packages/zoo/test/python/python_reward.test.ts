/** A reward that is a function in Python, called by the Python of this machine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RewardBatch, scoreRewards } from '../../../../src/rewards/reward_function.ts';
import { REWARD_BATCH } from '../../../../test/support/reward_batch.ts';
import { startPython } from '../../../plugins/python/python_reward.node.ts';
import type { SandboxedReward } from '../../rewards/sandbox/sandboxed_reward.ts';

const folder = mkdtempSync(join(tmpdir(), 'rlvr-python-'));
afterAll(() => rmSync(folder, { recursive: true }));

const LIMITS = { load: 20, score: 20 };

async function start(text: string, signature: 'trl' | 'verl' = 'trl', limits = LIMITS): Promise<SandboxedReward> {
  const path = join(folder, 'rewards.py');
  writeFileSync(path, text);
  const reward = await startPython(
    { path, shown: 'rewards.py', function: 'f', signature, command: process.env.PYTHON ?? 'python3' },
    limits,
  );
  onTestFinished(() => reward.close());
  return reward;
}

const batch: RewardBatch = {
  ...REWARD_BATCH,
  prompts: ['a', 'bc'],
  items: [
    { id: 'a', prompt: 'a', answer: '1', identity: { prompt: 'a' }, columns: { depth: 3 } },
    { id: 'b', prompt: 'b', answer: '2', identity: { prompt: 'b' }, messages: [{ role: 'user', content: 'bc' }] },
  ],
};

describe('a function in Python', () => {
  it('gets what TRL gives it, and gives floats and None', async () => {
    const reward = await start(`
import sys
def f(prompts, completions, completion_ids, trainer_state, answer, depth, **kwargs):
    assert isinstance(completions[1], list) and completions[1][0]['role'] == 'assistant'
    assert prompts[1] == [{'role': 'user', 'content': 'bc'}] and prompts[0] == 'a'
    print('printed')
    return [len(completions[0]) + 10 * len(completion_ids[1]) + 100 * trainer_state.global_step
            + 1000 * depth[0] + int(answer[1]) / 8, None if depth[1] is None else 0]
`);
    expect(await reward.score(batch)).toEqual([3421.25, null]);
    expect(await reward.score(batch)).toEqual([3421.25, null]);
  });

  it('need not take all of it, may be async, and log', async () => {
    const reward = await start(`
async def f(completions, log_extra, log_metric):
    log_extra('length', [len(one) for one in completions])
    log_metric('mean length', 1.5)
    return (True, 0)
`);
    const { logs, rewards, failures } = await scoreRewards([reward], batch);
    expect({ rewards, failures }).toEqual({ rewards: [[1, 0]], failures: [] });
    expect(logs).toEqual({ columns: [['length', [1, 1]]], metrics: [['mean length', [1.5]]] });
  });

  it('may be one of verl, which is called with each answer', async () => {
    const reward = await start(
      `
def f(data_source, solution_str, ground_truth, extra_info=None):
    return {'score': len(solution_str) + int(ground_truth) / 10, 'acc': 1} if solution_str == 'x' else 0.5
`,
      'verl',
    );
    expect(await reward.score(batch)).toEqual([1.1, 0.5]);
  });

  it.each([
    [
      'def f(completions, **kw):\n    return g(completions)\n\ndef g(c):\n    return 1 / 0\n',
      /failed in step 5.*: rewards\.py:5: ZeroDivisionError: division by zero — correct it/,
    ],
    ['def f(**kw):\n    import sys\n    sys.exit(3)\n', /rewards\.py:3: SystemExit: 3/],
    ['def f(**kw):\n    import os\n    os._exit(3)\n', /ended its process \(exit code 3\)/],
    ['def f(**kw):\n    return [float("nan"), 1]\n', /gave "nan"/],
    ['def f(**kw):\n    return [1]\n', /1 .*2/],
    ['def f(**kw):\n    return 7\n', /TypeError: .*int.* is not iterable/],
  ])('fails with its line, and without ours: %j', async (text, message) => {
    const reward = await start(text);
    const { failures } = await scoreRewards([reward], batch);
    expect(failures[0]?.message).toMatch(message);
    expect(failures[0]?.message).not.toMatch(/<string>|Traceback|runner/);
  });

  it.each([
    ['def f(:\n    pass\n', /^fails: rewards\.py:1: SyntaxError: .*; correct it$/],
    [
      'x = 1\nimport no_such_module\n',
      /^fails: rewards\.py:2: ModuleNotFoundError: No module named 'no_such_module'; correct it$/,
    ],
    ['def g():\n    pass\n', /^has no function f; it has g$/],
  ])('is refused before the first step: %j', async (text, message) => {
    await expect(start(text)).rejects.toThrow(message);
  });

  it('that takes too long is ended', async () => {
    const reward = await start('import time\ndef f(**kw):\n    time.sleep(60)\n', 'trl', { load: 20, score: 0.3 });
    await expect(reward.score(batch)).rejects.toThrow(/gave nothing within 0\.3 s .*raise reward_timeout/);
    await expect(reward.score(batch)).rejects.toThrow('was ended');
  });
});
