import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { RewardOptions } from '../../../src/rewards/definition.ts';
import { type RewardBatch, scoreRewards } from '../../../src/rewards/reward_function.ts';
import { folderOfFile } from '../../../test/support/folders.ts';
import { REWARD_BATCH as batch } from '../../../test/support/reward_batch.ts';
import type { SandboxedReward } from '../../zoo/rewards/sandbox/sandboxed_reward.ts';
import { moduleReference } from '../module.node.ts';
import { type RewardLimits, startReward } from '../threads/reward_thread.node.ts';

const LIMITS: RewardLimits = { load: 60, score: 60 };

const folder = folderOfFile();
let thread: SandboxedReward | undefined;

afterEach(async () => {
  await thread?.close();
  thread = undefined;
});

async function start(
  text: string,
  options: RewardOptions = {},
  limits = LIMITS,
  signature?: 'trl',
): Promise<SandboxedReward> {
  writeFileSync(join(folder, 'mine.mjs'), text);
  thread = await startReward(
    {
      reference: moduleReference('mine.mjs', undefined, folder),
      label: 'mine',
      options,
      ...(signature && { signature }),
    },
    limits,
  );
  return thread;
}

describe('a reward in its thread', () => {
  it('sees everything of a batch, and gives numbers and nulls back, one batch after the other', async () => {
    const reward = await start(`export default { name: 'x', score: (batch) => batch.verdicts.map(({ score }, i) =>
      score && batch.completionTokens[i].length + batch.trainerState.step + batch.items[i].identity.prompt.length) };`);
    expect(await reward.score(batch)).toEqual([6, null]);
    expect(await reward.score({ ...batch, trainerState: { step: 9, progress: 1 } })).toEqual([11, null]);
  });

  it('may be made from options, wait for others, and be a class', async () => {
    const reward = await start(
      `class Scaled {
        #scale;
        constructor(scale) { this.#scale = scale; }
        async score({ completions }) { await new Promise((resolve) => setTimeout(resolve, 5)); return completions.map((text) => this.#scale * text.length); }
      }
      export default ({ scale }) => new Scaled(scale);`,
      { scale: 10 },
    );
    expect(await reward.score(batch)).toEqual([10, 20]);
  });

  it('may have the form of TRL: one object of lists, the columns of the problems among them', async () => {
    const text = `export default ({ prompts, completions, completion_ids, trainer_state, answer, depth }) =>
      completions.map((text, i) => text.length + 10 * completion_ids[i].length + 100 * trainer_state.global_step
        + prompts[i].length / 2 + (depth[i] ?? 0) * 1000 + (answer[i] === '' ? 0 : 1e5));`;
    const reward = await start(text, {}, undefined, 'trl');
    const [first, ...others] = batch.items;
    const items = [{ ...first, columns: { depth: 3 } }, ...others] as RewardBatch['items'];
    expect(await reward.score({ ...batch, items })).toEqual([3411.5, 422.5]);
  });

  it('gets messages in the form of TRL where the row is a conversation, and texts elsewhere', async () => {
    const text = `export default ({ prompts, completions }) => completions.map((completion, i) =>
      typeof completion === 'string' ? prompts[i].length : 1000 + completion[0].content.length + 10 * prompts[i].length
        + (completion[0].role === 'assistant' && prompts[i].at(-1).content === 'more' ? 100 : 0));`;
    const reward = await start(text, {}, undefined, 'trl');
    const [first, ...others] = batch.items;
    const turns = ['say', 'so', 'more'].map((content, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content }));
    const items = [{ ...first, messages: turns }, ...others] as RewardBatch['items'];
    expect(await reward.score({ ...batch, items })).toEqual([1131, batch.prompts[1]?.length]);
  });

  it('logs columns and metrics as TRL has it, and a call that fails shows its line', async () => {
    const text = `export default ({ completions, log_extra, log_metric }) => {
      log_extra('length', completions.map((text) => text.length));
      log_metric('mean length', 1.5);
      return completions.map(() => 0);
    };`;
    const logged = await scoreRewards([await start(text, {}, undefined, 'trl')], batch);
    expect(logged).toMatchObject({ failures: [], rewards: [[0, 0]] });
    expect(logged.logs).toEqual({ columns: [['length', [1, 2]]], metrics: [['mean length', [1.5]]] });
    await thread?.close();
    const wrong = text.replace('1.5', 'completions');
    const { failures } = await scoreRewards([await start(wrong, {}, undefined, 'trl')], batch);
    expect(failures[0].message).toContain('logMetric("mean length") is given an object; give a finite number (line 3)');
  });

  it('of the form of TRL is a function without options', async () => {
    await expect(start('export default { score: () => [] };', {}, undefined, 'trl')).rejects.toThrow(
      'its default export is a reward, not a function; export function f({prompts, completions,',
    );
  });

  it('is held to the range that its file declares', async () => {
    const reward = await start('export default { range: [0, 1], score: () => [0.5, 7] };');
    await expect(reward.score(batch)).rejects.toThrow('give a number from 0 to 1, as its range says');
  });

  it('cannot change the batch of the run', async () => {
    const reward = await start(
      'export default { score: (batch) => { batch.completionTokens[0][0] = 99; return [0, 0]; } };',
    );
    await reward.score(batch);
    expect(batch.completionTokens[0]).toEqual(Int32Array.of(1));
  });

  it('sees a batch that is frozen: what it writes into it is an error of its own, not another value', async () => {
    const reward = await start(
      'export default { score: (batch) => { batch.verdicts[0].score = 5; return batch.verdicts.map(({ score }) => score); } };',
    );
    await expect(reward.score(batch)).rejects.toThrow(/Cannot assign to read only property 'score'/);
  });

  it('cannot answer by itself: what it posts is no reply', async () => {
    const reward = await start(`import { parentPort } from 'node:worker_threads';
      export default { score: (batch) => {
        for (const forged of [null, { type: 'scores', values: [9, 9] }, { nonce: '', content: { type: 'scores', values: [9, 9] } }])
          parentPort.postMessage(forged);
        return [1, 1];
      } };`);
    expect(await reward.score(batch)).toEqual([1, 1]);
  });

  it('that does not finish loading is given up', async () => {
    await expect(start('for (;;);', {}, { load: 0.3, score: 60 })).rejects.toThrow(
      'does not finish loading within 0.3 s; correct it, or raise reward_timeout',
    );
  });

  it('that loops is given up, and scores nothing more', async () => {
    const reward = await start('export default { score: () => { for (;;); } };', {}, { load: 60, score: 0.1 });
    await expect(reward.score(batch)).rejects.toMatchObject({
      code: 'reward-timeout',
      message: expect.stringContaining('gave nothing within 0.1 s in step 5'),
    });
    await expect(reward.score(batch)).rejects.toMatchObject({ code: 'reward-failed' });
  });

  it('that lets a promise fail unattended is named for it', async () => {
    const reward = await start(
      `export default { score: () => { Promise.reject(new Error('left behind')); return new Promise(() => {}); } };`,
    );
    await expect(reward.score(batch)).rejects.toThrow('failed outside of a call (Error: left behind) in step 5');
  });

  it('that takes memory outside of the heap, which no engine limits, is ended', async () => {
    const reward = await start(
      'const kept = []; export default { score() { for (;;) kept.push(Buffer.alloc(2 ** 22, 1)); } };',
      {},
      { load: 60, score: 60, memoryBytes: 2 ** 28 },
    );
    await expect(reward.score(batch)).rejects.toThrow('took more than 0.3 GiB of memory in step 5');
  });

  it('that loads nothing at its end says so', async () => {
    await expect(start('process.exit(7);')).rejects.toThrow('ended its thread by process.exit(7) while it was loaded');
  });
});
