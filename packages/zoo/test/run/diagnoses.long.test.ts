/** What is said during a run is kept in its directory. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { type SessionEvent, session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { finish, metricsOf, YAML as TINY } from '../../../../test/run/tiny_run.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';
import { bindTask } from '../../data/index.ts';

const YAML = `
task: {name: sort_digits, digits: 2}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8}
max_steps: 12
num_generations: 4
generation_batch_size: 32
learning_rate: 1.0e-3
warmup_steps: 12
num_iterations: 2
num_generations_eval: 1
eval_steps: 4
save_seconds: 0.001
reward_funcs: [own]
`;

const narrow: RewardFunction = {
  name: 'own',
  score: ({ completionTokens }) => completionTokens.map((ids) => 1 + 1e-6 * ids[0]),
};
const nothing: RewardFunction = { name: 'own', score: ({ completions }) => completions.map(() => 0) };

interface Options {
  readonly store: Store;
  readonly resume?: boolean;
  readonly stopAt?: number;
  readonly reward?: RewardFunction;
  readonly yaml?: string;
}

/** A task whose every answer is wrong. */
const task = bindTask(
  { ...getTaskDefinition('sort_digits'), verify: () => ({ score: 0, status: 'incorrect', reason: 'wrong' }) },
  { digits: 2 },
);

async function events({
  store,
  resume = false,
  stopAt,
  reward = narrow,
  yaml = YAML,
}: Options): Promise<SessionEvent[]> {
  const { config } = parseConfig(yaml, { file: 'inline' });
  const run = await openRun(config, task, await wasmBackend({ threads: 1 }), { rewards: { own: reward } });
  const shouldStop = (): boolean => run.journal.state.step === stopAt;
  const found: SessionEvent[] = [];
  try {
    const fingerprint = await fingerprintOf(run);
    for await (const event of session({ run, store, fingerprint, resume, force: false, shouldStop })) found.push(event);
  } finally {
    await run.engine.policy.close();
  }
  return found;
}

async function lines(store: Store): Promise<Record<string, unknown>[]> {
  const text = new TextDecoder().decode(await store.read('metrics.jsonl'));
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('what is said during a run', () => {
  it('stands in metrics.jsonl, and in summary.json once', async () => {
    const store = memoryStore();
    const summary = (await events({ store })).flatMap((event) => (event.type === 'finished' ? [event.summary] : []))[0];
    const said = (await lines(store)).filter((line) => 'diagnosis' in line);
    expect(said.map(({ diagnosis, step, stage, level }) => [diagnosis, step, stage, level])).toEqual([
      ['long-warm-up', 0, 'grpo', 'note'],
      ['narrow-rewards', 5, 'grpo', 'note'], // the third batch, as each is used twice
      ['at-chance', 8, 'grpo', 'warning'], // the first evaluation in the second half
    ]);
    expect(summary.diagnoses).toEqual(
      said.map(({ diagnosis, step, stage, level, message }) => ({
        code: diagnosis,
        step,
        stage,
        level,
        message,
        times: 1,
      })),
    );
    expect(JSON.parse(new TextDecoder().decode(await store.read('summary.json'))).diagnoses).toEqual(summary.diagnoses);
  });

  it('is the same where the run was stopped at each of its steps and resumed', async () => {
    const whole = memoryStore();
    const parts = memoryStore();
    await events({ store: whole });
    for (let step = 1; step < 12; step++) await events({ store: parts, resume: step > 1, stopAt: step });
    await events({ store: parts, resume: true });
    const withoutClock = async (store: Store) =>
      (await lines(store)).map(({ step_time: _, eval_runtime: _1, ...line }) => line);
    expect(await withoutClock(parts)).toEqual(await withoutClock(whole));
  });

  it('is in metrics.jsonl too where it ends the run', async () => {
    const store = memoryStore();
    await expect(events({ store, reward: nothing })).rejects.toMatchObject({ code: 'nothing-to-learn' });
    const said = (await lines(store)).filter((line) => 'diagnosis' in line);
    expect(said.map(({ diagnosis, level }) => [diagnosis, level])).toEqual([
      ['long-warm-up', 'note'],
      ['all-wrong', 'warning'],
      ['nothing-to-learn', 'stop'],
    ]);
  });

  it('is no loss where it ends the run: what was learned is saved, and a resume tries as many batches', async () => {
    const store = memoryStore();
    let useful = 4;
    const reward: RewardFunction = {
      name: 'own',
      score: ({ completions, trainerState }) => completions.map((_, i) => (trainerState.step < useful ? i % 2 : 0)),
    };
    const yaml = YAML.replace('save_seconds: 0.001', 'save_seconds: 1000');
    await expect(events({ store, reward, yaml })).rejects.toMatchObject({ code: 'nothing-to-learn' });
    expect(await store.list('checkpoints')).toEqual(['grpo-4']);
    useful = 12;
    const steps = (await events({ store, reward, yaml, resume: true })).filter(({ type }) => type === 'step');
    expect(steps.map((event) => event.type === 'step' && event.step)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
  });
});

it('what is said of the final evaluation is kept by the checkpoint that has it', async () => {
  const score: RewardFunction['score'] = ({ completionTokens }) => completionTokens.map((_, i) => i % 2);
  const tiny = { yaml: TINY.replace('eval_steps: 2', 'eval_strategy: "no"'), score };
  const [whole, killed] = [memoryStore(), memoryStore()];
  const { diagnoses } = await finish({ ...tiny, store: whole });
  expect(diagnoses.map(({ code }) => code)).toContain('at-chance');
  let isAsked = false;
  const heard = (event: SessionEvent): void => {
    isAsked ||= event.type === 'evaluation' && event.moment === 'final';
    if (isAsked && event.type === 'checkpoint') throw new Error('killed');
  };
  await expect(finish({ ...tiny, store: killed, heard })).rejects.toThrow('killed');
  expect((await finish({ ...tiny, store: killed, resume: true })).diagnoses).toEqual(diagnoses);
  expect(await metricsOf(killed)).toEqual(await metricsOf(whole));
});
