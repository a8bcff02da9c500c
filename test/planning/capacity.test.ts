import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.ts';
import { createTask } from '../../src/data/index.ts';
import { planCapacity } from '../../src/planning/capacity.ts';

function capacityOf(...lines: readonly string[]) {
  const text = ['task: {name: sort_digits, digits: 4}', 'max_steps: 1', 'num_generations: 16', ...lines].join('\n');
  const { config } = parseConfig(text, { file: 'run.yaml' });
  return planCapacity(config, createTask(config.task));
}

describe('a batch of more rows than a micro-batch has by default', () => {
  const model = (hiddenSize: number): string => `model: {hidden_size: ${hiddenSize}, num_hidden_layers: 2}`;
  const batch = 'generation_batch_size: 4096';
  const all = 256 * (5 + 16 * 3);

  it('stays whole where its rollouts are kept', () => {
    const { rows, groups, keptRows } = capacityOf(batch, model(64));
    expect({ rows, groups, keptRows }).toEqual({ rows: all, groups: 256, keptRows: all });
  });

  it.each([
    ['the update needs a reference', [model(64), 'beta: 0.01']],
    ['its rollouts would take more than a gibibyte', [model(1024)]],
  ])('is cut where %s', (_, lines) => {
    const { rows, groups, keptRows } = capacityOf(batch, ...lines);
    expect(keptRows).toBe(0);
    expect(groups).toBeLessThan(256);
    expect(rows).toBeLessThanOrEqual(8192);
  });

  it('is cut as per_device_train_batch_size says', () => {
    const { groups, keptRows } = capacityOf(batch, model(64), 'per_device_train_batch_size: 1024');
    expect({ groups, keptRows }).toEqual({ groups: 64, keptRows: 0 });
  });
});
