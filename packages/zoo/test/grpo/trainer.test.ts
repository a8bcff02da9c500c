import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TrainEvent } from '../../../../src/grpo/events.ts';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { train } from '../../../../src/grpo/trainer.ts';
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import { gradientOf, reinforced, weightsOf } from '../../../../test/grpo/step_parts.ts';

/** Different in each place of a group, and from group to group. */
const own: RewardFunction = {
  name: 'own',
  score: ({ completionTokens }) => completionTokens.map((tokens, i) => tokens.length + (i % 5)),
};

/** Gradients of all steps of a run whose weights stay, since its rate is far below their last bit. */
async function gradients(keys: Readonly<Record<string, unknown>>): Promise<Float64Array[]> {
  const fixed = { generation_batch_size: 16, reward_funcs: ['own'], loss_type: 'grpo', learning_rate: 1e-30 };
  const run = await reinforced({ ...fixed, ...keys }, { rewards: { own } });
  const all: Float64Array[] = [];
  for await (const event of train(run)) if (event.type === 'step') all.push(await gradientOf(run));
  return all;
}

function mean(vectors: readonly Float64Array[]): Float64Array {
  return vectors[0].map((_, i) => vectors.reduce((sum, vector) => sum + vector[i] / vectors.length, 0));
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.hypot(...a.map((value, i) => value - b[i])) / Math.hypot(...b);
}

/** Trains to the end. @returns all events, and the error that ended it */
async function events(run: TrainingRun): Promise<{ seen: TrainEvent[]; error: unknown }> {
  const seen: TrainEvent[] = [];
  try {
    for await (const event of train(run)) seen.push(event);
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

describe('minibatches', () => {
  const minibatches = { per_device_train_batch_size: 4, gradient_accumulation_steps: 1 };

  it('cover each group once per iteration: the mean of their gradients is that of the whole batch', async () => {
    const [whole] = await gradients({ max_steps: 1 });
    const steps = await gradients({ ...minibatches, num_iterations: 2, max_steps: 8 });
    expect(steps).toHaveLength(8);
    // Coefficients and advantages are float32.
    expect(distance(mean(steps.slice(0, 4)), whole)).toBeLessThan(1e-6);
    expect(distance(mean(steps.slice(4)), whole)).toBeLessThan(1e-6);
    for (const step of steps.slice(0, 4)) expect(distance(step, whole)).toBeGreaterThan(0.1);
  });

  it('are followed by a new batch of rollouts', async () => {
    const run = await reinforced(
      { ...minibatches, num_iterations: 2, max_steps: 7, reward_funcs: ['own'] },
      { rewards: { own } },
    );
    const { seen } = await events(run);
    const kinds = seen.filter(({ type }) => type === 'rollouts' || type === 'step').map(({ type }) => type);
    const six = new Array<string>(6).fill('step');
    expect(kinds).toEqual(['rollouts', ...six, 'rollouts', 'step']);
  });
});

describe('a batch without a live group', () => {
  it.each([{}, { beta: 0.1, entropy_coef: 0.1 }])(
    'moves no weight, and the tenth in a row ends the run: %j',
    async (keys) => {
      const run = await reinforced({ reward_funcs: ['same'], ...keys }, { rewards: { same: { ...own, score: same } } });
      const before = await weightsOf(run);
      const { seen, error } = await events(run);
      expect(error).toMatchObject({ code: 'nothing-to-learn' });
      expect(seen.filter(({ type }) => type === 'rollouts')).toHaveLength(10);
      expect(seen.filter(({ type }) => type === 'step')).toEqual([]);
      expect(await weightsOf(run)).toEqual(before);
    },
  );

  it('is one whose credit steps leave no advantage, too; the message names them', async () => {
    const half = { name: 'sample-sign', kept_sign: 'positive' };
    const keys = { reward_funcs: ['own'], credit_steps: [half] };
    const silent = { ...keys, credit_steps: [half, { name: 'pos-weight', positive_weight: 0 }] };
    const run = await reinforced(silent, { rewards: { own } });
    const before = await weightsOf(run);
    const { seen, error } = await events(run);
    expect(error).toMatchObject({
      code: 'nothing-to-learn',
      message: expect.stringContaining('sample-sign, pos-weight'),
    });
    expect(seen.filter(({ type }) => type === 'step')).toEqual([]);
    expect(await weightsOf(run)).toEqual(before);
    const { seen: learning } = await events(await reinforced(keys, { rewards: { own } }));
    expect(learning.filter(({ type }) => type === 'step')).toHaveLength(4);
  });

  it.each([
    ['js-shrinkage', same, 'Every group of the last one, of 4 completions, got equal rewards'],
    ['{name: passk-analytic, k: 3, solved_reward: 0}', own.score, 'left no advantage: passk-analytic'],
  ])('is one that the estimator has no advantage for, too: %s', async (written, score, message) => {
    const run = await reinforced(
      { reward_funcs: ['own'], advantage_estimator: parse(written) },
      { rewards: { own: { ...own, score } } },
    );
    const { error } = await events(run);
    expect(error).toMatchObject({ code: 'nothing-to-learn', message: expect.stringContaining(message) });
  });

  it('is passed over where others live', async () => {
    let batches = 0;
    const third: RewardFunction = { ...own, score: (batch) => (++batches % 3 === 0 ? own.score(batch) : same(batch)) };
    const run = await reinforced({ reward_funcs: ['third'], max_steps: 5 }, { rewards: { third } });
    const { seen, error } = await events(run);
    expect(error).toBeUndefined();
    expect(seen.filter(({ type }) => type === 'rollouts')).toHaveLength(15);
    expect(seen.filter(({ type }) => type === 'step')).toHaveLength(5);
  });
});

function same({ completions }: { readonly completions: readonly string[] }): number[] {
  return completions.map(() => 1);
}
