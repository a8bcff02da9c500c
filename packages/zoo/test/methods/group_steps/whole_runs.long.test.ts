/**
 * Built-in group steps through whole runs, on two tasks of which one lacks some of the rewards: what is killed in the
 * middle of a batch goes on to the same weights, and micro-batches do not change a bit.
 */
import { describe, expect, it } from 'vitest';
import { train } from '../../../../../src/grpo/trainer.ts';
import { wasmBackend } from '../../../../../src/kernels/wasm/backend.ts';
import type { StepMetrics } from '../../../../../src/methods/records.ts';
import type { RewardFunction } from '../../../../../src/rewards/reward_function.ts';
import { captureCheckpoint } from '../../../../../src/run/checkpoint/capture.ts';
import { restoreCheckpoint } from '../../../../../src/run/checkpoint/restore.ts';
import { weightsSha256 } from '../../../../../src/run/model/model_files.ts';
import { fewOf } from '../../../../../test/support/budget.ts';
import { createTasks, METHODS, openRun, parseConfig } from '../../../../../test/support/everything.ts';
import { describeMethod } from '../../../catalogue/catalogue.ts';
import { needsSearch, needsTurns, playedTask } from '../../support/played_methods.ts';

const config = (line: string, micro = 16): string => `
${line.includes('task:') ? '' : 'tasks: [{name: sort_digits, digits: 2}, {name: reverse_text, min_length: 2, max_length: 2}]'}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 5
max_steps: 4
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
num_iterations: 2
dynamic_sampling: refill
reward_funcs: [accuracy, positions, lcs]
eval_strategy: "no"
per_device_train_batch_size: ${micro}
${line}
`;

/** A reward of the first tokens, which an untrained policy gets now and then; null for a completion of the other task. */
const ofToken = (name: string, place: number, applies: (prompt: string) => boolean): RewardFunction => ({
  name,
  score: ({ prompts, completionTokens }) =>
    completionTokens.map((tokens, i) => (applies(prompts[i]) ? ((tokens[place] ?? 0) % 3) / 2 : null)),
});
const rewards = {
  accuracy: ofToken('accuracy', 0, () => true),
  positions: ofToken('positions', 1, (prompt) => /[0-9]/.test(prompt)),
  lcs: ofToken('lcs', 1, (prompt) => !/[0-9]/.test(prompt)),
};

const open = async (yaml: string) => {
  const { config: read } = parseConfig(yaml, { file: 'inline' });
  return openRun(read, await createTasks(read), await wasmBackend({ inline: true, fma: false }), { rewards });
};

type Opened = Awaited<ReturnType<typeof open>>;

/** Trains to the end. @returns what remains of the run, without what depends on the clock */
async function finish(run: Opened): Promise<{ metrics: StepMetrics[]; sha256: string }> {
  const metrics: StepMetrics[] = [];
  for await (const event of train(run)) {
    if (event.type === 'step') metrics.push({ ...event.metrics, step_time: 0 });
  }
  const sha256 = await weightsSha256(run.engine.policy);
  await run.engine.policy.close();
  return { metrics, sha256 };
}

/** Of rollouts, rewards and the methods of this folder. */
const isSaid = (name: string): boolean =>
  /^(?:reward|frac|groups|completions|group_steps)/.test(name) ||
  METHODS.groupSteps.some(({ id }) => name.startsWith(id));

/** An untrained policy gives no answer that a twin's could agree with; combinations.test.ts kills its runs. */
const NEEDS_ANSWERS = new Set(['cross-majority']);
const groupSteps = METHODS.groupSteps.filter(({ id }) => !NEEDS_ANSWERS.has(id));

/** An untrained policy ends no episode in a better state: the total would be 0 throughout, so one reward of several is changed. */
const NEEDS_WARMTH = new Set(['state-match']);

function lineOf(method: (typeof groupSteps)[number]): string {
  return describeMethod('groupSteps', method).yaml[NEEDS_WARMTH.has(method.id) ? 1 : 0];
}

/** What a method is tested on, where it is not two tasks. */
function tasksOf(method: (typeof groupSteps)[number]): string {
  if (needsTurns(method)) return `\ntask: ${playedTask(method)}\nadvantage_estimator: turn-return`;
  return needsSearch(method)
    ? '\ntask: {name: countdown, answer: search, numbers: 2, max_number: 4, max_tokens: 16}'
    : '';
}

describe.each(
  fewOf(groupSteps, { quick: 6, all: 13 }).map((method) => ({ id: method.id, line: lineOf(method) + tasksOf(method) })),
)('$id', ({ line }) => {
  it('ends with the same bits after a kill, in micro-batches', async () => {
    const whole = await finish(await open(config(line)));
    expect(whole.metrics).toHaveLength(4);
    for (const metrics of whole.metrics) {
      expect(Object.values(metrics).every((value) => typeof value === 'string' || Number.isFinite(value))).toBe(true);
    }
    const first = await open(config(line, 4));
    for await (const event of train(first)) if (event.type === 'step') break; // a second pass over the batch is due
    const checkpoint = await captureCheckpoint(first, { metrics: 0, completions: 0 }, 0);
    await first.engine.policy.close();
    const again = await open(config(line, 4));
    restoreCheckpoint(again, checkpoint);
    const rest = await finish(again);
    expect(rest.sha256).toBe(whole.sha256);
    // Sums over micro-batches may differ in their last bits; what rollouts and group steps say does not.
    const said = ({ metrics }: typeof whole) =>
      metrics.map((line) => Object.entries(line).filter(([name]) => isSaid(name)));
    expect(said(rest)).toEqual(said(whole).slice(1));
  });
});
