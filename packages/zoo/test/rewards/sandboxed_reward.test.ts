import { expect, it } from 'vitest';
import type { RewardBatch } from '../../../../src/rewards/reward_function.ts';
import type { Envelope, SandboxReply } from '../../rewards/sandbox/sandbox.ts';
import { frozen } from '../../rewards/sandbox/sandbox.ts';
import { SandboxedReward } from '../../rewards/sandbox/sandboxed_reward.ts';

const batch: RewardBatch = {
  prompts: ['a'],
  completions: ['x'],
  completionTokens: [Int32Array.of(1)],
  items: [{ id: 'a', prompt: 'a', answer: '', identity: {} }],
  groupOf: Int32Array.of(0),
  verdicts: [{ score: 1, status: 'correct', reason: 'right' }],
  finishReasons: ['eos'],
  trainerState: { step: 2, progress: 0.5 },
};

interface Thread {
  readonly reward: SandboxedReward;
  readonly asked: Envelope<unknown>[];
  readonly terminated: () => number;
}

/** A sandbox whose thread posts what `answers` gives for a question: nothing where that is undefined. */
function threadOf(answers: (question: Envelope<unknown>) => unknown, score = 1, key?: string): Thread {
  const asked: Envelope<unknown>[] = [];
  let terminated = 0;
  const reward: SandboxedReward = new SandboxedReward({
    name: 'mine',
    limits: { load: score, score, ...(key !== undefined && { key }) },
    host: {
      post: (question) => {
        asked.push(question);
        const message = answers(question);
        if (message !== undefined) queueMicrotask(() => reward.hear(message));
      },
      terminate: () => {
        terminated++;
      },
    },
  });
  return { reward, asked, terminated: () => terminated };
}

const replying =
  (content: SandboxReply) =>
  ({ nonce }: Envelope<unknown>) => ({ nonce, content });

it('a batch gets the values that the thread replies with, and each question has a nonce of its own', async () => {
  const { reward, asked } = threadOf(replying({ type: 'scores', values: [1] }));
  expect(await reward.score(batch)).toEqual([1]);
  expect(await reward.score(batch)).toEqual([1]);
  expect(new Set(asked.map(({ nonce }) => nonce)).size).toBe(2);
  for (const { nonce } of asked) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
});

it.each([
  ['null', null],
  ['a text', 'scores'],
  ['a bare reply', { type: 'scores', values: [9] }],
  ['a reply under no nonce', { nonce: '', content: { type: 'scores', values: [9] } }],
  ['a reply under a guess', { nonce: '0'.repeat(32), content: { type: 'scores', values: [9] } }],
])('%s that is posted before the reply is not taken for it', async (_, forged) => {
  const thread = threadOf((question) => {
    thread.reward.hear(forged);
    return replying({ type: 'scores', values: [1] })(question);
  });
  expect(await thread.reward.score(batch)).toEqual([1]);
});

it('a reply to an earlier question is not taken for the next one, and one that nobody waits for is nothing', async () => {
  let first: Envelope<unknown> | undefined;
  const { reward } = threadOf((question) => {
    first ??= question;
    reward.hear({ nonce: question === first ? '' : first.nonce, content: { type: 'scores', values: [9] } });
    return replying({ type: 'scores', values: [1] })(question);
  });
  reward.hear({ nonce: '', content: { type: 'scores', values: [9] } });
  expect(await reward.score(batch)).toEqual([1]);
  expect(await reward.score(batch)).toEqual([1]);
});

it.each([
  ['null', null],
  ['no type', {}],
  ['a type that is none', { type: 'done' }],
  ['a failure without a text', { type: 'failed', message: 7 }],
])('%s under the right nonce is no reply', async (_, content) => {
  const { reward } = threadOf(({ nonce }) => ({ nonce, content }), 0.05);
  await expect(reward.score(batch)).rejects.toMatchObject({ code: 'reward-timeout' });
});

it('one that is late is ended, and the message names its limit, its time and the key that raises it', async () => {
  const { reward, terminated } = threadOf(() => undefined, 0.05, 'reward_timeout');
  await expect(reward.score(batch)).rejects.toThrow(
    'reward "mine" gave nothing within 0.05 s in step 3 — it hangs or is too slow; correct it, or raise reward_timeout.',
  );
  expect(terminated()).toBe(1);
  await expect(reward.score(batch)).rejects.toMatchObject({ code: 'reward-failed' });
});

it('a limit may be longer than a timer can hold', async () => {
  const { reward } = threadOf(replying({ type: 'scores', values: [1] }), Number.MAX_SAFE_INTEGER);
  expect(await reward.score(batch)).toEqual([1]);
});

it('an end answers the open question and all further ones with its first reason', async () => {
  const { reward } = threadOf(() => undefined, 60);
  const open = reward.score(batch);
  reward.end('ran out of memory');
  reward.end('ended its thread');
  await expect(open).rejects.toThrow('reward "mine" ran out of memory in step 3 — it can score nothing more');
  await expect(reward.score(batch)).rejects.toThrow('ran out of memory');
});

it('one that was closed is terminated and scores nothing more', async () => {
  const { reward, terminated } = threadOf(replying({ type: 'scores', values: [1] }));
  await reward.close();
  expect(terminated()).toBe(1);
  await expect(reward.score(batch)).rejects.toThrow('was closed');
});

it('what is refused while it is loaded keeps its rule and its facts', async () => {
  const { reward } = threadOf(replying({ type: 'refused', rule: 'it is no reward; correct it', facts: { key: 'x' } }));
  await expect(reward.load(undefined)).rejects.toMatchObject({
    code: 'bad-module',
    message: 'it is no reward; correct it',
    facts: { key: 'x' },
  });
});

it('frozen reaches every list and object, and leaves typed arrays as they are', () => {
  const value = frozen({ list: [{ deep: 1 }], tokens: Int32Array.of(1) });
  expect(() => Object.assign(value.list[0] as object, { deep: 2 })).toThrow(TypeError);
  expect(() => value.list.push({ deep: 3 })).toThrow(TypeError);
  value.tokens[0] = 2;
  expect(value.tokens[0]).toBe(2);
});
