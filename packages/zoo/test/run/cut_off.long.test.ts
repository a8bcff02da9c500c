/** A run that is cut off anywhere, in an evaluation or in a step, and resumed is the run that was not. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { method } from '../../../../src/methods/method.ts';
import type { OwnMethods } from '../../../../src/methods/method_list.ts';
import type { GroupRequest, RollOut } from '../../../../src/methods/points.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { fingerprintOf } from '../../../../src/run/fingerprint/run_fingerprint.node.ts';
import { type SessionEvent, session } from '../../../../src/run/session.ts';
import { memoryStore, type Store } from '../../../../src/run/store/store.ts';
import { budget } from '../../../../test/support/budget.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { isTime } from '../../../../test/support/killed_runs.ts';
import { createTasks } from '../../../../test/support/tasks.ts';

/** Two stages with evaluations before, within and after them, dead batches, minibatches, several passes, a ledger, a best model. */
const YAML = `
task: {name: sort_digits, digits: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8, initializer_range: 0.3}
save_seconds: 3600
seed: 4
load_best_model_at_end: true
stages:
  - {stage: sft, max_steps: 2, per_device_train_batch_size: 4, learning_rate: 1.0e-2, eval_steps: 1}
  - {stage: grpo, max_steps: 4, num_generations: 4, generation_batch_size: 8, per_device_train_batch_size: 4, gradient_accumulation_steps: 1,
     num_iterations: 2, beta: 0.01, learning_rate: 1.0e-2, eval_steps: 2, num_generations_eval: 2, reward_funcs: [./mine.ts],
     prompt_source: prioritized, rollout_strategies: [./careless.ts],
     controllers: [{name: early-stop-metric, stop_patience: 2, least_gain: 0.1}]}
`;

/** Some batches are dead: none of their rewards differ. It logs what it pays, in a column and a metric. */
const mine: RewardFunction = {
  name: 'mine',
  score({ completionTokens, items, logExtra, logMetric }) {
    const paid = completionTokens.map(([first = 0], i) =>
      items[0].prompt.charCodeAt(0) % 2 === 1 ? 0 : first + i / 8,
    );
    logExtra?.('paid', paid);
    logMetric?.('most paid', Math.max(...paid));
    return paid;
  },
};

/** It takes any error for bad luck, and asks again; and counts how often it was called. */
const methods: OwnMethods = {
  './careless.ts': method({
    id: 'careless',
    about: { does: 'Asks twice.', formula: 'none', source: 'own', certainty: 'own' },
    options: {},
    create: () => {
      let calls = 0;
      return {
        rollOut: async (requests: readonly GroupRequest[], next: RollOut) => {
          calls++;
          try {
            return await next(requests);
          } catch {
            return next(requests);
          }
        },
        state: () => calls,
        restore: (state: Json) => {
          calls = state as number;
        },
      };
    },
  }),
};

async function open(threads?: number): Promise<TrainingRun> {
  const { config } = parseConfig(YAML, { file: 'run.yaml' });
  const backend = await wasmBackend(threads === undefined ? { inline: true } : { threads });
  return openRun(config, createTasks(config, { heldOutSample: 3 }), backend, {
    rewards: { './mine.ts': mine },
    methods,
  });
}

interface Attempt {
  readonly run: TrainingRun;
  readonly store: Store;
  readonly resume?: boolean;
  /** Cut off when the session asks for the n-th time whether it is to be. */
  readonly cutAt?: number;
}

interface Ended {
  readonly events: readonly SessionEvent[];
  /** How often it was asked. */
  readonly asked: number;
}

async function attempt({ cutAt = Number.POSITIVE_INFINITY, ...options }: Attempt): Promise<Ended> {
  const controller = new AbortController();
  const { signal } = controller;
  let asked = 0;
  signal.throwIfAborted = () => {
    if (++asked >= cutAt) controller.abort();
    if (signal.aborted) throw signal.reason;
  };
  const fingerprint = await fingerprintOf(options.run);
  const events: SessionEvent[] = [];
  for await (const event of session({ resume: false, force: false, ...options, fingerprint, signal }))
    events.push(event);
  return { events, asked };
}

/** In a process of its own, so to say. */
async function opened(options: Omit<Attempt, 'run'>): Promise<Ended> {
  const run = await open();
  try {
    return await attempt({ ...options, run });
  } finally {
    await run.engine.policy.close();
  }
}

interface Left {
  readonly sha256: string;
  readonly best: unknown;
  readonly metrics: readonly unknown[];
  readonly completions: string;
  /** What was answered to each problem. */
  readonly answers: readonly string[];
  /** Of the last checkpoint: what the diagnostics remember, the ledger, methods, counters. */
  readonly state: unknown;
}

const ANSWERS = ['baseline', 'best', 'final', 'counts'];

const timeless = (text: string): unknown => JSON.parse(text, (name, value) => (isTime(name.toLowerCase()) ? 0 : value));

/** All of a directory that must be the same, times apart. */
async function left(store: Store, { events }: Ended): Promise<Left> {
  const text = async (path: string): Promise<string> => new TextDecoder().decode(await store.read(path));
  const lines = (await text('metrics.jsonl')).trimEnd().split('\n');
  const finished = events.find(({ type }) => type === 'finished');
  if (finished?.type !== 'finished') throw new Error('the run did not end');
  const { weightsSha256, best, model } = finished.summary;
  return {
    sha256: weightsSha256,
    best: { best, model },
    metrics: lines.map(timeless),
    completions: await text('completions.jsonl'),
    answers: await Promise.all(ANSWERS.map((name) => text(`evaluations/${name}.jsonl`))),
    state: timeless(await text('checkpoints/grpo-4/state.json')),
  };
}

describe('a run that is cut off', () => {
  it('at any moment and resumed has the weights and logs of one that was not', async () => {
    const store = memoryStore();
    const ended = await opened({ store });
    const whole = await left(store, ended);
    const isDead = (event: SessionEvent) => event.type === 'rollouts' && event.groups.every(({ dead }) => dead);
    expect(ended.events.some(isDead)).toBe(true);
    expect(JSON.parse(whole.completions.split('\n')[0])).toMatchObject({
      rewards: { mine: expect.any(Number) },
      extra: { paid: expect.any(Number) },
    });
    expect(whole.metrics.some((line) => Object.hasOwn(line as object, 'most paid'))).toBe(true);
    const moments = budget({ quick: 6, all: Math.min(12, ended.asked), release: ended.asked });
    const seen = new Set<string>();
    for (let i = 1; i <= moments; i++) {
      const cutAt = Math.round((i * ended.asked) / moments);
      const cut = memoryStore();
      const { events } = await opened({ store: cut, cutAt });
      const stopped = events.at(-1);
      if (stopped?.type !== 'stopped') throw new Error(`it was not cut off at ${cutAt}`);
      seen.add(`${stopped.again} ${stopped.step}`);
      expect(await left(cut, await opened({ store: cut, resume: true })), `cut at ${cutAt}`).toEqual(whole);
    }
    const places = ['step 0', 'step 1', 'step 2', 'step 3', ...[0, 1, 2, 4].map((step) => `evaluation ${step}`)];
    if (moments === ended.asked) expect([...seen].sort()).toEqual(places.sort());
  }, 120_000);

  it.each([undefined, 2])(
    'again and again, and resumed in the same engine, comes to the same end (threads: %s)',
    async (threads) => {
      const [one, many] = [memoryStore(), memoryStore()];
      const whole = await left(one, await opened({ store: one }));
      const run = await open(threads);
      let ended = await attempt({ run, store: many, cutAt: 1 });
      for (let cutAt = 1; ended.events.at(-1)?.type !== 'finished'; cutAt += 3) {
        ended = await attempt({ run, store: many, cutAt, resume: true });
      }
      expect(await left(many, ended)).toEqual(whole);
      await run.engine.policy.close();
    },
    60_000,
  );
});
