import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { createTask } from '../../src/data/index.ts';
import { MemoryPlanError } from '../../src/errors.ts';
import { requireMemory } from '../../src/grpo/memory_advice.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';

const backend = await wasmBackend({ threads: 1 });

const SMALL = 'model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 1}';

/** The refusal of a config with these lines; undefined where it fits. */
function refusal(...lines: readonly string[]): string | undefined {
  const text = ['task: {name: sort_digits, digits: 3}', 'max_steps: 1', 'num_generations: 4', ...lines].join('\n');
  const { config } = parseConfig(text, { file: 'run.yaml' });
  try {
    requireMemory(config, createTask(config.task), backend);
    return undefined;
  } catch (error) {
    if (error instanceof MemoryPlanError) return error.message;
    throw error;
  }
}

describe('a config that does not fit', () => {
  it('is refused with single changes, each of which is enough', () => {
    const batch = ['generation_batch_size: 1048576', 'per_device_train_batch_size: 1048576'];
    const message = refusal(...batch, SMALL) ?? '';
    const advised = Object.fromEntries(
      [...message.matchAll(/([\w.]+) to (\d+) \(needs/g)].map(([, key, to]) => [key, to]),
    );
    expect(Object.keys(advised)).toEqual(['per_device_train_batch_size', 'generation_batch_size', 'model.hidden_size']);
    const micro = `per_device_train_batch_size: ${advised.per_device_train_batch_size}`;
    expect(refusal('generation_batch_size: 1048576', micro, SMALL)).toBeUndefined();
    const smaller = `generation_batch_size: ${advised.generation_batch_size}`;
    expect(refusal(smaller, SMALL)).toBeUndefined();
    expect(refusal(...batch, SMALL.replace('16', String(advised['model.hidden_size'])))).toBeUndefined();
  });

  it('where no single change is enough, is told to combine them', () => {
    const message = refusal('generation_batch_size: 40000000', 'model: {hidden_size: 8192, num_hidden_layers: 512}');
    expect(message).toMatch(/No single key is enough: lower .*generation_batch_size, model\.hidden_size.* together\.$/);
  });

  it('is not one that fits', () => {
    expect(refusal()).toBeUndefined();
  });
});
