/** Configs of published systems train two steps: before a release all of them, in CI one of three, and the others open. */

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { closeEngine, createTasks } from '../../index.ts';

const CONFIGS = new URL('../../../../configs/systems/', import.meta.url);

/** A policy of two steps solves nothing: what pays verdicts pays tokens, so that groups have a signal. */
const score: RewardFunction['score'] = ({ completionTokens }) =>
  completionTokens.map((tokens) => (tokens.reduce((sum, token) => sum + token, 0) % 3) / 2);
const rewards = Object.fromEntries(
  ['accuracy', 'critique', 'diversity', 'flaw-penalty', 'ndcg', 'path-decay', 'ternary'].map((name) => [
    name,
    () => ({ name, score }),
  ]),
);

it('each of configs/systems opens, and trains', { timeout: 240_000 }, async () => {
  const backend = await wasmBackend({ inline: true });
  const stepsOf = new Map<string, number>();
  const failed: string[] = [];
  const files = readdirSync(CONFIGS);
  const trained = new Set(fewOf(files, { quick: 8, all: 8 }));
  for (const file of files) {
    const text = readFileSync(new URL(file, CONFIGS), 'utf8');
    const small = text
      // A lag is shorter than a run.
      .replaceAll(/max_steps: \d+/g, `max_steps: ${/^staleness: 2/m.test(text) ? 3 : 2}`)
      .replace(
        'generation_batch_size: 128',
        `generation_batch_size: ${/num_generations: 64|twin|proposer-solver|task_weights/.test(text) ? 64 : 32}`,
      )
      .replace(/per_device_train_batch_size: \d+/, 'per_device_train_batch_size: 2')
      .concat('eval_strategy: "no"\n')
      .concat('model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}\n');
    const { config } = parseConfig(small, { file });
    const run = await openRun(config, await createTasks(config, { heldOutSample: 2 }), backend, { rewards });
    try {
      if (!trained.has(file)) continue;
      for await (const { type } of train(run)) if (type === 'step') stepsOf.set(file, (stepsOf.get(file) ?? 0) + 1);
    } catch (error) {
      failed.push(`${file}: ${error}`);
    } finally {
      await closeEngine(run.engine);
    }
  }
  expect(failed).toEqual([]);
  expect(files.length).toBeGreaterThan(60);
  for (const file of trained) expect(stepsOf.get(file), file).toBeGreaterThanOrEqual(2);
});
