/** Words by which methods speak to the policy: only their runs have them, and supervised stages show their forms. */
import { describe, expect, it } from 'vitest';
import { followUpTokens } from '../../../../src/data/prompts/follow_up.ts';
import { stageOf, type TrainingRun } from '../../../../src/grpo/run.ts';
import { openSupervised } from '../../../../src/grpo/step.ts';
import { superviseStep } from '../../../../src/grpo/update/supervised.ts';
import { wordTokens } from '../../../../src/text/control_words.ts';
import { parseConfig, planCapacity, withWordsOf } from '../../../../test/support/everything.ts';
import { openSmallRun, plainWasm } from '../../../../test/support/small_runs.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { mostFollowUpTokens } from '../../methods/uses/room.ts';

const TINY =
  'model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}\neval_strategy: "no"\n';
const SPEAKS = 'rollout_strategies: [self-verify]';

function tasksOf(task: string, lines = SPEAKS) {
  const { config } = parseConfig(`task: ${task}\nmax_steps: 1\n${lines}`, { file: 'run.yaml' });
  const plain = createTasks(config);
  return { config, plain, tasks: withWordsOf(config, plain) };
}

describe('the words of a method', () => {
  it('are further tokens behind those of a closed vocabulary, of which none moves', () => {
    const { plain, tasks } = tasksOf('countdown');
    const { vocabSize } = plain.codec;
    expect(tasks.codec.vocabSize).toBe(vocabSize + 3);
    expect(['<verify>', '<yes>', '<no>'].map((word) => wordTokens(tasks.codec, word)[0] - vocabSize)).toEqual([
      0, 1, 2,
    ]);
    const item = tasks.trainItem(0, 0);
    expect(tasks.promptTokens(item)).toEqual(plain.promptTokens(item));
    expect(tasks.codec.decode([vocabSize + 1, 5, 6, vocabSize])).toBe(`<yes> ${plain.codec.decode([5, 6])} <verify>`);
    const { added_tokens: added } = tasks.codec.toJSON() as { added_tokens: { id: number; content: string }[] };
    expect(added.slice(-3)).toMatchObject([
      { id: vocabSize, content: '<verify>' },
      { id: vocabSize + 1, content: '<yes>' },
      { id: vocabSize + 2, content: '<no>' },
    ]);
  });

  it('are in no other run, and asked for twice they are there once', () => {
    const { config, tasks } = tasksOf('countdown');
    expect(withWordsOf(config, tasks)).toBe(tasks);
    const other = tasksOf('countdown', 'rollout_strategies: [prefix-branch]');
    expect(other.tasks).toBe(other.plain);
    expect(() => wordTokens(other.tasks.codec, '<yes>')).toThrow(/no word of this run/);
  });

  it('stand behind a reply in a prompt that has room', () => {
    const { config, tasks } = tasksOf('countdown');
    const item = tasks.trainItem(0, 0);
    const prompt = followUpTokens(tasks, item, [[tasks.codec.encode(item.answer), '<verify>']]);
    expect(tasks.codec.decode(prompt)).toBe(`${item.prompt} ${item.answer} <verify>`);
    const { context } = planCapacity(config, tasks);
    expect(context).toBe(tasks.maxPromptTokens + mostFollowUpTokens(tasks, 1) + tasks.maxCompletionTokens);
  });
});

/** The demonstrations of one supervised step, as texts. */
async function shown(share: number, method = SPEAKS) {
  const yaml = `task: {name: reverse_text, min_length: 2, max_length: 3}\n${TINY}stages:\n  - {stage: sft, max_steps: 1, per_device_train_batch_size: 64, form_share: ${share}}\n  - {stage: grpo, max_steps: 1, num_generations: 4, generation_batch_size: 8, ${method}}\n`;
  const run: TrainingRun = await openSmallRun(await plainWasm(), { yaml });
  const stage = stageOf(run);
  if (stage.stage !== 'sft') throw new Error('expected the supervised stage');
  const seen: string[] = [];
  const { forward } = run.engine.policy;
  run.engine.policy.forward = (batch, ...rest) => {
    for (let row = 0; row < batch.lossRowCount; row++) seen.push(run.engine.tasks.codec.tokenText(batch.targets[row]));
    return forward.call(run.engine.policy, batch, ...rest);
  };
  const step = openSupervised(run, stage);
  await superviseStep(run.engine, step, run.journal);
  const { completionTokens } = await superviseStep(run.engine, step, run.journal);
  await run.engine.policy.close();
  return { seen, completionTokens };
}

describe('a supervised stage', () => {
  it('shows a share of its demonstrations in the form of a later stage, right and wrong ones', async () => {
    const count = (seen: readonly string[], word: string) => seen.filter((text) => text === word).length;
    const none = (await shown(0)).seen;
    expect(count(none, '<yes>') + count(none, '<no>')).toBe(0);
    const all = (await shown(1)).seen;
    expect(count(all, '<yes>') + count(all, '<no>')).toBe(128);
    expect(Math.min(count(all, '<yes>'), count(all, '<no>'))).toBeGreaterThan(30);
    const some = (await shown(0.25)).seen;
    expect(count(some, '<yes>') + count(some, '<no>')).toBeGreaterThan(15);
    expect(count(some, '<yes>') + count(some, '<no>')).toBeLessThan(55);
  });
});
