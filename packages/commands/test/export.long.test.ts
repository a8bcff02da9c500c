/** Exports: each form is opened again and says what the policy says, within what its type rounds off; faults are caught. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { wasmBackend } from '../../../src/kernels/wasm/backend.ts';
import { fileStore } from '../../../src/run/store/files.node.ts';
import { closedCodec } from '../../../src/text/codec.ts';
import { characterTokenizer } from '../../../src/text/vocabulary_tokenizer.ts';
import { fewOf } from '../../../test/support/budget.ts';
import { eachInOwnFolder } from '../../../test/support/folders.ts';
import { rowOfHuggingFace } from '../../models/model/pretrained/gguf_names.ts';
import { allValues, type PretrainedTensor } from '../../models/model/pretrained/source.ts';
import { EXPORTS } from '../../models/run/model/exports.ts';
import { merged } from '../../models/run/model/open_pretrained.ts';
import type { Pretrained } from '../../models/run/model/pretrained.ts';
import { scoreCompletions, scoreDifference } from '../../models/run/model/rescore.ts';
import { writeMergedModel } from '../../models/run/model/write_merged.ts';
import { smallPretrainedFiles, writeSmallAdapter } from '../../models/test/support/small_pretrained.ts';
import { EXPORT } from '../commands/export.ts';
import { recordedCompletions } from '../runs/export_completions.ts';
import { openGiven } from '../runs/give_away.ts';

eachInOwnFolder();

const ANSWERS = ['It is 4 + 5 = 9.', 'Tokyo, as far as I know.', 'naïve café'];

/** A run whose model is an adapter, with completions. */
beforeEach(async () => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const base = await smallPretrainedFiles();
  mkdirSync('base');
  for (const name of await base.list('base')) writeFileSync(`base/${name}`, (await base.read(`base/${name}`)) ?? '');
  await writeSmallAdapter(fileStore('.'), 'run/model', { name: { name: `${process.cwd()}/base` }, sha256: '' });
  writeFileSync('run/config.yaml', 'task: reverse_text\n');
  const lines = ANSWERS.map((completion, i) => JSON.stringify({ step: i + 1, prompt: 'What is it?', completion }));
  writeFileSync('run/completions.jsonl', `${lines.join('\n')}\n`);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const run = (flags: Record<string, unknown>): unknown => EXPORT.run?.(['run'], { check: 64, threads: 1, ...flags }, []);
const report = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

describe('each form, opened again, says what the policy says', () => {
  const forms = Object.entries(EXPORTS).flatMap(([to, { dtypes }]) => dtypes.map((dtype) => [to, dtype] as const));

  it.each(fewOf(forms, { quick: 3, all: 8 }))('%s in %s', async (to, dtype) => {
    const isFile = to.startsWith('gguf');
    const output = isFile ? 'mine.gguf' : 'mine';
    await run({ output, to, dtype });
    const { weights, scores } = report(isFile ? 'mine.gguf.json' : 'mine/export_report.json');
    expect(scores).toMatchObject({ completions: ANSWERS.length });
    expect(scores.tokens).toBeGreaterThan(20);
    // Of an adapter by itself in float32 every bit is the same; merged, sums are rounded in another order.
    if (dtype === 'f32') expect(weights.difference).toBe(0);
    if (to === 'peft' && dtype === 'f32') expect(scores.largest).toBe(0);
    expect(scores.mean).toBeLessThan({ f32: 1e-5, f16: 1e-3, bf16: 2e-2, q8_0: 3e-2, q4_0: 0.5, q4f16: 0.5 }[dtype]);
  });
});

it('the completions are those that the run recorded last, as the model is asked', async () => {
  const { codec } = await openGiven('run', undefined);
  const found = await recordedCompletions('run', codec, 2);
  expect(found.map(({ tokens }) => codec.decode(tokens))).toEqual(ANSWERS.slice(1));
  expect(codec.decode(found[0]?.prefix ?? new Int32Array())).toContain('What is it?');
  expect(await recordedCompletions('base', codec, 2)).toEqual([]);
});

it('a completion that a closed vocabulary does not read, as of a policy that ends in mid-answer, is passed over', async () => {
  const codec = closedCodec(characterTokenizer({ name: 'c', tokens: [...'0123456789>'] }));
  mkdirSync('short');
  const lines = ['<eos>21', '12'].map((completion, i) => JSON.stringify({ step: i + 1, prompt: '21>', completion }));
  writeFileSync('short/completions.jsonl', `${lines.join('\n')}\n`);
  const found = await recordedCompletions('short', codec, 8);
  expect(found.map(({ tokens }) => codec.decode(tokens))).toEqual(['12']);
});

describe('a fault is beyond every bound', () => {
  /** Values of a tensor, changed. */
  const changed = (
    model: Pretrained,
    name: RegExp,
    change: (values: Float32Array, shape: readonly number[]) => Float32Array,
  ) => {
    const tensors = new Map(
      [...model.model.tensors].map(([key, tensor]): [string, PretrainedTensor] => {
        if (!name.test(key)) return [key, tensor];
        return [key, { ...tensor, read: async (take) => take(change(await allValues(tensor), tensor.shape), 0) }];
      }),
    );
    return { ...model, model: { ...model.model, tensors } };
  };
  const permuted = (values: Float32Array, [, columns = 1]: readonly number[]): Float32Array => {
    const moved = new Float32Array(values.length);
    for (let row = 0; row < values.length / columns; row++) {
      const from = rowOfHuggingFace(row, 8) * columns;
      moved.set(values.subarray(from, from + columns), row * columns);
    }
    return moved;
  };

  it.each<[string, (pretrained: Pretrained) => Pretrained]>([
    ['the rows of q and k in the order of llama.cpp', (own) => changed(own, /[qk]_proj/, permuted)],
    [
      'a scale of alpha in the place of alpha / r',
      (own) => ({ ...own, adapter: own.adapter && { ...own.adapter, config: { ...own.adapter.config, alpha: 8 } } }),
    ],
    ['the base alone', ({ adapter: _, ...base }) => base],
    [
      'an embedding that is scaled',
      (own) => changed(own, /embed_tokens/, (values) => values.map((value) => value * 1.2)),
    ],
    [
      'a tied head that was written beside the embedding, and counts twice',
      (own) => {
        const whole = merged(own);
        const { model } = changed(whole, /embed_tokens/, (values) => values.map((value) => 2 * value));
        const head = model.tensors.get('model.embed_tokens.weight') as PretrainedTensor;
        const tensors = new Map([...whole.model.tensors, ['lm_head.weight', head]]);
        return { ...whole, model: { ...whole.model, tensors, shape: { ...model.shape, tieWordEmbeddings: false } } };
      },
    ],
    [
      'a matrix of the base, where the others are merged',
      (own) =>
        changed(merged(own), /mlp.down_proj/, (values) => values.map((_, i) => values[values.length - 1 - i] ?? 0)),
    ],
  ])('%s', async (_, fault) => {
    const pretrained = await openGiven('run', undefined);
    const completions = await recordedCompletions('run', pretrained.codec, 64);
    const backend = await wasmBackend({ inline: true });
    const before = await scoreCompletions(backend, pretrained, completions);
    const after = await scoreCompletions(backend, fault(pretrained), completions);
    expect(scoreDifference(before, after, completions.length).mean).toBeGreaterThan(0.1);
  });

  it('a shard that is of another time', async () => {
    const pretrained = await openGiven('run', undefined);
    const completions = await recordedCompletions('run', pretrained.codec, 64);
    const backend = await wasmBackend({ inline: true });
    const score = (model: Pretrained) => scoreCompletions(backend, model, completions);
    const store = fileStore('.');
    const { opened } = await writeMergedModel(store, 'new', merged(pretrained), 'f32', 4_000);
    await writeMergedModel(store, 'old', await openGiven('base', undefined), 'f32', 4_000);
    const before = await score(pretrained);
    expect(scoreDifference(before, await score(opened), completions.length).largest).toBeLessThan(1e-4);
    const shards = readdirSync('new').filter((name) => name.startsWith('model-'));
    expect(shards).toHaveLength(4);
    for (const shard of shards.slice(1)) writeFileSync(`new/${shard}`, readFileSync(`old/${shard}`));
    expect(
      scoreDifference(before, await score(await openGiven('new', undefined)), completions.length).mean,
    ).toBeGreaterThan(0.1);
  });

  it('and leaves nothing there', async () => {
    const { write } = EXPORTS.peft;
    vi.spyOn(EXPORTS.peft, 'write').mockImplementation(async (...given) => {
      const { change, opened } = await write(...given);
      const { adapter: _, ...base } = opened;
      return { change, opened: base };
    });
    await expect(run({ output: 'mine', to: 'peft' })).rejects.toThrow(
      /what was written is another model: a token's log-prob changes by \d+\.\d+ on average, and f32 explains 0\.001/,
    );
    expect(readdirSync('.').sort()).toEqual(['base', 'run']);
  });
});

it.each([
  [{ output: 'mine', to: 'gguf' }, '--output mine — give a name that ends in .gguf for --to gguf.'],
  [{ output: 'mine.gguf', to: 'peft' }, '--output mine.gguf — give the name of a folder for --to peft.'],
  [{ output: 'mine', to: 'merged', dtype: 'q8_0' }, '--dtype q8_0 — --to merged writes f32, f16, bf16.'],
  [{ output: 'base' }, '--output base — is there already; give the name of a new folder.'],
])('%j is refused', async (flags, message) => {
  await expect(run(flags)).rejects.toThrow(message);
});

it('of a model without an adapter there is none to write', async () => {
  const typed = EXPORT.run?.(['base'], { output: 'mine', to: 'peft', check: 0 }, []);
  await expect(typed).rejects.toThrow('base — has no adapter; it is a whole model as it is.');
  expect(existsSync('mine')).toBe(false);
});
