/**
 * Adapters beside bases in fewer bits: what they learn is, to the bit, what they would beside the same values in float32; a run
 * resumes to the same weights; and what cannot be kept so is refused before anything is opened.
 */

import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { numbersOf, type Storage } from '../../../../src/kernels/storage.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { plannedMemory } from '../../../../src/planning/memory_plan.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { fileBlocks } from '../../../../test/support/file_blocks.ts';
import type { PretrainedTensor, StoredTensor } from '../../model/pretrained/source.ts';
import { folderOf, openPretrained } from '../../run/model/open_pretrained.ts';
import type { Pretrained } from '../../run/model/pretrained.ts';
import { smallPretrainedFiles } from '../support/small_pretrained.ts';

const YAML = `model_name_or_path: ./base
task: reverse_text
use_peft: true
lora_r: 2
num_generations: 2
generation_batch_size: 4
max_completion_length: 4
learning_rate: 1.0e-2
max_steps: 2
eval_strategy: 'no'
num_generations_eval: 1
save_seconds: 3600
reward_funcs: [letters]
beta: 0.1
`;

/** Rows of q, k, v, gate, up and down are blocks, and those of the attention's output are not. */
const SIZES = { hiddenSize: 32, intermediateSize: 64 };

const letters: RewardFunction = {
  name: 'letters',
  score: ({ completions }) => completions.map((text) => text.replace(/[^a-z]/gi, '').length),
};

const backend = await wasmBackend({ inline: true });

async function open(base: Store, keys: string, on: Backend = backend, given?: Pretrained) {
  const pretrained = given ?? (await openPretrained({ name: './base', files: folderOf(base, 'base') }));
  const { config } = parseConfig(`${YAML}${keys}`, { file: 'inline' });
  const tasks = await createTasks(config, { codec: pretrained.codec, heldOutSample: 2 });
  return openRun(config, tasks, on, { pretrained, rewards: { letters } });
}

interface Attempt {
  readonly keys?: string;
  readonly on?: Backend;
  /** In the place of the one of the store. */
  readonly pretrained?: Pretrained;
  readonly store?: Store;
  readonly stopAt?: number;
  readonly resume?: boolean;
}

/** SHA-256 of the weights at the end; undefined where the run was stopped before. */
async function weightsAfter(base: Store, attempt: Attempt = {}): Promise<string | undefined> {
  const { keys = '', on, pretrained, store = memoryStore(), stopAt, resume = false } = attempt;
  const run = await open(base, keys, on, pretrained);
  const shouldStop = () => run.journal.state.step === stopAt;
  try {
    for await (const event of session({
      run,
      store,
      fingerprint: await fingerprintOf(run),
      resume,
      force: false,
      shouldStop,
    })) {
      if (event.type === 'finished') return event.summary.weightsSha256;
    }
    return undefined;
  } finally {
    await run.engine.policy.close();
  }
}

const isMatrix = (name: string): boolean => !name.includes('norm');
const isTable = (name: string): boolean => name.includes('embed');
const fitsBlocks = (name: string): boolean => isMatrix(name) && !name.includes('o_proj');

/** What each key keeps, by tensor. */
const KEPT: Readonly<Record<string, (name: string) => Storage>> = {
  'dtype: bfloat16': (name) => (isMatrix(name) ? 'bf16' : 'f32'),
  'dtype: float16': (name) => (isMatrix(name) ? 'f16' : 'f32'),
  'load_in_4bit: true': (name) => (!fitsBlocks(name) ? 'f32' : isTable(name) ? 'q8_0' : 'q4_0'),
  'load_in_8bit: true': (name) => (fitsBlocks(name) ? 'q8_0' : 'f32'),
};

describe.each(fewOf(Object.entries(KEPT), { quick: 1, all: 2 }))('%s', (keys, rounded) => {
  it('learns the very weights that it learns beside the same values in float32, on any number of threads', async () => {
    const base = await smallPretrainedFiles({ sizes: SIZES });
    const kept = await weightsAfter(base, { keys });
    expect(kept).toBe(await weightsAfter(await smallPretrainedFiles({ sizes: SIZES, rounded })));
    expect(kept).not.toBe(await weightsAfter(base));
    expect(await weightsAfter(base, { keys, on: await wasmBackend({ threads: 2 }) })).toBe(kept);
  });

  it('resumes to the same weights, with layers that the backward pass computes again', async () => {
    const base = await smallPretrainedFiles({ sizes: SIZES });
    const store = memoryStore();
    expect(await weightsAfter(base, { keys, store, stopAt: 1 })).toBeUndefined();
    const again = `${keys}\ngradient_checkpointing: true`;
    expect(await weightsAfter(base, { keys: again, store, resume: true })).toBe(await weightsAfter(base, { keys }));
  });

  it('takes less memory, and the plan says so', async () => {
    const base = await smallPretrainedFiles({ sizes: SIZES });
    const weightsOf = async (given: string): Promise<number> => {
      const run = await open(base, given);
      const planned = plannedMemory(backend, [run.engine.policy.plan], 1);
      await run.engine.policy.close();
      return (planned.get('weights') ?? 0) + (planned.get('packed weights') ?? 0);
    };
    expect(await weightsOf(keys)).toBeLessThan(0.5 * (await weightsOf('')));
  });

  it('is refused by name where the backend keeps weights in float32 alone', async () => {
    const base = await smallPretrainedFiles({ sizes: SIZES });
    const other: Backend = { ...backend, name: 'webgpu', frozenStorages: [] };
    const refusal = `${keys} — the webgpu backend keeps frozen weights in float32; use backend: wasm, or leave the key out.`;
    await expect(open(base, keys, other)).rejects.toThrow(refusal);
  });

  it('is for frozen weights', () => {
    const yaml = YAML.replace(/use_peft.*\nlora_r.*\n/, '');
    const refusal = /weights that are trained are float32; add use_peft: true, which freezes them, or leave it out/;
    expect(() => parseConfig(`${yaml}${keys}`, { file: 'inline' })).toThrow(refusal);
  });
});

describe('blocks that only files have', () => {
  const WIDE = { hiddenSize: 256, numHeads: 4, headDim: 64, intermediateSize: 512 };
  const TYPE_OF = (name: string): Storage =>
    name.includes('down_proj') ? 'q6_k' : name.includes('o_proj') ? 'q5_k' : /_proj/.test(name) ? 'q4_k' : 'q5_0';

  /** Its matrices in such blocks. */
  async function inBlocks(): Promise<Pretrained> {
    const base = await smallPretrainedFiles({ sizes: WIDE });
    const pretrained = await openPretrained({ name: './base', files: folderOf(base, 'base') });
    const tensors = [...pretrained.model.tensors].map(([name, tensor]): [string, PretrainedTensor] => {
      if (!isMatrix(name)) return [name, tensor];
      const blocks = fileBlocks(
        TYPE_OF(name),
        tensor.shape.reduce((product, size) => product * size, 1),
      );
      const values = Float32Array.from(numbersOf(blocks));
      const stored: StoredTensor = { storage: blocks.storage, read: async (take) => take(blocks, 0) };
      return [name, { ...tensor, stored, read: async (take) => take(values, 0) }];
    });
    return { ...pretrained, model: { ...pretrained.model, tensors: new Map(tensors) } };
  }

  it('stay as they are under dtype: auto, and an adapter learns the bits that it learns beside their values', async () => {
    const pretrained = await inBlocks();
    const auto = { keys: 'dtype: auto', pretrained };
    const kept = await weightsAfter(memoryStore(), auto);
    const { frozenStorages: _, ...widening } = backend;
    expect(kept).toBe(await weightsAfter(memoryStore(), { pretrained }));
    expect(kept).toBe(await weightsAfter(memoryStore(), { ...auto, on: widening }));
    expect(kept).toBe(await weightsAfter(memoryStore(), { ...auto, on: await wasmBackend({ threads: 2 }) }));
  });

  it('are widened with a note where the backend has no kernels for them', async () => {
    const { frozenStorages: _, ...widening } = backend;
    const run = await open(memoryStore(), 'dtype: auto', widening, await inBlocks());
    await run.engine.policy.close();
    expect(run.config.frozenStorage).toEqual({});
    expect(run.remarks.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^dtype: auto — the wasm backend keeps .*q4_k.* blocks in float32 \(\d+ matrices\)/),
    );
  });
});

it('a matrix is kept one way', () => {
  const keys = 'load_in_8bit: true\nload_in_4bit: true\n';
  expect(() => parseConfig(`${YAML}${keys}`, { file: 'inline' })).toThrow('load_in_4bit is given too; keep one');
});
