/** Runs of a pretrained model go on with the files that they began with, and with no others. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { decodeSafetensors } from '../../../../src/model/safetensors.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { changedFiles } from '../../../../src/run/base.ts';
import { readFingerprint } from '../../../../src/run/fingerprint/fingerprint.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { sha256Hex } from '../../../../src/run/fingerprint/sha256.ts';
import { session } from '../../../../src/run/session.ts';
import { fileStore } from '../../../../src/run/store/files.node.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { hashFiles } from '../../run/model/base_hashes.ts';
import { folderOf, openPretrained } from '../../run/model/open_pretrained.ts';
import { smallPretrainedFiles } from '../support/small_pretrained.ts';

const YAML = `model_name_or_path: ./base
task: reverse_text
num_generations: 2
generation_batch_size: 4
max_completion_length: 4
learning_rate: 1.0e-3
max_steps: 2
eval_strategy: 'no'
num_generations_eval: 1
save_seconds: 3600
reward_funcs: [letters]
`;

const letters: RewardFunction = {
  name: 'letters',
  score: ({ completions }) => completions.map((text) => text.replace(/[^a-z]/gi, '').length),
};

const ADAPTER = 'use_peft: true\nlora_r: 2\nlora_alpha: 4\nbeta: 0.1\n';

interface Attempt {
  readonly base: Store;
  readonly store: Store;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly stopAt?: number;
  readonly keys?: string;
  readonly evaluates?: boolean;
}

/** @returns SHA-256 of the trained weights, undefined where the run was stopped; and what was said */
async function attempt({ base, store, resume = false, force = false, stopAt, keys = '', evaluates = false }: Attempt) {
  const pretrained = await openPretrained({ name: './base', files: folderOf(base, 'base') });
  const { config } = parseConfig(`${evaluates ? YAML.replace(/eval_strategy.*/, 'eval_steps: 1') : YAML}${keys}`, {
    file: 'inline',
  });
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 2 });
  const run = await openRun(config, tasks, await wasmBackend({ inline: true }), { pretrained, rewards: { letters } });
  const fingerprint = await fingerprintOf(run);
  const notes: string[] = [];
  try {
    const shouldStop = () => run.journal.state.step === stopAt;
    for await (const event of session({ run, store, fingerprint, resume, force, shouldStop })) {
      if (event.type === 'finished') return { sha256: event.summary.weightsSha256, notes };
      if (event.type === 'note') notes.push(event.message);
    }
    return { notes };
  } finally {
    await run.engine.policy.close();
  }
}

it.each([
  ['of all weights', ''],
  ['of an adapter', ADAPTER],
  ['of an adapter with magnitudes', `${ADAPTER}use_dora: true\n`],
])('a run %s resumes on the same files to the same weights, and on others not at all', async (_, keys) => {
  const base = await smallPretrainedFiles();
  const whole = await attempt({ base, store: memoryStore(), keys });
  const store = memoryStore();
  await attempt({ base, store, stopAt: 1, keys });
  const recorded = await readFingerprint(store);
  const weights = (await base.read('base/model.safetensors')) as Uint8Array<ArrayBuffer>;
  expect(recorded?.base).toMatchObject({ 'model.safetensors': await sha256Hex(weights) });
  expect(Object.keys(recorded?.base ?? {})).toEqual([
    'config.json',
    'model.safetensors',
    'tokenizer.json',
    'tokenizer_config.json',
  ]);
  const manifest = new TextDecoder().decode(await store.read('checkpoints/grpo-1/manifest.json'));
  expect(JSON.parse(manifest).run.base).toEqual(recorded?.base);

  const other = memoryStore();
  for (const name of await base.list('base')) {
    await other.writeAtomic(`base/${name}`, (await base.read(`base/${name}`)) as Uint8Array);
  }
  weights[weights.length - 1] ^= 1;
  await other.writeAtomic('base/model.safetensors', weights);
  await expect(attempt({ base: other, store, resume: true, keys })).rejects.toThrow(
    /--resume: this run was started under other conditions[\s\S]*model\.safetensors of the model that it began with has changed \(SHA-256 \w{8} → \w{8}\)/,
  );
  const resumed = await attempt({ base, store, resume: true, keys });
  expect(resumed.sha256).toBe(whole.sha256);
});

it('a checkpoint of an adapter holds A, B and their moments, and nothing of the base', async () => {
  const store = memoryStore();
  await attempt({ base: await smallPretrainedFiles(), store, stopAt: 1, keys: ADAPTER });
  const read = async (file: string) =>
    decodeSafetensors((await store.read(`checkpoints/grpo-1/${file}.safetensors`)) as Uint8Array).tensors;
  const weights = await read('weights');
  expect(weights.size).toBe(14);
  for (const name of weights.keys()) expect(name).toMatch(/_proj\.lora_[AB]\.weight$/);
  const length = [...weights.values()].reduce((sum, { data }) => sum + data.length, 0);
  const optimizer = await read('optimizer');
  expect([...optimizer.keys()]).toEqual(['firstMoment', 'secondMoment', 'reference']);
  for (const { shape } of optimizer.values()) expect(shape[0]).toBeLessThan(length + 64); // between matrices is padding
});

it('the best adapter is kept, and is the model where that is wanted', async () => {
  const store = memoryStore();
  const keys = `${ADAPTER}load_best_model_at_end: true\n`;
  const base = await smallPretrainedFiles();
  await attempt({ base, store, keys: keys.replace('beta: 0.1', 'beta: 0'), evaluates: true });
  const [best] = await store.list('best');
  const file = decodeSafetensors((await store.read(`best/${best}`)) as Uint8Array);
  const model = decodeSafetensors((await store.read('model/adapter_model.safetensors')) as Uint8Array);
  expect(file.tensors.size).toBe(14);
  for (const [name, { data }] of file.tensors) {
    expect(model.tensors.get(`base_model.model.${name}`)?.data, name).toEqual(data);
  }
});

it('a file on a disk has the hash of its bytes, whatever pieces it is read in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rlvr-'));
  try {
    const store = fileStore(folder);
    for (const length of [0, 1, 4 * 1024 ** 2, 4 * 1024 ** 2 + 1]) {
      const bytes = new Uint8Array(length).fill(7);
      await writeFile(join(folder, 'weights'), bytes);
      expect(await store.sha256('weights')).toBe(await sha256Hex(bytes));
    }
    expect(await store.sha256('none')).toBeUndefined();
    const inMemory = folderOf(store, 'none');
    expect(await hashFiles(inMemory, ['weights'])).toEqual({});
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('files that differ are named with both hashes', () => {
  expect(changedFiles({ a: '1'.repeat(64), b: '2' }, { a: '3'.repeat(64), b: '2', c: '4' })).toEqual([
    'a (SHA-256 11111111 → 33333333)',
    'c (SHA-256 absent → 4)',
  ]);
});
