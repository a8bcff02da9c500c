import { describe, expect, it } from 'vitest';
import type { CompletionSettings } from '../../src/grpo/rollout/complete.ts';
import {
  answeredItems,
  completeItems,
  completeTexts,
  completionText,
  rewardBatch,
} from '../../src/grpo/rollout/complete.ts';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { samplingKey } from '../../src/grpo/run.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { wholeVocabulary } from '../../src/model/sampling/generation.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { createTask, createTasks } from '../support/tasks.ts';

const YAML = `
task: {name: countdown, numbers: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 1
num_generations: 2
generation_batch_size: 4
num_generations_eval: 1
reward_funcs: [accuracy]`;

async function openSmall(): Promise<TrainingRun> {
  const { config } = parseConfig(YAML, { file: 'inline' });
  return openRun(config, createTasks(config, { heldOutSample: 4 }), referenceBackend);
}

function settingsOf(run: TrainingRun, more: Partial<CompletionSettings> = {}): CompletionSettings {
  const stage = run.config.stages[0];
  return { samples: 3, sampling: wholeVocabulary(1), samplingKey: samplingKey(0, 'sample'), stage, ...more };
}

describe('completeItems', () => {
  it('gives each completion the text without its EOS, and the verdict of its own item', async () => {
    const run = await openSmall();
    const items = run.engine.tasks.heldOutItems().slice(0, 3);
    const completions = await completeItems(run.engine, items, settingsOf(run));
    expect(completions.map((own) => own.length)).toEqual([3, 3, 3]);
    for (const { item, completion } of answeredItems(items, completions)) {
      expect(completion.text).toBe(completionText(run.engine.tasks, completion));
      expect(completion.verdict).toEqual(run.engine.tasks.verify(item, completion.text, completion));
    }
  });

  it('counts its rollouts from the first one, item by item', async () => {
    const run = await openSmall();
    const items = run.engine.tasks.heldOutItems().slice(0, 2);
    const together = await completeItems(run.engine, items, settingsOf(run, { firstRollout: 5 }));
    const [second] = await completeItems(run.engine, items.slice(1), settingsOf(run, { firstRollout: 5 + 3 }));
    expect(second).toEqual(together[1]);
  });

  it('gives the tokens that a text gets which is no problem of the task', async () => {
    const run = await openSmall();
    const items = run.engine.tasks.heldOutItems().slice(0, 2);
    const asItems = await completeItems(run.engine, items, settingsOf(run));
    const asTexts = await completeTexts(
      run.engine,
      items.map(({ prompt }) => prompt),
      settingsOf(run),
    );
    expect(asTexts).toEqual(asItems.map((own) => own.map(({ verdict: _, ...rest }) => rest)));
  });
});

describe('completionText', () => {
  it('leaves out an EOS alone: a completion that was cut keeps its last token', () => {
    const task = createTask({ name: 'countdown', numbers: 3 });
    const tokens = Int32Array.of(...task.codec.encode('1 + 2'), task.codec.eosTokenId);
    expect(completionText(task, { tokens, finishReason: 'eos' })).toBe('1 + 2');
    expect(completionText(task, { tokens: tokens.subarray(0, -1), finishReason: 'length' })).toBe('1 + 2');
  });
});

describe('rewardBatch', () => {
  it('holds one entry per completion in every list', async () => {
    const run = await openSmall();
    const items = run.engine.tasks.heldOutItems().slice(0, 2);
    const rows = answeredItems(items, await completeItems(run.engine, items, settingsOf(run)));
    const { trainerState, ...lists } = rewardBatch(rows, { step: 4, progress: 0.5 });
    expect(trainerState).toEqual({ step: 4, progress: 0.5 });
    expect(Object.values(lists).map((list) => list.length)).toEqual(new Array(7).fill(6));
    expect([...lists.groupOf]).toEqual([0, 0, 0, 1, 1, 1]);
    expect(lists.items).toEqual([items[0], items[0], items[0], items[1], items[1], items[1]]);
  });
});
