/** Small runs of the guess environment of test/openenv, on a server of this machine, in a store of their own. */

import { onTestFinished } from 'vitest';
import { closeEngine } from '../../../../src/grpo/engine.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { answerFiles } from '../../../../src/run/logs/answer_files.ts';
import { weightsSha256 } from '../../../../src/run/model/model_files.ts';
import { type SessionEvent, session } from '../../../../src/run/session.ts';
import type { Store } from '../../../../src/run/store/store.ts';
import { createTasks, openRun, parseConfig } from '../../../../test/support/everything.ts';
import { LoopbackOpenEnv } from '../../../../test/support/loopback_openenv.ts';
import { connectWebSocket } from '../../websocket.node.ts';

/** The knobs of its task, for six problems. */
export const GUESS = {
  name: 'openenv',
  action: 'guess',
  action_type: 'integer',
  observation: 'said',
  characters: ' 0123456<>=?',
  max_turns: 3,
  action_tokens: 6,
  observation_tokens: 1,
  held_out: 2,
  train: 4,
  timeout: 5,
};

/** So that a policy of random weights learns something: one that ends its actions wins more. */
const mine: RewardFunction = {
  name: 'mine',
  score: ({ completions }) => completions.map((text) => text.split('\n').length / 8),
};

export async function startedServer(): Promise<LoopbackOpenEnv> {
  const server = new LoopbackOpenEnv();
  await server.start();
  onTestFinished(() => server.stop().catch(() => undefined));
  return server;
}

export interface GuessRun {
  readonly server: LoopbackOpenEnv;
  readonly store: Store;
  readonly resume?: boolean;
  readonly threads?: number;
  /** Further knobs of the task. */
  readonly knobs?: Readonly<Record<string, unknown>>;
  /** Keys of the config besides. */
  readonly lines?: string;
  readonly steps?: number;
  readonly saveSeconds?: number;
  readonly heard?: (event: SessionEvent) => void | Promise<void>;
  /** Ends the session at the end of a step. */
  readonly shouldStop?: () => boolean;
}

/** Runs to the end, or as far as it goes. @returns SHA-256 of the weights @throws what the session throws */
export async function guessRun(options: GuessRun): Promise<string> {
  const {
    server,
    store,
    resume = false,
    threads,
    knobs,
    lines = '',
    steps = 3,
    saveSeconds = 3600,
    heard,
    shouldStop = () => false,
  } = options;
  const task = JSON.stringify({ ...GUESS, url: server.url, ...knobs });
  const yaml = `
task: ${task}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: ${steps}
learning_rate: 1.0e-2
num_generations: 8
generation_batch_size: 64
reward_funcs: [accuracy, mine]
save_seconds: ${saveSeconds}
eval_steps: 2
num_generations_eval: 2
${lines}
`;
  const { config } = parseConfig(yaml, { file: 'guess.yaml' });
  const answers = resume ? { answers: answerFiles(store, 0) } : {};
  const tasks = await createTasks(config, { openenv: { connect: connectWebSocket, ...answers } });
  const backend = await wasmBackend(threads === undefined ? { inline: true } : { threads });
  const run = await openRun(config, tasks, backend, { rewards: { mine } });
  try {
    const fingerprint = await fingerprintOf(run);
    const given = { run, store, fingerprint, directory: 'runs/guess', resume, force: false, shouldStop };
    for await (const event of session(given)) await heard?.(event);
    return await weightsSha256(run.engine.policy);
  } finally {
    await closeEngine(run.engine);
  }
}
