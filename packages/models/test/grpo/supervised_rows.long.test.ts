/** Supervised stages on rows of the user's: what is learned of them, by numbers. */

import { describe, expect, it } from 'vitest';
import { taskSet } from '../../../../src/data/task_set.ts';
import { stageOf, type TrainingRun } from '../../../../src/grpo/run.ts';
import { openSupervised } from '../../../../src/grpo/step.ts';
import { superviseStep } from '../../../../src/grpo/update/supervised.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { packBatch } from '../../../../src/model/batch.ts';
import type { Message } from '../../../../src/text/codec.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { openDataset } from '../../../zoo/data/datasets/dataset.ts';
import { memoryFiles } from '../../../zoo/test/data/datasets/memory_files.ts';
import { openSmallPretrained } from '../support/small_pretrained.ts';

const YAML = `model_name_or_path: ./base
task: {name: dataset, train: q.jsonl}
stages:
  - {stage: sft, max_steps: 4, per_device_train_batch_size: 6, learning_rate: 1.0e-30, lr_scheduler_type: constant, eval_strategy: "no"}
`;

const chats = Array.from({ length: 200 }, (_, i) => ({
  messages: [
    { role: 'user', content: `${i} and 1?` },
    { role: 'assistant', content: `${i + 1}` },
    { role: 'user', content: i % 2 === 0 ? 'More?' : 'And then one more?' },
    { role: 'assistant', content: `${i + 2}` },
  ],
}));

/** A run on these rows, by a small pretrained model. @param shown  rows of the stage's own */
async function opened(rows: readonly object[], shown?: readonly object[]): Promise<TrainingRun> {
  const pretrained = await openSmallPretrained();
  const { codec } = pretrained;
  const text = (all: readonly object[]): string => all.map((row) => JSON.stringify(row)).join('\n');
  const files = memoryFiles({ 'q.jsonl': text(rows), 'shown.jsonl': text(shown ?? []) });
  const task = await openDataset({ train: 'q.jsonl' }, { files, codec, heldOutSample: 4 });
  const own = shown && (await openDataset({ train: 'shown.jsonl' }, { files, codec, isShown: true }));
  const supervised = own && new Map([[0, taskSet([{ task: own, weight: 1 }], codec)]]);
  const { config } = parseConfig(YAML, { file: 'inline' });
  const tasks = taskSet([{ task, weight: 1 }], codec, supervised);
  return openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained });
}

function superviseNow(run: TrainingRun): ReturnType<typeof superviseStep> {
  const stage = stageOf(run);
  if (stage.stage !== 'sft') throw new Error('a supervised run');
  return superviseStep(run.engine, openSupervised(run, stage), run.journal);
}

/** Mean negative log-prob of the assistant's tokens of the first conversations, each scored whole. */
async function expectedLoss(run: TrainingRun, count: number): Promise<{ loss: number; tokens: number }> {
  const { config } = run;
  const { tasks } = run.engine;
  const { policy } = run.engine;
  let [loss, counted] = [0, 0];
  for (let index = 0; index < count; index++) {
    const item = tasks.supervised(0).trainItem(config.seed, index);
    const { prompt, tokens, labels } = tasks.supervised(0).demonstration(item, config.seed, index);
    const { logprobs } = await policy.forward(packBatch([{ prompt, completions: [tokens] }]), 1);
    for (const [place, logprob] of logprobs.entries()) {
      if (labels?.[place] === TOKEN.given) continue;
      loss -= logprob;
      counted++;
    }
  }
  return { loss: loss / counted, tokens: counted };
}

describe('a supervised stage on rows', () => {
  it('has the mean negative log-prob of the assistant’s tokens alone as its loss', async () => {
    const run = await opened(chats);
    const expected = await expectedLoss(run, 6);
    const { loss, completionTokens } = await superviseNow(run);
    expect(completionTokens).toBe(expected.tokens);
    expect(loss).toBeCloseTo(expected.loss, 5);
    await run.engine.policy.close();
  });

  it('takes the rows that are its own, of any length, beside the task of the run', async () => {
    const long = 'a long answer '.repeat(8);
    const shown = Array.from({ length: 30 }, (_, i) => ({ prompt: `Say ${i}`, completion: `${long}${i}` }));
    const run = await opened(chats, shown);
    const expected = await expectedLoss(run, 6);
    const { loss, completionTokens } = await superviseNow(run);
    expect(completionTokens).toBe(expected.tokens);
    expect(completionTokens).toBeGreaterThan(6 * 20);
    expect(loss).toBeCloseTo(expected.loss, 5);
    expect(run.journal.state.itemsDrawn).toBe(6);
    await run.engine.policy.close();
  });

  it('refuses a conversation that is longer than the memory that was planned', async () => {
    const { codec } = await openSmallPretrained();
    const files = memoryFiles({ 'q.jsonl': chats.map((row) => JSON.stringify(row)).join('\n') });
    const task = await openDataset({ train: 'q.jsonl' }, { files, codec });
    let turns = chats[0].messages;
    const set = taskSet([{ task: Object.assign(task, { dialogue: () => turns as Message[] }), weight: 1 }], codec);
    turns = [...turns, ...turns, ...turns];
    expect(() => set.demonstration(set.trainItem(1, 0), 1, 0)).toThrow(
      /^q\.jsonl:\d+ {2}its conversation takes \d+ tokens where those that were measured led to expect \d+ at most; shorten it/,
    );
  });

  it('shows several completions of a prompt, and holds none out', async () => {
    const shown = ['yes', 'no', 'perhaps'].map((completion) => ({ prompt: 'Is it?', completion }));
    const run = await opened(chats, shown);
    const set = run.engine.tasks.supervised(0);
    const answers = [0, 1, 2].map((index) => set.trainItem(7, index).answer);
    expect(answers.sort()).toEqual(['no', 'perhaps', 'yes']);
    await run.engine.policy.close();
  });
});
