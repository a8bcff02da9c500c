import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { roomOf, uniteUses } from '../../../../src/methods/uses/stage_uses.ts';
import type { Use } from '../../../../src/methods/uses/use.ts';
import { planPolicy } from '../../../../src/model/memory/plan.ts';
import { inferenceCapacity, modelShape } from '../../../../src/planning/capacity.ts';
import { METHODS, parseConfig, planCapacity, stageUses, usesOf } from '../../../../test/support/everything.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { furtherPrompts } from '../../methods/uses/room.ts';
import { drawnPaid, sampledBy } from '../support/paid_groups.ts';

function capacityOf(...lines: readonly string[]) {
  const text = ['task: {name: sort_digits, digits: 4}', 'max_steps: 1', 'num_generations: 16', ...lines].join('\n');
  const { config } = parseConfig(text, { file: 'run.yaml' });
  return planCapacity(config, createTasks(config));
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

it('a model takes what prompt and completion take together, and no token less', () => {
  const { context } = capacityOf();
  const model = (positions: number): string => `model: {max_position_embeddings: ${positions}}`;
  expect(capacityOf(model(context)).context).toBe(context);
  expect(() => capacityOf(model(context - 1))).toThrow(
    `model.max_position_embeddings: ${context - 1} — prompt and completion take up to ${context} tokens`,
  );
});

it('a method that brings groups of its own has room for them, beyond what evaluations take', () => {
  const lines = ['generation_batch_size: 1024', 'rollout_strategies: [{name: proposer-solver, groups: 2}]'];
  expect(capacityOf(...lines).completions).toBe(1024 + 2 * 16 * 16);
});

it.each(METHODS.rolloutStrategies)('$id gives no more groups that solve than there is room for', async ({ id }) => {
  const stage = stageOf(`rollout_strategies: [${id}]`, 'num_generations: 8', 'generation_batch_size: 16');
  const steps = 4;
  const { made } = await sampledBy(stage, drawnPaid('groups'), steps);
  const { groups } = roomOf(
    usesOf(stage),
    createTasks(parseConfig('task: sort_digits\nmax_steps: 1', { file: 'run.yaml' }).config),
  );
  const solving = made.filter(({ kind }) => kind === undefined);
  expect(solving.length).toBeLessThanOrEqual(steps * (stage.batch.promptsPerStep + groups));
});

it('a method that asks a group by further prompts has room for each of them', () => {
  const batch = ['generation_batch_size: 1024', 'per_device_train_batch_size: 1024', 'beta: 0.01'];
  const capacityWith = (uses: readonly Use[]) => {
    const { config } = parseConfig(
      ['task: {name: sort_digits, digits: 4}', 'max_steps: 1', 'num_generations: 16', ...batch].join('\n'),
      { file: 'run.yaml' },
    );
    const all = stageUses(config).map((own) =>
      uniteUses([...own.asked, ...uses.map((use) => ({ by: 'mine', point: 'creditSteps', use }) as const)]),
    );
    return planCapacity(config, createTasks(config), all);
  };
  const [one, three] = [capacityWith([]), capacityWith([furtherPrompts(2)])];
  expect(one).toMatchObject({ groups: 64, rows: 64 * (5 + 16 * 3) });
  expect(three).toMatchObject({ groups: 192, rows: 64 * (3 * 5 + 16 * 3) });
});

describe('a policy opened for inference alone', () => {
  const text = readFileSync(new URL('../../../../configs/countdown-steps.yaml', import.meta.url), 'utf8');
  const { config } = parseConfig(text, { file: 'countdown-steps.yaml' });
  const task = createTasks(config);
  const shape = modelShape(config, task);
  const everything = { prompts: task.heldOutItems().length, samples: 4 };

  it('plans nothing that only training needs', () => {
    const { slots } = planPolicy(shape, inferenceCapacity(config, task, everything));
    const { gradients, firstMoment, secondMoment, sets, backward, training, rollout, embeddingGradient } = slots;
    expect(sets.size).toBe(0);
    expect([gradients, firstMoment, secondMoment, backward, training, rollout, embeddingGradient]).toEqual(
      Array(7).fill(undefined),
    );
  });

  it('takes less than a tenth of the memory of training', async () => {
    const backend = await wasmBackend({ threads: 2 });
    const bytesOf = (capacity: ReturnType<typeof planCapacity>): number =>
      [...backend.plannedBytes(planPolicy(shape, capacity).memory).values()].reduce((sum, part) => sum + part, 0);
    const training = bytesOf(planCapacity(config, task));
    expect(bytesOf(inferenceCapacity(config, task, everything))).toBeLessThan(0.1 * training);
    expect(bytesOf(inferenceCapacity(config, task, { prompts: 8, samples: 1 }))).toBeLessThan(0.02 * training);
  });
});
