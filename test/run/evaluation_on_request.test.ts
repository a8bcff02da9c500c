import { expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { fingerprintOf } from '../../src/run/fingerprint/run_fingerprint.node.ts';
import { type SessionEvent, session } from '../../src/run/session.ts';
import { memoryStore } from '../../src/run/store/store.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { createTasks } from '../support/tasks.ts';

/** Two minibatches and two iterations per batch, so that a step boundary also falls between updates on one rollout. */
const SEVERAL_UPDATES = 'per_device_train_batch_size: 8, gradient_accumulation_steps: 1, num_iterations: 2, beta: 0.01';
/** One update on each rollout, which keeps its forward pass for it; a second iteration computes it again. */
const KEPT_ROLLOUTS = 'num_iterations: 2';

const configOf = (updates: string): string => `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 16, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.05}
seed: 5
stages:
  - {stage: sft, max_steps: 3, per_device_train_batch_size: 4, learning_rate: 1.0e-3, eval_strategy: "no"}
  - {stage: grpo, max_steps: 8, num_generations: 4, generation_batch_size: 16, learning_rate: 1.0e-3, ${updates}, reward_funcs: [positions],
     eval_strategy: "no", num_generations_eval: 1}
`;

async function trained(
  text: string,
  wantsEvaluation?: () => boolean | Promise<boolean>,
): Promise<{
  readonly events: readonly SessionEvent[];
  readonly metrics: readonly Record<string, unknown>[];
  readonly sha: string;
}> {
  const { config } = parseConfig(text, { file: 'inline' });
  const task = createTasks(config, { heldOutSample: 8 });
  const run = await openRun(config, task, await wasmBackend({ inline: true }));
  const store = memoryStore();
  const fingerprint = await fingerprintOf(run);
  const options = { run, store, fingerprint, resume: false, force: false, shouldStop: () => false, wantsEvaluation };
  const events: SessionEvent[] = [];
  for await (const event of session(options)) events.push(event);
  const lines = new TextDecoder()
    .decode(await store.read('metrics.jsonl'))
    .trimEnd()
    .split('\n');
  const metrics = lines.map((line) => {
    const { step_time: _, eval_runtime: _1, ...rest } = JSON.parse(line);
    return rest;
  });
  const sha = events.flatMap((event) => (event.type === 'finished' ? [event.summary.weightsSha256] : []))[0]!;
  return { events, metrics, sha };
}

it.each([SEVERAL_UPDATES, KEPT_ROLLOUTS])(
  'evaluations and pauses between all steps change no bit, and are on record: %s',
  async (updates) => {
    let asked = 0;
    const watched = await trained(configOf(updates), async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return asked++ % 2 === 0; // one evaluation at each boundary, then on
    });
    const alone = await trained(configOf(updates));
    expect(watched.sha).toBe(alone.sha);
    const requested = (line: Record<string, unknown>): boolean => line.evaluation === 'requested';
    expect(watched.metrics.filter((line) => !requested(line))).toEqual(alone.metrics);
    expect(watched.metrics.filter(requested)).toHaveLength(3 + 8 - 1); // not behind the last step: it has the final one
  },
  60_000,
);
