import { describe, expect, it } from 'vitest';
import { withFixedLength } from '../../../../src/data/task_set.ts';
import { MemoryPlanError } from '../../../../src/errors.ts';
import type { Backend } from '../../../../src/kernels/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { planPolicy } from '../../../../src/model/memory/plan.ts';
import { modelShape } from '../../../../src/planning/capacity.ts';
import {
  lackOfRoom,
  parseConfig,
  planCapacity,
  requireMemory as requireOf,
} from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { adviseMemory } from '../../advise_memory.ts';
import { frozenAdvice } from '../../frozen_advice.ts';

const backend = await wasmBackend({ threads: 1, memory64: false });

type Given = Parameters<typeof requireOf>;
const requireMemory = (config: Given[0], tasks: Given[1], on: Given[2], uses?: Given[3]) =>
  requireOf(config, tasks, on, uses, adviseMemory);

const SMALL = 'model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 1}';

/** The refusal of a config with these lines; undefined where it fits. */
async function refusal(...lines: readonly string[]): Promise<string | undefined> {
  const text = ['task: {name: sort_digits, digits: 3}', 'max_steps: 1', 'num_generations: 4', ...lines].join('\n');
  const { config } = parseConfig(text, { file: 'run.yaml' });
  try {
    await requireMemory(config, createTasks(config), backend);
    return undefined;
  } catch (error) {
    if (error instanceof MemoryPlanError) return error.message;
    throw error;
  }
}

it('a batch of more completions than JavaScript holds is refused where the engine itself has room for it', async () => {
  const roomy: Backend = { ...backend, slowBeyondBytes: 0, plannedBytes: () => new Map([['weights', 2 ** 33]]) };
  const { config } = parseConfig(
    'task: {name: sort_digits, digits: 3}\nmax_steps: 1\ngeneration_batch_size: 4000000\n',
    {
      file: 'run.yaml',
    },
  );
  await expect(requireMemory(config, createTasks(config), roomy)).rejects.toThrow(
    /^8\.0 GiB of memory needed, and JavaScript holds 1048576 completions of a batch beside it, not 4000000\.\n {2}Lower generation_batch_size to \d+/,
  );
});

it('what is given no advice is refused with the keys that count most', async () => {
  const { config } = parseConfig('task: sort_digits\nmax_steps: 1\nmodel: {hidden_size: 65536}', { file: 'run.yaml' });
  await expect(requireOf(config, createTasks(config), backend)).rejects.toThrow(
    /\n {2}Lower generation_batch_size or num_generations, or train a smaller model\.$/,
  );
});

const SMOLLM2 = {
  vocabSize: 49_152,
  hiddenSize: 576,
  intermediateSize: 1536,
  numLayers: 30,
  numHeads: 9,
  numKvHeads: 3,
};
const TWICE_SMOLLM2 = {
  ...SMOLLM2,
  hiddenSize: 960,
  intermediateSize: 2560,
  numLayers: 24,
  numHeads: 15,
  numKvHeads: 5,
};
const QWEN = {
  vocabSize: 151_936,
  hiddenSize: 896,
  intermediateSize: 4864,
  numLayers: 24,
  numHeads: 14,
  numKvHeads: 2,
};

/** The refusal of a job of 16 prompts on a pretrained model of this shape, opened by its shape alone. */
async function refusalOfPretrained(
  { vocabSize, ...shape }: typeof QWEN,
  ...lines: readonly string[]
): Promise<string | undefined> {
  const keys = ['max_steps: 1', 'num_generations: 16', 'generation_batch_size: 256', 'max_completion_length: 64'];
  const text = ['task: {name: sort_digits, digits: 3}', 'model_name_or_path: ./model', ...keys, ...lines].join('\n');
  const { config } = parseConfig(text, { file: 'run.yaml' });
  const tasks = createTasks(config);
  try {
    await requireMemory(
      { ...config, model: { ...config.model, ...shape, headDim: 64, tieWordEmbeddings: true } },
      { ...withFixedLength(tasks, 64), maxPromptTokens: 128, codec: { ...tasks.codec, vocabSize } },
      backend,
    );
    return undefined;
  } catch (error) {
    if (error instanceof MemoryPlanError) return error.message;
    throw error;
  }
}

describe('kept rollouts', () => {
  const { config } = parseConfig(`task: {name: sort_digits, digits: 3}\nmax_steps: 1\nnum_generations: 4\n${SMALL}`, {
    file: 'run.yaml',
  });
  const task = createTasks(config);
  const sumOf = (bytes: ReadonlyMap<string, number>): number =>
    [...bytes.values()].reduce((sum, part) => sum + part, 0);
  const wanted = planCapacity(config, task);
  const bytesOf = (keptRows: number): number =>
    sumOf(backend.plannedBytes(planPolicy(modelShape(config, task), { ...wanted, keptRows }).memory));
  /** Refuses, as a machine with so many bytes would. */
  const withBytes = (most: number): Backend => ({
    ...backend,
    plannedBytes: (memory) => {
      const bytes = backend.plannedBytes(memory);
      if (sumOf(bytes) > most) throw new MemoryPlanError('too-large', `${sumOf(bytes)} bytes are too many`);
      return bytes;
    },
  });

  it('are planned where there is room', async () => {
    expect(await requireMemory(config, task, withBytes(bytesOf(wanted.keptRows)))).toEqual(wanted);
    expect(wanted.keptRows).toBeGreaterThan(0);
  });

  it('give way where there is none, which the run knows', async () => {
    const capacity = await requireMemory(config, task, withBytes(bytesOf(0)));
    expect(capacity).toEqual({ ...wanted, keptRows: 0 });
    expect(lackOfRoom(config, { tasks: task, policy: { capacity } })).toMatch(/no room to keep rollouts/);
    expect(lackOfRoom(config, { tasks: task, policy: { capacity: wanted } })).toBeUndefined();
  });

  it('and then the activations of layers, unless the config keeps them', async () => {
    const text = `task: {name: sort_digits, digits: 3}\nmax_steps: 1\nnum_generations: 4\n${SMALL.replace('layers: 1', 'layers: 3')}`;
    const deep = parseConfig(text, { file: 'run.yaml' }).config;
    const bytesOfDeep = (): number => {
      const capacity = { ...planCapacity(deep, task), keptRows: 0 };
      return sumOf(backend.plannedBytes(planPolicy(modelShape(deep, task), capacity).memory));
    };
    const tooSmall = withBytes(bytesOfDeep() - 1);
    const capacity = await requireMemory(deep, task, tooSmall);
    expect(capacity.recompute).toBe('layers');
    expect(lackOfRoom(deep, { tasks: task, policy: { capacity } })).toMatch(/computes each layer again/);
    const kept = { ...deep, gradientCheckpointing: false };
    await expect(requireMemory(kept, task, tooSmall)).rejects.toThrow(
      /too many\n {2}Leave out gradient_checkpointing: false \(needs .*\n {2}Lower /,
    );
    expect(planCapacity({ ...deep, gradientCheckpointing: true }, task).recompute).toBe('layers');
  });

  it('give way before room is taken in which the backend is slow, and stay where nothing else would do', async () => {
    const slowBeyond = (bytes: number): Backend => ({ ...backend, slowBeyondBytes: bytes });
    expect(await requireMemory(config, task, slowBeyond(bytesOf(0)))).toEqual({ ...wanted, keptRows: 0 });
    const capacity = await requireMemory(config, task, slowBeyond(1));
    expect(capacity).toEqual(wanted);
    const policy = { capacity, engine: { slowness: 'more than 4 GiB' } };
    expect(lackOfRoom(config, { tasks: task, policy })).toBe('more than 4 GiB');
  });

  it('do not make anything else fit', async () => {
    await expect(requireMemory(config, task, withBytes(bytesOf(0) - 1))).rejects.toThrow(/too many\n {2}Lower /);
  });
});

describe('a config that does not fit', () => {
  it('is refused with single changes, each of which is enough', async () => {
    const batch = ['generation_batch_size: 1048576', 'per_device_train_batch_size: 1048576'];
    const message = (await refusal(...batch, SMALL)) ?? '';
    const advised = Object.fromEntries(
      [...message.matchAll(/([\w.]+) to (\d+) \(needs/g)].map(([, key, to]) => [key, to]),
    );
    expect(Object.keys(advised)).toEqual(['per_device_train_batch_size', 'generation_batch_size', 'model.hidden_size']);
    const micro = `per_device_train_batch_size: ${advised.per_device_train_batch_size}`;
    expect(await refusal('generation_batch_size: 1048576', micro, SMALL)).toBeUndefined();
    const smaller = `generation_batch_size: ${advised.generation_batch_size}`;
    expect(await refusal(smaller, SMALL)).toBeUndefined();
    expect(await refusal(...batch, SMALL.replace('16', String(advised['model.hidden_size'])))).toBeUndefined();
  });

  it('where no single change is enough, is told to combine them', async () => {
    const message = await refusal(
      'generation_batch_size: 40000000',
      'model: {hidden_size: 8192, num_hidden_layers: 512}',
    );
    expect(message).toMatch(/No single key is enough: lower .*generation_batch_size, model\.hidden_size.* together\.$/);
  });

  it('is told of LoRA where all weights of a pretrained model are too many', async () => {
    expect(await refusalOfPretrained(TWICE_SMOLLM2)).toMatch(
      /GiB of memory needed.*\n {2}Set use_peft: true, which trains an adapter alone.*\(needs [\d.]+ GiB\)\.$/s,
    );
    const adapted = ['use_peft: true', 'per_device_train_batch_size: 16'];
    expect(await refusalOfPretrained(TWICE_SMOLLM2, ...adapted)).toBeUndefined();
  });

  it('is not one of all weights of SmolLM2-135M, a group at a time', async () => {
    expect(await refusalOfPretrained(SMOLLM2, 'per_device_train_batch_size: 16')).toBeUndefined();
  });

  it('is told of frozen weights in fewer bits where an adapter is not enough', async () => {
    const ways =
      /dtype: bfloat16 \(needs [34]\.0 GiB\), or load_in_8bit: true \(needs [23]\.[56] GiB\), or load_in_4bit: true/;
    const qwen = await refusalOfPretrained(QWEN, 'per_device_train_batch_size: 16');
    expect(qwen).toMatch(/Set use_peft: true, .*per_device_train_batch_size to num_generations/);
    expect(qwen).toMatch(ways);
    expect(await refusalOfPretrained(QWEN, 'use_peft: true')).toMatch(new RegExp(`\\n {2}Set ${ways.source}`));
    const four = await refusalOfPretrained(QWEN, 'use_peft: true', 'load_in_4bit: true');
    expect(four).not.toMatch(/Set .*load_in/);
  });

  it('is told of keys and values in halves, alone or beside fewer bits', () => {
    const text = 'task: sort_digits\nmodel_name_or_path: ./model\nuse_peft: true\nmax_steps: 1\n';
    const { config } = parseConfig(text, { file: 'run.yaml' });
    const advised = (fits: (bits: number, halves: boolean) => boolean): string[] =>
      frozenAdvice(config, backend, ({ frozenStorage = {} }, { storageDtype = 'float32' }) => {
        const bits = { bf16: 16, q8_0: 8, q4_0: 4 }[String(Object.values(frozenStorage)[0])] ?? 32;
        return fits(bits, storageDtype !== 'float32') ? 2 ** 30 : undefined;
      });
    expect(advised((_, halves) => halves)).toEqual(['storage_dtype: bfloat16 (needs 1.0 GiB)']);
    expect(advised((bits, halves) => bits < 8 && halves)).toEqual([
      'load_in_4bit: true and storage_dtype: bfloat16 (needs 1.0 GiB)',
    ]);
    expect(advised(() => false)).toEqual([]);
  });

  it('is told that a smaller model is needed where fewer bits are not enough, either', async () => {
    const large = { ...QWEN, numLayers: 96, hiddenSize: 3584, intermediateSize: 18_944 };
    expect(await refusalOfPretrained(large, 'use_peft: true')).toMatch(
      /in 4 bits \(load_in_4bit\), too\. Train a smaller model, or on a GPU/,
    );
  });

  it('says how long the episodes are that it is planned for, where problems are played in turns', async () => {
    const text = [
      'task: {name: guess_number, max: 9999, numbers: 1023, turns: 16}',
      'max_steps: 1',
      'num_generations: 512',
      'generation_batch_size: 65536',
      'model: {hidden_size: 512, num_hidden_layers: 8, num_attention_heads: 8}',
    ];
    const { config } = parseConfig(text.join('\n'), { file: 'run.yaml' });
    await expect(requireMemory(config, createTasks(config), backend)).rejects.toThrow(
      'It is planned for the longest episode: an episode may have 16 turns of 5 tokens and 15 observations of 1, 95 in all. ' +
        'Fewer or shorter turns and observations in the task take less.',
    );
    expect(await refusal('generation_batch_size: 1048576', 'model: {hidden_size: 4096}')).not.toMatch(/episode/);
  });

  it('is not one that fits', async () => {
    expect(await refusal()).toBeUndefined();
  });
});
