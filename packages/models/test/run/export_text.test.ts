/** Exports whose answers end elsewhere, or whose questions are put in other words, are refused when they are opened again. */

import { expect, it } from 'vitest';
import { CheckpointError } from '../../../../src/errors.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { exportModel, lastOrigin } from '../../../../src/run/model/model_export.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { refusalOf } from '../../../../test/support/refusals.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { EXPORTS } from '../../run/model/exports.ts';
import { folderOf, openPretrained } from '../../run/model/open_pretrained.ts';
import { openSmallPretrained } from '../support/small_pretrained.ts';

const WORDS = `task: {name: countdown, numbers: 3, max_number: 9}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 1
`;

type Forge = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

/** A store whose file `name` is written as another. */
function forging(name: RegExp, forge: Forge): Store {
  const store = memoryStore();
  const forged = (path: string, bytes: string | Uint8Array): Uint8Array => {
    const whole = typeof bytes === 'string' ? new TextEncoder().encode(bytes) : Uint8Array.from(bytes);
    return name.test(path) ? forge(whole) : whole;
  };
  const [append, writeAtomic] = [store.append.bind(store), store.writeAtomic.bind(store)];
  return Object.assign(store, {
    append: (path: string, bytes: string | Uint8Array) => append(path, forged(path, bytes)),
    writeAtomic: (path: string, bytes: Uint8Array) => writeAtomic(path, forged(path, bytes)),
  });
}

/** JSON with other values; undefined leaves a key out. */
const json =
  (changes: object): Forge =>
  (bytes) =>
    new TextEncoder().encode(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes)), ...changes }));

/** The head of a GGUF file, changed behind the name of a key, which comes before its type (4 bytes) and value. */
const behind =
  (key: string, change: (bytes: Uint8Array, at: number) => void): Forge =>
  (bytes) => {
    const at = Buffer.from(bytes).indexOf(key);
    if (at >= 0) change(bytes, at + key.length);
    return bytes;
  };

const ENDS = /another model: an answer ends with token \d+(, \d+)*, where the model has 0, 2/;
const OTHER_WORDS = /another model: it has (no|another) chat template, so that a question is put in other words/;

const otherEnd = behind('tokenizer.ggml.eos_token_id', (bytes, at) => bytes.set([7], at + 4));
const noTemplate = behind('tokenizer.chat_template', (bytes, at) => bytes.set([0x5f], at - 1));

it.each<[keyof typeof EXPORTS, string, RegExp, Forge, RegExp]>([
  ['merged', 'the end of another model', /generation_config/, json({ eos_token_id: 5 }), ENDS],
  ['onnx', 'the end of another model', /generation_config/, json({ eos_token_id: [0, 1] }), ENDS],
  ['gguf', 'the end of another model', /^mine$/, otherEnd, ENDS],
  ['merged', 'no template', /tokenizer_config/, json({ chat_template: undefined }), OTHER_WORDS],
  ['onnx', 'another template', /tokenizer_config/, json({ chat_template: '{{ messages[0].content }}' }), OTHER_WORDS],
  ['gguf', 'no template', /^mine$/, noTemplate, OTHER_WORDS],
])('%s with %s', async (to, _, name, forge, message) => {
  const pretrained = await openSmallPretrained();
  const write = (store: Store): Promise<unknown> => EXPORTS[to].write(store, 'mine', { pretrained, dtype: 'f32' });
  await expect(write(memoryStore())).resolves.toBeDefined();
  expect((await refusalOf(CheckpointError, write(forging(name, forge)))).message).toMatch(message);
});

it.each(['merged', 'onnx'] as const)('a vocabulary of words is written as it is: %s', async (to) => {
  const { config } = parseConfig(WORDS, { file: 'inline' });
  const run = await openRun(
    config,
    await createTasks(config, { heldOutSample: 4 }),
    await wasmBackend({ inline: true }),
  );
  const store = memoryStore();
  await exportModel(store, 'own', run, lastOrigin(run));
  await run.engine.policy.close();
  const pretrained = await openPretrained({ name: 'own', files: folderOf(store, 'own') });
  expect(pretrained.codec.joint).toBe(' ');
  const { change, opened } = await EXPORTS[to].write(store, 'mine', { pretrained, dtype: 'f32' });
  expect(change.difference).toBe(0);
  expect([...opened.codec.encode('3 + 4 =')]).toEqual([...pretrained.codec.encode('3 + 4 =')]);
});
