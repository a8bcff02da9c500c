import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../src/grpo/run.ts';
import { train } from '../../src/grpo/trainer.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import type { Rollout } from '../../src/methods/records.ts';
import { captureCheckpoint } from '../../src/run/checkpoint/capture.ts';
import { type Checkpoint, loadLatestCheckpoint, saveCheckpoint } from '../../src/run/checkpoint/checkpoints.ts';
import { restoreCheckpoint } from '../../src/run/checkpoint/restore.ts';
import type { JsonObject } from '../../src/run/json.ts';
import { memoryStore } from '../../src/run/store/store.ts';
import { openRun, parseConfig } from '../support/everything.ts';
import { createTasks } from '../support/tasks.ts';

/** Two passes over each batch, and a sampler that keeps some tokens only: a checkpoint after step 1 has rollouts. */
const YAML = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 4
num_iterations: 2
num_generations: 4
generation_batch_size: 8
num_generations_eval: 1
top_k: 4
reward_funcs: [first_token]`;

/** Rewards that differ within a group, so that the first one is alive. */
const firstToken = {
  name: 'first_token',
  score: ({ completionTokens }: { completionTokens: readonly Int32Array[] }) =>
    completionTokens.map((tokens) => tokens[0] ?? 0),
};

async function open(): Promise<TrainingRun> {
  const { config } = parseConfig(YAML, { file: 'inline' });
  return openRun(config, createTasks(config, { heldOutSample: 2 }), referenceBackend, {
    rewards: { first_token: firstToken },
  });
}

/** A run at rest behind its first step, with a step to come on the same rollouts. */
async function afterOneStep(): Promise<TrainingRun> {
  const run = await open();
  for await (const event of train(run)) if (event.type === 'step') return run;
  throw new Error('the run took no step');
}

const rolloutsOf = (run: TrainingRun): readonly Rollout[] =>
  (run.journal.state.buffer?.groups ?? []).flatMap(({ rollouts }) => rollouts);

async function throughDisk(checkpoint: Checkpoint): Promise<Checkpoint> {
  const store = memoryStore();
  await saveCheckpoint(store, checkpoint, { keep: 1 });
  const loaded = await loadLatestCheckpoint(store);
  if (loaded === undefined) throw new Error('nothing was saved');
  return loaded.checkpoint;
}

/** The same checkpoint as version 2 wrote it: no parts, and the mass in state.json, an object of single numbers. */
function asWrittenBefore(checkpoint: Checkpoint, rollouts: readonly Rollout[]): Checkpoint {
  type Buffered = { groups: { rollouts: { keptLogMass?: unknown }[] }[] };
  const { parts, wallSeconds, completionsBytes } = structuredClone(checkpoint.state) as unknown as {
    parts: { counters: object; evaluations: object; watch: object; buffer: Buffered };
    wallSeconds: number;
    completionsBytes: number;
  };
  parts.buffer.groups
    .flatMap((group) => group.rollouts)
    .forEach((record, i) => {
      record.keptLogMass = { ...rollouts[i].keptLogMass };
    });
  const { counters, evaluations, watch, buffer } = parts;
  const state = { version: 2, wallSeconds, completionsBytes, ...counters, ...evaluations, watch, buffer };
  return {
    ...checkpoint,
    state: state as unknown as JsonObject,
    optimizer: checkpoint.optimizer.filter(({ name }) => name !== 'rollouts.keptLogMass'),
  };
}

describe('a checkpoint between two passes over the same rollouts', () => {
  it('gives every rollout back as it was, keptLogMass as an array of numbers too', async () => {
    const run = await afterOneStep();
    expect(rolloutsOf(run)).toHaveLength(8);
    expect(rolloutsOf(run).some(({ keptLogMass }) => keptLogMass.some((mass) => mass < 0))).toBe(true);
    const resumed = await open();
    restoreCheckpoint(resumed, await throughDisk(await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0)));
    expect(rolloutsOf(resumed)).toEqual(rolloutsOf(run));
    expect(rolloutsOf(resumed)[0].keptLogMass).toBeInstanceOf(Float32Array);
  });

  it('holds no number of a token in its JSON', async () => {
    const run = await afterOneStep();
    const { state } = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
    expect(JSON.stringify((state.parts as JsonObject).buffer)).not.toContain('keptLogMass');
  });

  it('is read the same where an older version wrote it', async () => {
    const run = await afterOneStep();
    const written = await captureCheckpoint(run, { metrics: 0, completions: 0 }, 0);
    const resumed = await open();
    restoreCheckpoint(resumed, await throughDisk(asWrittenBefore(written, rolloutsOf(run))));
    expect(rolloutsOf(resumed)).toEqual(rolloutsOf(run));
    expect(rolloutsOf(resumed)[0].keptLogMass).toBeInstanceOf(Float32Array);
  });
});
