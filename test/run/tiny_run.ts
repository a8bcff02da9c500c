/** A run of four steps that takes a fraction of a second, with everything that a session writes. */

import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { OwnMethods } from '../../src/methods/method_list.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../src/run/fingerprint/run_fingerprint.node.ts';
import { type SessionEvent, session } from '../../src/run/session.ts';
import type { Store } from '../../src/run/store/store.ts';
import type { Summary } from '../../src/run/summary.ts';
import type { Tracker } from '../../src/run/tracker.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { createTasks } from '../support/tasks.ts';

export const YAML = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
save_seconds: 3600
max_steps: 4
num_generations: 2
generation_batch_size: 4
learning_rate: 0.01
num_generations_eval: 1
eval_steps: 2
reward_funcs: [mine]`;

export const firstToken: RewardFunction['score'] = ({ completionTokens }) =>
  completionTokens.map(([first = 0]) => first);

/** Every third batch has something to teach. */
export function oneInThree(): RewardFunction['score'] {
  let batches = 0;
  return (batch) => (++batches % 3 === 0 ? firstToken(batch) : batch.completions.map(() => 0));
}

export interface Attempt {
  readonly store: Store;
  readonly resume?: boolean;
  readonly force?: boolean;
  readonly score?: RewardFunction['score'];
  readonly yaml?: string;
  readonly methods?: OwnMethods;
  readonly trackers?: readonly Tracker[];
  readonly heard?: (event: SessionEvent) => void | Promise<void>;
}

/** Runs to the end. @throws what the session throws */
export async function finish({
  store,
  resume = false,
  force = false,
  score = firstToken,
  yaml = YAML,
  methods = {},
  trackers = [],
  heard = () => {},
}: Attempt): Promise<Summary> {
  const { config } = parseConfig(yaml, { file: 'run.yaml' });
  const mine: RewardFunction = { name: 'mine', score };
  const task = createTasks(config, { heldOutSample: 2 });
  const run = await openRun(config, task, await wasmBackend({ inline: true }), { rewards: { mine }, methods });
  const fingerprint = await fingerprintOf(run);
  const options = { run, store, fingerprint, directory: 'runs/one', resume, force, trackers, shouldStop: () => false };
  for await (const event of session(options)) {
    await heard(event);
    if (event.type === 'finished') return event.summary;
  }
  throw new Error('the session ended without an end');
}

/** metrics.jsonl without what the clock decides. */
export async function metricsOf(store: Store): Promise<unknown[]> {
  const text = new TextDecoder().decode(await store.read('metrics.jsonl'));
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ({ ...JSON.parse(line), step_time: 0, eval_runtime: 0 }));
}
