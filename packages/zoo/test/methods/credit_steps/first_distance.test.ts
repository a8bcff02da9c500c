/** first-distance: how far a completion is from the policy that the run began with, taken out of its advantage. */
import { expect, it } from 'vitest';
import { TOKEN } from '../../../../../src/token_kinds.ts';
import { advantagesOf, creditedGroup, creditStep } from '../../../../../test/support/credit.ts';
import { finishSmallRun, plainWasm } from '../../../../../test/support/small_runs.ts';

const logprobs = Float32Array.of(-1, -2, -3);
const near = { length: 3, advantage: 1, logprobs, figures: { firstLogprobs: logprobs } };
const far = { ...near, advantage: -1, figures: { firstLogprobs: Float32Array.of(-2, -9, -6) } };

it('takes the mean distance of the tokens that carry a loss', () => {
  const { apply, logged } = creditStep('first-distance', { first_weight: 0.5 });
  expect(advantagesOf(apply([creditedGroup([near, { ...far, labels: Uint8Array.of(0, TOKEN.given, 0) }])]))).toEqual([
    [1, -2],
  ]);
  expect(logged.distance).toBe(1);
});

it('leaves a dead group as it is, and any at a weight of 0', () => {
  const dead = creditedGroup([near, far], { dead: true });
  expect(creditStep('first-distance').apply([dead])).toEqual([dead]);
  const off = creditStep('first-distance', { first_weight: 0 });
  expect(off.uses.figures).toEqual([]);
  expect(off.apply([creditedGroup([near, far])])).toEqual([creditedGroup([near, far])]);
});

it('is 0 at the first step of a run, and then is not', async () => {
  const { metrics } = await finishSmallRun(await plainWasm(), {
    yaml: `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
max_steps: 3
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
reward_funcs: [lcs]
eval_strategy: "no"
credit_steps: [first-distance]`,
  });
  const distances = metrics.map((step) => step['first-distance/distance']);
  expect(distances[0]).toBe(0);
  expect(distances[2]).not.toBe(0);
});
