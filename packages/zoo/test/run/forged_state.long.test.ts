/** A state.json that is not what a run saved, under hashes that fit: it is refused in words, or the run goes on. */
import { beforeAll, expect, it } from 'vitest';
import { CheckpointError, RlvrError } from '../../../../src/errors.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { captureCheckpoint } from '../../../../src/run/checkpoint/capture.ts';
import type { Checkpoint } from '../../../../src/run/checkpoint/checkpoints.ts';
import { restoreCheckpoint } from '../../../../src/run/checkpoint/restore.ts';
import type { JsonObject } from '../../../../src/run/json.ts';
import { budget, fewOf } from '../../../../test/support/budget.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { createTasks } from '../../../../test/support/tasks.ts';

/** Mutations that are trained on from; before a release all single ones are restored. */
const TRAINED = Number(process.env.RLVR_KILLS ?? budget({ quick: 1, all: 1, release: 3 })) * 40;

/** Two passes over a batch, so that rollouts are kept; a method that asks for the ledger; evaluations. */
const { config } = parseConfig(
  `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 6
num_iterations: 2
num_generations: 2
generation_batch_size: 4
num_generations_eval: 2
eval_steps: 2
prompt_source: {name: prioritized}
reward_funcs: [first_token]`,
  { file: 'inline' },
);
const task = createTasks(config, { heldOutSample: 2 });
const firstToken = {
  name: 'first_token',
  score: ({ completionTokens }: { completionTokens: readonly Int32Array[] }) =>
    completionTokens.map((tokens) => tokens[0] ?? 0),
};
const open = async (): Promise<TrainingRun> =>
  openRun(config, task, await wasmBackend({ inline: true }), { rewards: { first_token: firstToken } });

let saved: Checkpoint;
let run: TrainingRun;
beforeAll(async () => {
  const first = await open();
  for await (const event of train(first)) if (event.type === 'step' && event.step === 3) break;
  saved = await captureCheckpoint(first, { metrics: 0, completions: 0 }, 1);
  await first.engine.policy.close();
  run = await open();
});

type Path = readonly (string | number)[];

/** Every place in a value, containers included. */
function placesOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesOf(inner, [...at, key]))];
}

const GONE = Symbol('gone');
// biome-ignore format: a list
const WRONG: readonly unknown[] = [
  GONE, null, true, -1, 0.5, 1e308, 2 ** 53, 'text', '', [], {}, [[]], { __proto__: null, length: 1e9 }, [null],
];

function forged(path: Path, wrong: unknown): Checkpoint {
  const state = structuredClone(saved.state) as Record<string, unknown>;
  if (path.length === 0) return { ...saved, state: wrong === GONE ? {} : (wrong as JsonObject) };
  let parent = state;
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, unknown>;
  const name = String(path.at(-1));
  if (wrong === GONE) delete parent[name];
  else parent[name] = wrong;
  return { ...saved, state: state as JsonObject };
}

it('is refused by name or resumed, whatever stands in any of its places', () => {
  expect(saved.state.parts).toMatchObject({ buffer: { stepsTaken: 1 } });
  expect((saved.state.parts as JsonObject).ledger).toHaveLength(4);
  const places = placesOf(saved.state).filter((path) => path.length > 0);
  expect(places.length).toBeGreaterThan(400);
  let refused = 0;
  const tried = fewOf(places, { quick: 60, all: 160 });
  for (const path of tried) {
    for (const wrong of WRONG) {
      try {
        restoreCheckpoint(run, forged(path, wrong));
      } catch (error) {
        if (!(error instanceof RlvrError)) throw new Error(`${path.join('.')} as ${String(wrong)}`, { cause: error });
        refused++;
      }
    }
  }
  expect(refused).toBeGreaterThan(tried.length * 6);
}, 120_000);

it('that is taken trains on without a mistake of ours', async () => {
  const rng = rngFor('forged');
  const places = placesOf(saved.state).filter((path) => path.length > 0);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(rng.float() * from.length)] as T;
  let trained = 0;
  for (let i = 0; i < TRAINED; ) {
    const [path, wrong] = [pick(places), pick(WRONG)];
    try {
      restoreCheckpoint(run, forged(path, wrong));
    } catch {
      continue; // seen by the test above
    }
    i++;
    try {
      for await (const event of train(run)) if (event.type === 'step') trained++;
    } catch (error) {
      if (!(error instanceof RlvrError)) throw new Error(`${path.join('.')} as ${String(wrong)}`, { cause: error });
    }
  }
  expect(trained).toBeGreaterThan(TRAINED);
}, 600_000);

it('names the part, the place and what to do', () => {
  const stands = ['parts', 'watch', 'history', 'since'];
  expect(() => restoreCheckpoint(run, forged(stands, null))).toThrow(CheckpointError);
  expect(() => restoreCheckpoint(run, forged(stands, null))).toThrow(
    /state\.json is not one that can be resumed \(watch\.history\.since: .*\)\. .* resume from the one before\.$/,
  );
  expect(() => restoreCheckpoint(run, forged(['parts', 'buffer'], GONE))).toThrow('(buffer is missing)');
});

it('of a stage that the config does not have is refused', () => {
  expect(() => restoreCheckpoint(run, { ...saved, stageIndex: 1 })).toThrow(
    'checkpoint grpo-3: it was written in stage 2, grpo; this config has 1 stages.',
  );
  expect(() => restoreCheckpoint(run, { ...saved, stage: 'sft' })).toThrow('this config has grpo there.');
});

it('with a token beyond the vocabulary is refused', () => {
  const optimizer = saved.optimizer.map((tensor) =>
    tensor.name === 'rollouts.tokens' ? { ...tensor, data: tensor.data.map((id, i) => (i === 1 ? 99 : id)) } : tensor,
  );
  expect(() => restoreCheckpoint(run, { ...saved, optimizer })).toThrow(/buffer: token 99 of a vocabulary of \d+/);
});
