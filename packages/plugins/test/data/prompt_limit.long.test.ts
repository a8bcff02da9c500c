/** Prompts that are too long: an error, or left out of training and evaluation, and counted. */
import { describe, expect, it } from 'vitest';
import { fittingItem } from '../../../../src/data/prompts/prompt_limit.ts';
import type { TaskSet } from '../../../../src/data/task_set.ts';
import { DataError } from '../../../../src/errors.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { StepMetrics } from '../../../../src/methods/records.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { fittingItems } from '../../../commands/runs/fitting_items.ts';
import { typicalLengths } from '../../../estimate/work.ts';
import { openSmallPretrained } from '../../../models/test/support/small_pretrained.ts';

const RUN = `model_name_or_path: ./base
task: {name: reverse_text, min_length: 2, max_length: 12, examples: 0}
seed: 3
num_generations: 4
generation_batch_size: 16
max_steps: 2
max_completion_length: 4
num_generations_eval: 1
reward_funcs: [letters]
`;

const configOf = (keys: string) => parseConfig(RUN + keys, { file: 'inline' }).config;

async function tasksOf(keys = ''): Promise<TaskSet> {
  const { codec } = await openSmallPretrained();
  return createTasks(configOf(keys), { codec, heldOutSample: 60 });
}

const lengthOf = (tasks: TaskSet, index: number): number =>
  tasks.codec.encode(tasks.codec.render(tasks.environment.prompt(tasks.trainItem(3, index)))).length;

/** A bound that some prompts keep and some do not. */
async function bound(): Promise<number> {
  const tasks = await tasksOf();
  const lengths = Array.from({ length: 60 }, (_, index) => lengthOf(tasks, index)).sort((a, b) => a - b);
  expect(lengths[0]).toBeLessThan(lengths[59]);
  return lengths[30];
}

describe('a prompt that is too long', () => {
  it('is an error that says how long it is, in evaluation and in training', async () => {
    const most = await bound();
    const tasks = await tasksOf(`max_prompt_length: ${most}\n`);
    const message = new RegExp(
      `^max_prompt_length: ${most} — the prompt of ".*" has \\d+ tokens; raise it, or set overlong_prompts: drop\\.$`,
    );
    expect(() => tasks.heldOutItems()).toThrow(DataError);
    expect(() => tasks.heldOutItems()).toThrow(message);
    const long = Array.from({ length: 60 }, (_, index) => index).find((index) => lengthOf(tasks, index) > most);
    expect(() => tasks.promptTokens(tasks.trainItem(3, long ?? -1))).toThrow(message);
  });

  it('is left out where the config says so: the others come in their order', async () => {
    const most = await bound();
    const all = await tasksOf();
    const tasks = await tasksOf(`max_prompt_length: ${most}\noverlong_prompts: drop\n`);
    expect(tasks.maxPromptTokens).toBe(most);
    const kept = Array.from({ length: 40 }, (_, index) => index).filter((index) => lengthOf(all, index) <= most);
    const taken: number[] = [];
    for (let at = 0; taken.length < kept.length; ) {
      const { item, index, next } = fittingItem(tasks, 3, at);
      expect(item).toEqual(all.trainItem(3, index));
      taken.push(index);
      at = next;
    }
    expect(taken).toEqual(kept);
    expect(fittingItems(tasks, 3, kept.length).map(({ index }) => index)).toEqual(kept);
    expect(tasks.droppedHeldOut?.()).toBeGreaterThan(0);
    expect(tasks.heldOutItems().length + (tasks.droppedHeldOut?.() ?? 0)).toBe(all.heldOutItems().length);
    for (const item of tasks.heldOutItems()) expect(tasks.promptTokens(item).length).toBeLessThanOrEqual(most);
    expect(typicalLengths(tasks, 3).prompt).toBeLessThanOrEqual(most);
  });

  it('is an error all the same where every one is', async () => {
    const tasks = await tasksOf('max_prompt_length: 5\noverlong_prompts: drop\n');
    expect(() => tasks.heldOutItems()).toThrow(/^max_prompt_length: 5 — all of \d+ held-out prompts are longer/);
    expect(() => fittingItem(tasks, 3, 0)).toThrow(/all of 1000 prompts in a row are longer; raise it/);
  });

  it('costs nothing where nothing is said of it', async () => {
    const tasks = await tasksOf();
    expect(tasks.isOverlong).toBeUndefined();
    expect(fittingItem(tasks, 3, 7)).toEqual({ item: tasks.trainItem(3, 7), index: 7, next: 8 });
  });

  it('of a task with a vocabulary of its own is left out too', async () => {
    const own = 'task: {name: reverse_text, min_length: 2, max_length: 12}\nmax_steps: 1\n';
    const { config } = parseConfig(`${own}max_prompt_length: 9\noverlong_prompts: drop\n`, { file: 'inline' });
    const tasks = await createTasks(config);
    expect(Math.max(...tasks.heldOutItems().map((item) => tasks.promptTokens(item).length))).toBe(9);
    expect(tasks.droppedHeldOut?.()).toBeGreaterThan(0);
  });
});

it('a run counts what it left out, step by step', async () => {
  const pretrained = await openSmallPretrained();
  const config = configOf(`max_prompt_length: ${await bound()}\noverlong_prompts: drop\n`);
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 8 });
  const letters = {
    name: 'letters',
    score: ({ completions }: { readonly completions: readonly string[] }) =>
      completions.map((text) => text.replace(/[^a-z]/gi, '').length),
  };
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained, rewards: { letters } });
  const steps: StepMetrics[] = [];
  let groups = 0;
  for await (const event of train(run)) {
    if (event.type === 'rollouts') groups += event.collected.groups.length;
    if (event.type === 'step') steps.push(event.metrics);
  }
  const dropped = steps.reduce((sum, metrics) => sum + Number(metrics['prompts/dropped']), 0);
  expect(dropped).toBeGreaterThan(0);
  expect(run.journal.state.itemsDrawn).toBe(groups + dropped);
  await run.engine.policy.close();
});
