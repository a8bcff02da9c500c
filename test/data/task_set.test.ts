import { describe, expect, it } from 'vitest';
import { evaluationMetrics } from '../../src/grpo/metrics.ts';
import { evaluateRun, train } from '../../src/grpo/trainer.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { createTasks as createTasksLater, openRun, parseConfig } from '../support/everything.ts';
import { createTask, createTasks, onlyTask } from '../support/tasks.ts';

const configOf = (tasks: string, further = '') =>
  parseConfig(`tasks: ${tasks}\n${further || 'max_steps: 2'}`, { file: 'run.yaml' }).config;
const setOf = (tasks: string) => createTasks(configOf(tasks), { heldOutSample: 40 });

const TWO = '[{name: sort_digits, digits: 3, weight: 3}, {name: reverse_text, level: 0}]';

describe('a set of one task', () => {
  const set = createTask({ name: 'countdown', numbers: 2 });
  const task = onlyTask(set);

  it('has its items, as they are', () => {
    for (const index of [0, 7, 400]) expect(set.trainItem(3, index)).toEqual(task.trainItem(3, index));
    expect(set.heldOutItems()).toBe(task.heldOutItems());
    expect(set.trainProblems()).toBe(task.trainProblems());
    expect(set.name).toBe('countdown');
  });

  it('has its vocabulary and its limits', () => {
    const { tokenizer, promptTokens, completionTokens } = task.language;
    expect(set.codec.toJSON()).toEqual(tokenizer.toJSON());
    expect(set.codec.stopIds).toEqual([tokenizer.eosTokenId]);
    expect([set.maxPromptTokens, set.maxCompletionTokens]).toEqual([promptTokens, completionTokens]);
    expect(set.fixedCompletionTokens).toBeUndefined();
    expect(createTask({ name: 'sort_digits' }).fixedCompletionTokens).toBe(4);
  });

  it('asks its prompt, and is played in no turns', () => {
    const item = set.trainItem(0, 0);
    expect(set.codec.render(set.environment.prompt(item))).toBe(item.prompt);
    expect([set.environment.maxTurns, set.environment.plays(item)]).toEqual([1, false]);
    expect(() => set.environment.start(item, '0')).toThrow('answered by one text');
  });
});

describe('a set of several tasks', () => {
  const set = setOf(TWO);
  const draws = Array.from({ length: 2000 }, (_, index) => set.trainItem(5, index));

  it('draws each as often as its weight says, as a pure function of seed and index', () => {
    const sorting = draws.filter(({ task }) => task === 'sort_digits').length;
    expect(Math.abs(sorting - 1500)).toBeLessThan(4 * Math.sqrt(2000 * 0.75 * 0.25));
    const other = setOf(TWO);
    for (const index of [1999, 0, 5]) expect(other.trainItem(5, index)).toEqual(draws[index]);
    const differing = draws.slice(0, 50).filter(({ task }, index) => other.trainItem(6, index).task !== task);
    expect(differing.length).toBeGreaterThan(5);
  });

  it('draws of each task what it would draw alone', () => {
    const index = draws.findIndex(({ task }) => task === 'reverse_text');
    const alone = createTask({ name: 'reverse_text', level: 0 }).trainItem(5, index);
    expect(draws[index]).toEqual({ ...alone, task: 'reverse_text' });
  });

  it('holds out the problems of each, which together weigh what the task weighs', () => {
    const weightOf = (label: string): number =>
      set.heldOutItems().reduce((sum, { task, weight }) => sum + (task === label ? weight : 0), 0);
    expect(weightOf('sort_digits')).toBeCloseTo(3, 9);
    expect(weightOf('reverse_text')).toBeCloseTo(1, 9);
  });

  it('has one vocabulary, in which each text is as long as in its own, and ends completions by EOS', () => {
    expect(set.codec.vocabSize).toBe(2 + 11 + 26); // `>` is in both
    expect(set.fixedCompletionTokens).toBeUndefined();
    expect(set.maxCompletionTokens).toBe(Math.max(3 + 1, 4 + 1 + 2));
    for (const item of [...draws.slice(0, 20), ...set.heldOutItems().slice(0, 5)]) {
      const tokens = set.demonstrationTokens(item, 0, 0);
      expect(tokens.at(-1)).toBe(set.codec.eosTokenId);
      expect(set.codec.decode(set.promptTokens(item))).toBe(item.prompt);
      expect(set.verify(item, item.answer, { finishReason: 'eos' }).score).toBe(1);
    }
  });

  it('numbers a task that is there twice', () => {
    const levels = setOf('[{name: sort_digits, level: 0}, {name: sort_digits, level: 1}]');
    expect(levels.name).toBe('sort_digits#1 + sort_digits#2');
    expect(levels.maxPromptTokens).toBe(5);
  });

  it('refuses by name vocabularies that cannot be one', async () => {
    await expect(createTasksLater(configOf('[countdown, sort_digits]'))).rejects.toThrow(
      'tasks: countdown, sort_digits — their vocabularies cannot be one',
    );
  });

  it('is trained on, and evaluated in all and by task', async () => {
    const config = configOf(
      TWO,
      'model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1}\neval_strategy: no\nstages: [{stage: sft, max_steps: 2, per_device_train_batch_size: 4}]',
    );
    const run = await openRun(config, createTasks(config, { heldOutSample: 6 }), referenceBackend);
    try {
      for await (const _ of train(run)) if (run.journal.state.step === 1) break;
      const evaluation = await evaluateRun(run);
      const { byTask = {} } = evaluation;
      expect(Object.keys(byTask)).toEqual(['sort_digits', 'reverse_text']);
      const { sort_digits: sorting, reverse_text: reversing } = byTask;
      for (const name of ['accuracy', 'meanAtK'] as const) {
        expect(evaluation[name].mean).toBeCloseTo((3 * sorting[name].mean + reversing[name].mean) / 4, 9);
      }
      expect(evaluationMetrics(evaluation)).toMatchObject({
        'eval_accuracy/reverse_text': reversing.accuracy.mean,
        [`eval_mean@${evaluation.samples}/reverse_text`]: reversing.meanAtK.mean,
      });
    } finally {
      await run.engine.policy.close();
    }
  });
});

describe('level', () => {
  it('stands for the knobs of a preset; single knobs override it', () => {
    expect(onlyTask(createTask({ name: 'reverse_text', level: 2 })).knobs).toMatchObject({
      min_length: 9,
      max_length: 16,
    });
    const longer = createTask({ name: 'reverse_text', level: 2, max_length: 20 });
    expect(onlyTask(longer).knobs).toMatchObject({ min_length: 9, max_length: 20 });
  });

  it.each([3, -1, 0.5, 'hard'])('%j is refused', (level) => {
    expect(() => createTask({ name: 'countdown', level })).toThrow(
      `task.level: ${JSON.stringify(level)} — countdown has levels 0 to 2; use one of them.`,
    );
  });
});
