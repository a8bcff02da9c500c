/** Runs that begin with a pretrained model: its shape, its tokens, its chat template, all of its weights trained. */

import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import { ConfigError, DataError } from '../../../../src/errors.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { modelCard } from '../../../../src/run/model/model_card.ts';
import { exportModel, lastOrigin } from '../../../../src/run/model/model_export.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { memoryStore } from '../../../../src/run/store/store.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { folderOf, openPretrained } from '../../run/model/open_pretrained.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';
import { openSmallPretrained, PADDED_VOCABULARY, smallPretrainedFiles } from '../support/small_pretrained.ts';

const RUN = `model_name_or_path: ./base
seed: 3
num_generations: 4
generation_batch_size: 16
learning_rate: 1.0e-3
max_steps: 2
max_completion_length: 6
num_generations_eval: 1
eval_strategy: 'no'
reward_funcs: [letters]
`;

function configOf(task: string, keys = '') {
  return parseConfig(`task: ${task}\n${RUN}${keys}`, { file: 'inline' }).config;
}

/** A random policy is never right: letters are what it is paid for. */
const letters: RewardFunction = {
  name: 'letters',
  score: ({ completions }) => completions.map((text) => text.replace(/[^a-z]/gi, '').length),
};

async function open(pretrained: Pretrained, task: string, keys = ''): Promise<TrainingRun> {
  const config = configOf(task, keys);
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 8 });
  return openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained, rewards: { letters } });
}

describe('a run of a pretrained model', () => {
  it.each(
    fewOf(['reverse_text', '{name: sort_digits, digits: 3}', '{name: countdown, answer: expression, max_number: 5}'], {
      quick: 1,
      all: 2,
    }),
  )('trains %s on-policy, with finite figures', async (task) => {
    const run = await open(await openSmallPretrained(), task);
    const before = await weightsSha256(run.engine.policy);
    const steps: number[] = [];
    for await (const event of train(run)) {
      if (event.type !== 'step') continue;
      steps.push(event.step);
      expect(event.metrics.entropy).toBeGreaterThan(0);
    }
    expect(steps).toEqual([1, 2]);
    expect(await weightsSha256(run.engine.policy)).not.toBe(before);
    await run.engine.policy.close();
  });

  it('begins with the weights and the shape of its files', async () => {
    const pretrained = await openSmallPretrained();
    const run = await open(pretrained, 'reverse_text');
    expect(run.engine.policy.shape).toMatchObject(pretrained.model.shape);
    expect(run.engine.policy.shape.vocabSize).toBe(PADDED_VOCABULARY);
    for (const parameter of run.engine.policy.parameters) {
      const values = await run.engine.policy.readParameter(parameter);
      await pretrained.model.tensors.get(parameter.name)?.read((piece, at) => {
        expect(values.subarray(at, at + piece.length)).toEqual(piece);
      });
    }
    await run.engine.policy.close();
  });

  it('asks in words, behind a system message and solved examples of the training side', async () => {
    const { codec } = await openSmallPretrained();
    const config = configOf('{name: sort_digits, digits: 3, examples: 3, system: Answer with digits.}');
    const tasks = await createTasks(config, { codec });
    const [item] = tasks.heldOutItems();
    const messages = tasks.environment.prompt(item);
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      ...new Array(3).fill(['user', 'assistant']).flat(),
      'user',
    ]);
    expect(messages[0].content).toBe('Answer with digits.');
    expect(messages.at(-1)?.content).toBe(
      `Sort the digits of ${(item.identity as { digits: string }).digits} in ascending order, without spaces.`,
    );
    const heldOut = new Set(tasks.heldOutItems().map(({ prompt }) => prompt));
    for (const { role, content } of messages.slice(1, -1))
      if (role === 'user') expect(heldOut.has(content)).toBe(false);
    const shown = messages.slice(1, -1).map(({ content }) => content);
    for (let i = 0; i < shown.length; i += 2)
      expect(shown[i], 'an example that may be copied').not.toContain(shown[i + 1]);
    expect(codec.decode(tasks.promptTokens(item))).toBe(codec.render(messages));
    expect(codec.render(messages)).toContain('<|im_start|>system\nAnswer with digits.<|im_end|>');
  });

  it('reads the whole answer, without the blanks around it; what was cut is none', async () => {
    const { codec } = await openSmallPretrained();
    const tasks = await createTasks(configOf('{name: sort_digits, digits: 3}'), { codec });
    const [item] = tasks.heldOutItems();
    const score = (text: string, finishReason: 'eos' | 'length' = 'eos') =>
      tasks.verify(item, text, { finishReason }).score;
    expect(score(item.answer)).toBe(1);
    expect(score(` ${item.answer}\n`)).toBe(1);
    expect(score(item.answer, 'length')).toBe(0);
    expect(score(`${item.answer}.`)).toBe(0);
    expect(score(`The answer is ${item.answer}`)).toBe(0);
    expect(score(`${item.answer}<|im_end|>`)).toBe(0);
  });

  it('asks in the plain style for tags, in the examples too', async () => {
    const { codec } = await openSmallPretrained();
    const tasks = await createTasks(configOf('{name: reverse_text, style: plain, examples: 1}'), { codec });
    const [item] = tasks.heldOutItems();
    const [, example, question] = tasks.environment.prompt(item);
    expect(example.content).toMatch(/^<answer>[a-z]+<\/answer>$/);
    expect(question.content).toContain('Write the answer between <answer> and </answer>.');
    expect(tasks.verify(item, `Well: ${item.answer}`, { finishReason: 'eos' }).score).toBe(1);
  });

  it('answers what a person types as it answers a problem', async () => {
    const { codec } = await openSmallPretrained();
    const tasks = await createTasks(configOf('reverse_text'), { codec });
    const [item] = tasks.heldOutItems();
    expect(tasks.typedTokens(item.prompt)).toEqual(tasks.promptTokens(item));
  });

  it('leaves its model with the tokenizer’s files as they were, and opens again', async () => {
    const files = await smallPretrainedFiles();
    const run = await open(await openPretrained({ name: './base', files: folderOf(files, 'base') }), 'reverse_text');
    const store = memoryStore();
    const sha256 = await exportModel(store, 'model', run, lastOrigin(run));
    for (const name of ['tokenizer.json', 'tokenizer_config.json']) {
      expect(await store.read(`model/${name}`), name).toEqual(await files.read(`base/${name}`));
    }
    const json = async (name: string) => JSON.parse(new TextDecoder().decode(await store.read(`model/${name}`)));
    expect(await json('config.json')).toEqual(
      JSON.parse(new TextDecoder().decode(await files.read('base/config.json'))),
    );
    expect(await json('generation_config.json')).toMatchObject({ eos_token_id: [2, 0], max_new_tokens: 6 });
    const again = await open(await openPretrained({ name: 'model', files: folderOf(store, 'model') }), 'reverse_text');
    expect(await weightsSha256(again.engine.policy)).toBe(sha256);
    const card = modelCard(run, lastOrigin(run), sha256);
    expect(card).toContain('trained by rlvr-train from `./base`');
    expect(card).toContain('apply_chat_template');
    await run.engine.policy.close();
    await again.engine.policy.close();
  });
});

describe('what a config says of a pretrained model', () => {
  it('is written as it was, without the shape', () => {
    const config = configOf('reverse_text', 'chat_template_kwargs: {enable_thinking: false}\n');
    const yaml = resolvedYaml(config);
    expect(yaml).toContain('model_name_or_path: ./base');
    expect(yaml).not.toMatch(/^model:/m);
    expect(parseConfig(yaml, { file: 'again' }).config).toEqual(config);
  });

  it('may have keys of random weights beside it, with a note', () => {
    const { notes } = parseConfig(`task: reverse_text\n${RUN}model: {initializer_range: 0.05}\n`, { file: 'inline' });
    expect(notes.map(({ path, text }) => [path, text])).toEqual([
      ['model.initializer_range', 'is for random weights, and these are those of model_name_or_path'],
    ]);
  });

  it.each([
    [
      'template values for random weights',
      'model_name_or_path: null\nchat_template_kwargs: {a: 1}',
      /chat_template_kwargs: .*only a pretrained model has a chat template/,
    ],
    ['template values that are no mapping', 'chat_template_kwargs: 3', /chat_template_kwargs: 3 — must be a mapping/],
  ])('cannot be %s', (_, keys, message) => {
    const text = `task: reverse_text\n${keys.includes('model_name_or_path') ? RUN.replace(/^.*\n/, '') : RUN}${keys}\n`;
    expect(() => parseConfig(text, { file: 'inline' })).toThrow(message);
  });

  it.each([
    ['examples', '{name: reverse_text, examples: 2}', 'task.examples: 2 — a model of a closed vocabulary'],
    [
      'a system message',
      '{name: reverse_text, system: Hello}',
      'task.system: "Hello" — a model of a closed vocabulary',
    ],
  ])('is needed for %s', async (_, task, message) => {
    const { config } = parseConfig(`task: ${task}\nmax_steps: 1`, { file: 'inline' });
    await expect(createTasks(config)).rejects.toThrow(message);
  });

  it.each([
    ['{name: reverse_text, examples: 99}', 'task.examples: 99 — must be a whole number from 0 to 32'],
    ['{name: reverse_text, system: [1]}', 'task.system: [1] — must be a text'],
  ])('%s is refused', async (task, message) => {
    const { codec } = await openSmallPretrained();
    await expect(createTasks(configOf(task), { codec })).rejects.toThrow(message);
  });

  it('names a model that was opened', async () => {
    const config = configOf('reverse_text');
    const { codec } = await openSmallPretrained();
    const tasks = await createTasks(config, { codec, heldOutSample: 8 });
    await expect(openRun(config, tasks, await wasmBackend({ inline: true }))).rejects.toThrow(ConfigError);
  });

  it('leaves room for prompt and completion', async () => {
    const opening = open(await openSmallPretrained(40), 'reverse_text');
    await expect(opening).rejects.toThrow(
      /model_name_or_path: \.\/base — reads 40 tokens, and prompt and completion take up to \d+/,
    );
  });
});

it('a folder without a tokenizer is refused by its name', async () => {
  const store = await smallPretrainedFiles();
  await store.remove('base/tokenizer.json');
  const opening = openPretrained({ name: './base', files: folderOf(store, 'base') });
  await expect(opening).rejects.toThrow(/^\.\/base: tokenizer\.json: no such file/);
});

it('a tokenizer of another model is refused', async () => {
  const store = await smallPretrainedFiles();
  const config = JSON.parse(new TextDecoder().decode(await store.read('base/config.json')));
  await store.writeAtomic('base/config.json', new TextEncoder().encode(JSON.stringify({ ...config, vocab_size: 400 })));
  await expect(openPretrained({ name: './base', files: folderOf(store, 'base') })).rejects.toThrow(DataError);
});
