/** A device that is lost in the middle of a step: the run stops with the reason, and goes on from its checkpoint. */

import { expect, it } from 'vitest';
import { withResumeAdvice } from '../../../../src/cli/runs/resume_advice.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import type { Summary } from '../../../../src/run/summary.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';
import { webgpuBackend } from '../../backend.ts';
import { openAdapter, watched } from '../support/adapters.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

const YAML = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
save_seconds: 0.000001
max_steps: 4
num_generations: 2
generation_batch_size: 4
learning_rate: 0.01
num_generations_eval: 1
eval_strategy: "no"
reward_funcs: [mine]`;

const { source, devices } = watched(await openAdapter(REQUIRED_ADAPTERS[0]));
const backend = await webgpuBackend(source);

/** Runs to the end; `onStep` hears of a step between its rollout and its update. */
async function finish(store: Store, resume: boolean, onStep: (step: number) => void): Promise<Summary> {
  const { config } = parseConfig(YAML, { file: 'run.yaml' });
  const mine: RewardFunction = {
    name: 'mine',
    score: ({ completionTokens, trainerState }) => {
      onStep(trainerState.step + 1);
      return completionTokens.map(([first = 0]) => first);
    },
  };
  const run = await openRun(config, createTasks(config, { heldOutSample: 2 }), backend, { rewards: { mine } });
  try {
    const fingerprint = await fingerprintOf(run);
    const options = { directory: 'runs/one', force: false, shouldStop: () => false };
    for await (const event of session({ run, store, fingerprint, resume, ...options }))
      if (event.type === 'finished') return event.summary;
  } finally {
    await run.engine.policy.close();
  }
  throw new Error('the session ended without an end');
}

it('keeps the checkpoint before it, says how to go on, and ends with the same weights', async () => {
  const [whole, store] = [memoryStore(), memoryStore()];
  const expected = await finish(whole, false, () => {});
  const lost = finish(store, false, (step) => {
    if (step === 3) devices[devices.length - 1].destroy();
  });
  const error: unknown = await lost.catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'device-lost' });
  expect(await store.list('checkpoints')).toContain('grpo-2');
  expect(String(await withResumeAdvice(error, store, 'runs/one'))).toMatch(
    /device was lost.*\nEverything up to grpo-2 is saved\. Resume with:\n.*--resume/s,
  );
  const resumed = await finish(store, true, () => {});
  expect(resumed.weightsSha256).toBe(expected.weightsSha256);
  expect(devices).toHaveLength(2);
});
