/**
 * A reward by a text classifier in its thread. The library is a stand-in of the same interface: the real one takes 474 MB, so
 * that no test installs it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { parseConfig } from '../../../test/support/everything.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { batchOf } from '../../rlvr-train/test/rewards/reward_batch.ts';
import { ClassifierScorer, filesOfModel } from '../../zoo/rewards/classifier/classifier_scorer.node.ts';
import { AskedReward } from '../../zoo/rewards/elsewhere/asked_reward.ts';
import { openPlugins } from '../open_plugins.node.ts';
import { openThread } from '../threads/own_thread.node.ts';

eachInOwnFolder();
let opened: AskedReward | undefined;

afterEach(async () => {
  await opened?.distant.close();
  opened = undefined;
});

/** Outputs of a text: its letters a and b, of a pair those of both texts. */
const LIBRARY = `
export const env = {};
const count = (text, letter) => text.split(letter).length - 1;
const check = (name, { local_files_only }) => {
  if (name !== 'judge' || !local_files_only || env.allowRemoteModels !== false) throw new Error('not what is asked for');
};
export const AutoTokenizer = { async from_pretrained(name, options) {
  check(name, options);
  return (texts, { padding, truncation, text_pair }) => {
    if (!padding || !truncation) throw new Error('rows of different lengths');
    const rows = texts.map((text, i) => text + '|' + (text_pair ? text_pair[i] : ''));
    return Object.assign(rows, { attention_mask: { data: BigInt64Array.from(texts.flatMap(() => [1n, 1n, 0n])) } });
  };
} };
export const AutoModelForSequenceClassification = { async from_pretrained(name, options) {
  check(name, options);
  const { readFileSync } = await import('node:fs');
  const config = JSON.parse(readFileSync(env.localModelPath + name + '/config.json', 'utf8'));
  const model = async (texts) => {
    if (texts.some((text) => text.includes('hang'))) for (;;);
    if (texts.some((text) => text.includes('throw'))) throw new TypeError('no such token');
    if (texts.some((text) => text.includes('exit'))) process.exit(4);
    const letters = ['a', 'b', 'c'].slice(0, Object.keys(config.id2label).length);
    const data = Float32Array.from(texts.flatMap((text) => letters.map((letter) => count(text, letter))));
    return { logits: { data, dims: [texts.length, letters.length] } };
  };
  return Object.assign(model, { config });
} };
// Three tokens a text, the last of which is padding: the first has its letters, the second nothing.
export const AutoModel = { async from_pretrained(name, options) {
  check(name, options);
  return async (texts) => {
    if (texts.some((text) => text.includes('none'))) return {};
    const states = texts.map((text) => [count(text, 'a'), count(text, 'b'), 0, 0, 9, 9]);
    return { last_hidden_state: { data: Float32Array.from(states.flat()), dims: [texts.length, 3, 2] } };
  };
} };`;

function writeModel(config: object): void {
  mkdirSync('judge/onnx', { recursive: true });
  writeFileSync('judge/config.json', JSON.stringify(config));
  for (const file of ['tokenizer.json', 'onnx/model.onnx']) writeFileSync(join('judge', file), '{}');
}

async function open(
  config: object,
  options: {
    readonly label?: string;
    readonly pays?: 'likeness';
    readonly reads?: 'both';
    readonly timeout?: number;
  } = {},
): Promise<AskedReward> {
  writeModel(config);
  writeFileSync('library.mjs', LIBRARY);
  const folder = resolve('judge');
  const given = {
    model: './judge',
    pays: 'label' as const,
    reads: 'completion' as const,
    batchSize: 2,
    timeout: 20,
    ...options,
  };
  const library = pathToFileURL(resolve('library.mjs')).href;
  const hashes = filesOfModel(folder, given.model).map((file) => [file, ''] as const);
  const scorer = new ClassifierScorer(folder, hashes, given, openThread, library);
  opened = new AskedReward('classifier', scorer, given.batchSize);
  await opened.distant.open();
  return opened;
}

const TWO = { id2label: { 0: 'GOOD', 1: 'BAD' } };
const ROWS = [
  { text: 'a', prompt: 'b' },
  { text: 'bb', prompt: 'aaa' },
  { text: '', prompt: 'c' },
];
const batch = batchOf(ROWS);
const logistic = (x: number): number => 1 / (1 + Math.exp(-x));

describe('a classifier', () => {
  it('gives the probability of its label, of the completion or of the pair', async () => {
    const good = await (await open(TWO, { label: 'GOOD' })).score(batch);
    [1, -2, 0].forEach((x, i) => expect(good[i]).toBeCloseTo(logistic(x), 12));
    await opened?.distant.close();
    const bad = await (await open(TWO, { label: 'BAD', reads: 'both' })).score(batch);
    [0, -1, 0].forEach((x, i) => expect(bad[i]).toBeCloseTo(logistic(x), 12));
  });

  it('gives each label by itself where several apply, and the output where there is one', async () => {
    const several = { ...TWO, problem_type: 'multi_label_classification' };
    const bad = await (await open(several, { label: 'BAD' })).score(batch);
    [0, 2, 0].forEach((x, i) => expect(bad[i]).toBeCloseTo(logistic(x), 12));
    await opened?.distant.close();
    expect(await (await open({ id2label: { 0: 'LABEL_0' } })).score(batch)).toEqual([1, 0, 0]);
  });

  it('pays likeness to the right answer or to the prompt, where its model embeds texts', async () => {
    const rows = [
      { text: 'a', answer: 'aa', prompt: 'b' },
      { text: 'ab', answer: 'a', prompt: 'ba' },
      { text: 'c', answer: 'a', prompt: 'a' },
    ];
    const toAnswer = await (await open({}, { pays: 'likeness' })).score(batchOf(rows));
    [1, Math.SQRT1_2, 0].forEach((x, i) => expect(toAnswer[i]).toBeCloseTo(x, 12));
    await opened?.distant.close();
    const toPrompt = await (await open({}, { pays: 'likeness', reads: 'both' })).score(batchOf(rows));
    [0, 1, 0].forEach((x, i) => expect(toPrompt[i]).toBeCloseTo(x, 12));
  });

  it.each([
    ['throw', 'failed (TypeError: no such token) — see to its model, then resume: nothing sampled is lost.'],
    ['hang', 'gave nothing within 0.5 s — raise timeout, or lower batch_size, then resume: nothing sampled is lost.'],
    ['exit', 'ended its thread by process.exit(4) — see to its model'],
  ])('whose model does %s fails in words', async (text, says) => {
    const reward = await open(TWO, { label: 'GOOD', timeout: 0.5 });
    await expect(reward.score(batchOf([{ text }]))).rejects.toThrow(`reward "classifier" (./judge): ${says}`);
  });

  it.each([
    [TWO, {}, 'missing, and it has the labels GOOD, BAD; give the one whose probability is paid'],
    [TWO, { label: 'FINE' }, 'no label of the model; it has the labels GOOD, BAD'],
    [{}, {}, 'its config.json names no labels (id2label), so it classifies nothing; name another'],
  ])('of %j with %j is refused at the start', async (config, options, says) => {
    await expect(open(config, options)).rejects.toThrow(says);
  });
});

describe('a classifier of a config', () => {
  async function refused(reward: string): Promise<unknown> {
    const yaml = `task: gcd\nmax_steps: 1\nreward_funcs:\n  - accuracy\n  - ${reward}\n`;
    const opening = openPlugins(parseConfig(yaml, { file: 'my.yaml' }), { file: 'my.yaml', announce: () => {} });
    return opening.catch((error: Error) => error.message);
  }

  it.each([
    [
      '{name: classifier, model: ./nowhere}',
      /my\.yaml:5 {2}reward_funcs\.1\.model: \.\/nowhere — no such folder \(.*\); name a folder with config\.json, tokenizer\.json, onnx\/model\.onnx/,
    ],
    [
      '{name: classifier, model: .}',
      /reward_funcs\.1\.model: \. — its folder has no config\.json, tokenizer\.json, onnx\/model\.onnx; name a folder/,
    ],
    ['{name: classifier}', /reward_funcs: classifier\.model: missing/],
    ['{name: classifier, model: ./judge, lable: GOOD}', /classifier\.lable: "GOOD" — .*label/],
    [
      '{name: classifier, model: ./judge, label: GOOD}',
      /the model is run by a package that is not there; npm install @huggingface\/transformers\.$/,
    ],
  ])('%s is refused with its line and remedy', async (reward, says) => {
    if (!reward.includes('model: .}')) writeModel(TWO);
    expect(await refused(reward)).toMatch(says);
  });
});
