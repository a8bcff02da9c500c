/** Diagnostics through the real trainer: tiny policies in situations that deserve a word. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { bindTask } from '../../../../src/data/create_task.ts';
import { splitOfProblem } from '../../../../src/data/split.ts';
import type { Knobs, TaskDefinition } from '../../../../src/data/task.ts';
import type { Diagnosis } from '../../../../src/diagnostics/diagnostic.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import type { Verdict } from '../../../../src/rewards/verdict.ts';
import type { RunOptions } from '../../../../src/run/open_run.ts';
import { openRun, parseConfig } from '../../../../test/support/everything.ts';
import { getTaskDefinition } from '../../../../test/support/tasks.ts';

type Definition = TaskDefinition<Json, Knobs>;

interface Situation extends Partial<RunOptions> {
  readonly keys: Readonly<Record<string, unknown>>;
  /** Changes of the task, sort_digits of two digits unless it says otherwise. */
  readonly task?: Partial<Definition>;
  readonly knobs?: Readonly<Record<string, unknown>>;
  /** Where the task is not sort_digits. */
  readonly name?: string;
  /** Called before the first step. */
  readonly prepare?: (run: TrainingRun) => void;
}

const right: Verdict = { score: 1, status: 'correct', reason: 'right' };
const wrong: Verdict = { score: 0, status: 'incorrect', reason: 'wrong' };
const rightIf = (isRight: boolean): Verdict => (isRight ? right : wrong);

const tokens = (of: (first: number, second: number) => number): RewardFunction => ({
  name: 'own',
  score: ({ completionTokens }) => completionTokens.map((ids) => of(ids[0] ?? 0, ids[1] ?? 0)),
});

const GRPO_KEYS = {
  max_steps: 6,
  num_generations: 4,
  generation_batch_size: 32,
  learning_rate: 1e-3,
  num_generations_eval: 1,
};

/** Everything said by the trainer, and the error that ended it. */
async function said(situation: Situation): Promise<{ diagnoses: Diagnosis[]; codes: string[]; error: unknown }> {
  const { keys, task, knobs = { digits: 2 }, name = 'sort_digits', prepare, ...options } = situation;
  const yaml = stringify({
    task: { name, ...knobs },
    model: { hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 1, intermediate_size: 8 },
    eval_strategy: 'no',
    ...(keys.stages === undefined && GRPO_KEYS),
    ...keys,
  });
  const bound = bindTask({ ...getTaskDefinition(name), ...task }, knobs, { heldOutSample: 16 });
  const { config } = parseConfig(yaml, { file: 'inline' });
  const run = await openRun(config, bound, await wasmBackend({ threads: 1 }), options);
  prepare?.(run);
  const diagnoses: Diagnosis[] = [];
  let error: unknown;
  try {
    for await (const event of train(run)) if (event.type === 'diagnosis') diagnoses.push(event.diagnosis);
  } catch (cause) {
    error = cause;
  } finally {
    await run.engine.policy.close();
  }
  return { diagnoses, codes: diagnoses.map(({ code }) => code), error };
}

/** A clock that moves by a second in the reward, and by a millisecond where anyone looks at it. */
function slowReward(reward: RewardFunction): Pick<Situation, 'rewards' | 'clock'> {
  let now = 0;
  const score: RewardFunction['score'] = (batch) => {
    now += 1000;
    return reward.score(batch);
  };
  return { rewards: { own: { ...reward, score } }, clock: () => ++now };
}

const own = { reward_funcs: ['own'] };
const firstToken = tokens((first) => first);

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'all-wrong': { keys: {}, task: { verify: () => wrong } },
  'small-rate': { keys: { ...own, learning_rate: 1e-6, max_steps: 1 }, rewards: { own: firstToken } },
  'short-limit': {
    name: 'reverse_text',
    knobs: {},
    keys: { ...own, max_completion_length: 4, max_steps: 1 },
    rewards: { own: firstToken },
  },
  'policy-lost': {
    keys: { learning_rate: 1e-6, generation_batch_size: 128 },
    task: {
      verify: (() => {
        let judged = 0;
        return () => rightIf(judged++ < 384 && judged % 2 === 0);
      })(),
    },
  },
  'pays-wrong': {
    keys: { ...own, generation_batch_size: 64 },
    task: { verify: (_, answer) => rightIf(answer < '5') },
    rewards: { own: firstToken },
  },
  'beta-outweighs': {
    keys: { ...own, beta: 100, max_steps: 14, learning_rate: 0.02 },
    rewards: { own: firstToken },
  },
  memorised: {
    keys: { eval_strategy: 'steps', eval_steps: 1 },
    task: { verify: (item) => rightIf(splitOfProblem(getTaskDefinition('sort_digits'), item) === 'train') },
  },
  'all-right': { keys: {}, task: { verify: () => right } },
  'all-dead': { keys: {}, task: { verify: (item) => rightIf(JSON.stringify(item) < '{"digits":"5') } },
  'constant-reward': {
    keys: own,
    task: { verify: (_, answer) => rightIf(answer < '5') },
    rewards: { own: tokens(() => 1) },
  },
  'narrow-rewards': { keys: own, rewards: { own: tokens((first) => 1 + 1e-6 * first) } },
  'no-reward': {
    keys: own,
    rewards: { own: { name: 'own', score: ({ completions }) => completions.map(() => null) } },
  },
  'low-solve-rate': {
    keys: { generation_batch_size: 512, max_steps: 1 },
    task: { verify: (_, answer) => rightIf(answer === '12') },
  },
  'few-live-groups': {
    keys: { generation_batch_size: 256, max_steps: 12, learning_rate: 1e-6 },
    task: { verify: (_, answer) => rightIf(answer >= '10' && answer <= '13') },
  },
  'no-eos': { name: 'reverse_text', knobs: {}, keys: { max_completion_length: 2, top_k: 1 } },
  truncated: {
    name: 'reverse_text',
    knobs: { min_length: 1, max_length: 1 },
    keys: { ...own, max_completion_length: 2, generation_batch_size: 128, max_steps: 3 },
    rewards: { own: firstToken },
  },
  'entropy-collapse': { keys: { temperature: 1e-4 }, task: { verify: () => wrong } },
  'zero-gradient': {
    name: 'reverse_text',
    knobs: {},
    keys: { ...own, max_completion_length: 1, mask_truncated_completions: true, top_k: 4, max_steps: 1 },
    rewards: { own: firstToken },
  },
  'clip-fraction': {
    keys: { ...own, num_iterations: 4, learning_rate: 0.1, epsilon: 0.02 },
    rewards: { own: firstToken },
  },
  'stale-rollouts': {
    keys: { ...own, num_iterations: 4, learning_rate: 0.1, epsilon: 0.99, epsilon_high: 1e6 },
    rewards: { own: firstToken },
  },
  'stale-replay': {
    keys: { ...own, rollout_strategies: ['replay-buffer'], learning_rate: 0.3, max_steps: 8 },
    rewards: { own: firstToken },
  },
  'source-starves': {
    keys: { ...own, prompt_source: 'keep-range' },
    task: { generate: () => ({ digits: '35' }), verify: () => wrong },
    rewards: { own: firstToken },
  },
  'sft-loss-rises': {
    keys: { stages: [{ stage: 'sft', learning_rate: 3, warmup_steps: 60, max_steps: 60, max_grad_norm: 0 }] },
  },
  'held-out-gap': {
    keys: { eval_strategy: 'steps', eval_steps: 3, num_generations: 8 },
    task: {
      verify: (item, answer) =>
        rightIf(splitOfProblem(getTaskDefinition('sort_digits'), item) === 'train' && answer > '2'),
    },
  },
  plateau: {
    keys: { ...own, eval_strategy: 'steps', eval_steps: 1, learning_rate: 1e-9 },
    rewards: { own: firstToken },
  },
  'long-warm-up': { keys: { ...own, warmup_steps: 6, max_steps: 6 }, rewards: { own: firstToken } },
  'slow-verifier': { keys: { ...own, max_steps: 12 }, ...slowReward(firstToken) },
  'repeated-data': {
    keys: { ...own, max_steps: 4 },
    task: { generate: () => ({ digits: '35' }) },
    rewards: { own: firstToken },
  },
  'non-finite': { keys: { ...own, learning_rate: 1e38, max_grad_norm: 0 }, rewards: { own: firstToken } },
  'nothing-to-learn': { keys: {}, task: { verify: () => wrong } },
  'off-policy': {
    keys: own,
    rewards: { own: firstToken },
    prepare({ engine: { policy } }) {
      const accumulate = policy.accumulate.bind(policy);
      policy.accumulate = async (...batch) => {
        const scores = await accumulate(...batch);
        return { ...scores, logprobs: scores.logprobs.map((logprob) => logprob + 0.01) };
      };
    },
  },
};

describe('the trainer', () => {
  it.each(Object.keys(SITUATIONS))('says %s where it is so', async (code) => {
    const { codes, diagnoses, error } = await said(SITUATIONS[code]);
    expect(codes).toContain(code);
    expect(new Set(codes).size).toBe(codes.length);
    const stop = diagnoses.find(({ level }) => level === 'stop');
    expect(error).toEqual(stop && expect.objectContaining({ code: stop.code })); // no other error
  });

  it('says why a run stops right before it throws, in the words of the error', async () => {
    for (const code of ['non-finite', 'nothing-to-learn', 'off-policy']) {
      const { diagnoses, error } = await said(SITUATIONS[code]);
      expect(error).toMatchObject({ code });
      expect(diagnoses.at(-1)).toEqual({ code, level: 'stop', message: (error as Error).message });
    }
  });

  it('says nothing of a small policy that learns to sort', async () => {
    const keys = { reward_funcs: ['positions'], num_generations: 8, generation_batch_size: 128, max_steps: 40 };
    const { diagnoses, error } = await said({ keys: { ...keys, learning_rate: 5e-3, warmup_steps: 5 } });
    expect(error).toBeUndefined();
    expect(diagnoses).toEqual([]);
  });
});
