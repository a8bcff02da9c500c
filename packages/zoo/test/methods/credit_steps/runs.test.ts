/** Credit steps in whole runs: all of them at once, from a checkpoint on, and those that only measure. */
import { expect, it } from 'vitest';
import { METHODS } from '../../../../../test/support/everything.ts';
import { killedAndResumed } from '../../../../../test/support/killed_runs.ts';
import { finishRun, finishSmallRun, plainWasm, type SmallRun } from '../../../../../test/support/small_runs.ts';

const SMALL = `
task: {name: countdown, max_number: 9, max_target: 20}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: 3
max_steps: 4
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
num_iterations: 2
max_completion_length: 12
reward_funcs: [{name: ./letters.ts}]
eval_strategy: "no"
`;

/** A reward that differs within every group, whatever a policy of random weights writes. */
const letters = {
  name: './letters.ts',
  score: ({ completionTokens }: { readonly completionTokens: readonly ArrayLike<number>[] }) =>
    completionTokens.map((tokens) => tokens[0] + tokens.length),
};

const run = (lines: string): SmallRun => ({ yaml: SMALL + lines, rewards: { './letters.ts': letters } });

const NEEDED: Readonly<Record<string, string>> = {
  'length-mask': '{name: length-mask, max_tokens: 11}',
  'failure-mask': '{name: failure-mask, masked_failures: [timeout]}',
};
/** It asks for episodes, and is run in test/methods/turns. */
const OF_EPISODES = 'role-tags';
const everyStep = METHODS.creditSteps.flatMap(({ id }) => (id === OF_EPISODES ? [] : [NEEDED[id] ?? id]));
const ALL = `credit_steps: [${everyStep.join(', ')}]\nloss_terms: [m-ratio]\nbeta: 0.01`;

it('all credit steps together train, and every number is finite', async () => {
  const { metrics } = await finishSmallRun(await plainWasm(), run(ALL));
  expect(metrics).toHaveLength(4);
  for (const step of metrics) {
    const numbers = Object.values(step).filter((value) => typeof value === 'number');
    expect(numbers.every(Number.isFinite)).toBe(true);
  }
  expect(metrics[0]).toMatchObject({
    'm-ratio/mean': 1,
    'm-ratio/kl_ref': 0,
    'm-cov/covariance': expect.any(Number),
    'm-entropy/certain_share': expect.any(Number),
    'std-ema-filter/least_std': 0,
  });
  expect(metrics[1]['m-ratio/max']).toBeGreaterThan(1); // the second pass over the same completions
});

it('they go on from a checkpoint to the same bits', async () => {
  const whole = await finishSmallRun(await plainWasm(), run(ALL));
  const { resumed } = await killedAndResumed(run(ALL), (event) => event.type === 'step' && event.step === 3);
  const { metrics: later, sha256 } = await finishRun(resumed);
  expect(sha256).toBe(whole.sha256);
  expect(later.map(({ step }) => step)).toEqual([4]);
  expect(later[0]['m-ratio/mean']).toBe(whole.metrics[3]['m-ratio/mean']);
});

it('what only measures moves no weight', async () => {
  const plain = await finishSmallRun(await plainWasm(), run(''));
  const measured = await finishSmallRun(
    await plainWasm(),
    run('credit_steps: [m-cov, m-entropy]\nloss_terms: [m-ratio]'),
  );
  expect(measured.sha256).toBe(plain.sha256);
  expect(Object.keys(plain.metrics[0]).filter((name) => name.startsWith('m-'))).toEqual([]);
});
