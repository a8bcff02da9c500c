/** A policy of this disk, asked by a program: its answers are those of the command `sample`, bit for bit. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { run } from '../../../test/cli/called.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import type { AskedPolicy, GeneratedToken } from '../../models/asked/asked_policy.ts';
import { smallPretrainedFiles } from '../../models/test/support/small_pretrained.ts';
import { openPolicy } from '../open_policy.node.ts';

eachInOwnFolder();

const SHAPE = 'model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16}';
const STAGE =
  'stages: [{stage: sft, max_steps: 20, per_device_train_batch_size: 8, learning_rate: 0.01, eval_strategy: "no"}]';
/** Answers of a fixed length, and answers that end by themselves. */
const TASKS = {
  'a fixed length': { task: '{name: sort_digits, digits: 3}', prompts: ['312>', '981>'] },
  'an end of their own': { task: '{name: reverse_text, min_length: 2, max_length: 4}', prompts: ['abc>', 'qw>'] },
};

interface Said {
  readonly completion: string;
  readonly tokens: number[];
  readonly finish_reason: string;
  readonly logprob: number;
}

/** What the command says to prompts. */
async function sampled(path: string, prompts: readonly string[], ...flags: readonly string[]): Promise<Said[]> {
  const { out, error } = await run('sample', path, ...prompts, '--json', '--threads', '1', ...flags);
  if (error !== undefined) throw error;
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Said);
}

async function opened(path: string): Promise<AskedPolicy> {
  return openPolicy(path, { backend: await wasmBackend({ inline: true }) });
}

/** The members that both have. */
async function generated(policy: AskedPolicy, prompts: readonly string[], n: number, temperature: number) {
  const answers = await policy.generate(prompts, { n, temperature, seed: 7 });
  return answers.flat().map(({ text, tokens, logprobs, finishReason }) => ({
    completion: text,
    tokens: [...tokens],
    finish_reason: finishReason,
    logprob: logprobs.reduce((sum, logprob) => sum + logprob, 0),
  }));
}

async function train(task: string): Promise<void> {
  writeFileSync('mine.yaml', `task: ${task}\n${SHAPE}\n${STAGE}\n`);
  const { error } = await run('mine.yaml', '--quiet', '--threads', '1', '--output', 'runs/mine');
  expect(error).toBeUndefined();
}

/** The small model with a chat template, as a folder. */
async function writeModel(): Promise<void> {
  const store = await smallPretrainedFiles();
  mkdirSync('model');
  for (const name of await store.list('base')) {
    writeFileSync(join('model', name), (await store.read(`base/${name}`)) as Uint8Array);
  }
}

describe('openPolicy', () => {
  it.each(Object.entries(TASKS))('answers as `sample` does: a run with answers of %s', async (_, { task, prompts }) => {
    await train(task);
    const policy = await opened('runs/mine');
    try {
      for (const [n, temperature] of [
        [1, 0],
        [3, 1],
      ]) {
        const said = await sampled('runs/mine', prompts, '-n', `${n}`, '-t', `${temperature}`, '--seed', '7');
        expect(
          said.map(({ completion, tokens, finish_reason, logprob }) => ({
            completion,
            tokens,
            finish_reason,
            logprob,
          })),
        ).toEqual(await generated(policy, prompts, n, temperature));
      }
    } finally {
      await policy.close();
    }
  });

  it('answers as `sample` does: a pretrained model, and in a conversation', async () => {
    await writeModel();
    const policy = await opened('model');
    try {
      const flags = ['--max-tokens', '5', '--seed', '7', '-t', '1', '-n', '2'];
      const said = await sampled('model', ['Hello', 'there'], ...flags);
      const answers = await policy.generate(['Hello', 'there'], { maxTokens: 5, seed: 7, temperature: 1, n: 2 });
      expect(answers.flat().map(({ tokens }) => [...tokens])).toEqual(said.map(({ tokens }) => tokens));
      const [[first]] = await policy.generate(['Hello'], { maxTokens: 5 });
      expect(await policy.chat([{ role: 'user', content: 'Hello' }], { maxTokens: 5 })).toEqual(first);
    } finally {
      await policy.close();
    }
  });

  it('says each token as it comes, ends at a text of `stop`, and changes no bit by that', async () => {
    await train(TASKS['a fixed length'].task);
    const policy = await opened('runs/mine');
    try {
      const prompts = ['312>', '981>'];
      const plain = await policy.generate(prompts, { n: 2, temperature: 1 });
      const heard: GeneratedToken[] = [];
      const told = await policy.generate(prompts, { n: 2, temperature: 1, onToken: (token) => heard.push(token) });
      expect(told).toEqual(plain);
      for (const [prompt, samples] of plain.entries()) {
        for (const [sample, { tokens, text }] of samples.entries()) {
          const own = heard.filter((token) => token.prompt === prompt && token.sample === sample);
          expect(own.map(({ token }) => token)).toEqual([...tokens]);
          expect(own.at(-1)?.text).toBe(text);
        }
      }
      const [[whole]] = plain;
      const stop = whole.text.slice(-1);
      const [[cut]] = await policy.generate(prompts, { temperature: 1, n: 2, stop });
      expect(cut.text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
      expect([...cut.tokens]).toEqual([...whole.tokens.subarray(0, cut.tokens.length)]);
      const [[short]] = await policy.generate(prompts, { temperature: 1, n: 2, maxTokens: 1 });
      expect([...short.tokens]).toEqual([whole.tokens[0]]);
      await expect(policy.generate(['312>'], { maxTokens: 1000 })).rejects.toThrow('lower maxTokens');
      await expect(policy.generate(['hello'])).rejects.toThrow('hello');
      await expect(policy.chat([{ role: 'user', content: '312>' }])).rejects.toThrow('no chat template');
    } finally {
      await policy.close();
    }
  });

  it('opens no code that a run brings, unless it is told to', async () => {
    await train(TASKS['a fixed length'].task);
    writeFileSync('runs/mine/config.yaml', 'task: {name: ./task.ts}\nmax_steps: 1\n');
    writeFileSync('runs/mine/task.ts', 'throw new Error("ran");\n');
    await expect(opened('runs/mine')).rejects.toThrow(/task\.ts — the run has code of its own.*ownCode: true/);
    await expect(opened('nowhere')).rejects.toThrow('no such folder or file');
  });
});
