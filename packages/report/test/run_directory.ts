/** Run directories for the tests of the report, as a session leaves them. */
import type { JsonObject } from '../../../src/run/json.ts';
import { memoryStore, type Store } from '../../../src/run/store/store.ts';

export interface Directory {
  /** Text of config.yaml; default: one grpo stage of 600 steps. */
  readonly config?: string;
  readonly metrics?: readonly JsonObject[];
  readonly completions?: readonly JsonObject[];
  readonly fleet?: readonly JsonObject[];
  readonly fingerprint?: JsonObject;
  readonly summary?: JsonObject;
  readonly failure?: JsonObject;
}

export const ONE_STAGE = 'task:\n  name: sort_digits\n  digits: 4\nstages:\n  - stage: grpo\n    max_steps: 600\n';
export const TWO_STAGES =
  'task:\n  name: countdown\nstages:\n  - stage: sft\n    max_steps: 40\n  - stage: grpo\n    max_steps: 60\n';

export const FINGERPRINT = {
  packageVersion: '0.1.0',
  backend: 'wasm',
  backendFeatures: { fma: 'relaxed-simd' },
  engine: 'v8 11.3',
  runtime: 'node 20.20.2',
  platform: 'linux',
  arch: 'x64',
  cpuModel: 'A Processor',
  threads: 2,
  seed: 7,
  gitCommit: null,
  configHash: 'c0ffee',
};

export const SUMMARY = {
  baseline: null,
  final: null,
  steps: [{ stage: 'grpo', steps: 600 }],
  wallSeconds: 125,
  split: { sft: 0, rollout: 60, verify: 1, update: 50, eval: 10 },
  tokensPerSecond: 9000,
  weightsSha256: 'abc123',
  backend: 'wasm',
  threads: 2,
  seed: 7,
  parameters: 101_504,
};

export async function directory(files: Directory): Promise<Store> {
  const store = memoryStore();
  const write = (path: string, text: string): Promise<void> => store.writeAtomic(path, new TextEncoder().encode(text));
  const lines = (records: readonly JsonObject[]): string =>
    records.map((record) => `${JSON.stringify(record)}\n`).join('');
  await write('config.yaml', files.config ?? ONE_STAGE);
  if (files.metrics) await write('metrics.jsonl', lines(files.metrics));
  if (files.completions) await write('completions.jsonl', lines(files.completions));
  if (files.fleet) await write('fleet.jsonl', lines(files.fleet));
  if (files.fingerprint) await write('fingerprint.json', JSON.stringify(files.fingerprint));
  if (files.summary) await write('summary.json', JSON.stringify(files.summary));
  if (files.failure) await write('failure.json', JSON.stringify(files.failure));
  return store;
}

/** A line of a step; 100 tokens and half a second each. */
export function step(stage: 'sft' | 'grpo', number: number, more: JsonObject = {}): JsonObject {
  return { step: number, stage, loss: 1 / number, num_tokens: 100 * number, step_time: 0.5, ...more };
}

export function evaluation(stage: 'sft' | 'grpo', number: number, moment: string, accuracy: number): JsonObject {
  const interval = (key: string, value: number): JsonObject => ({
    [key]: value,
    [`${key}_low`]: value - 0.05,
    [`${key}_high`]: value + 0.05,
  });
  return {
    step: number,
    stage,
    evaluation: moment,
    ...interval('eval_accuracy', accuracy),
    ...interval('eval_mean@4', accuracy / 2),
    ...interval('eval_pass@4', accuracy),
  };
}

export function completion(number: number, group: number, more: JsonObject = {}): JsonObject {
  return {
    step: number,
    group,
    prompt: `prompt ${group}`,
    completion: 'text',
    status: 'incorrect',
    reason: 'not it',
    finish_reason: 'eos',
    reward: 0,
    rewards: { accuracy: 0 },
    advantage: -1,
    ...more,
  };
}
