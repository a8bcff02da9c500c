/** A group that is larger than a micro-batch: the same rollouts, advantages and gradient, whatever its parts. */
import { describe, expect, it } from 'vitest';
import type { TrainingRun } from '../../../../src/grpo/run.ts';
import { goOn, wholeAndKilled, withTossedRun } from '../../../../test/support/killed_runs.ts';

const LARGE = `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
max_steps: 1
num_generations: 512
generation_batch_size: 1024
reward_funcs: [lcs]
eval_strategy: "no"
aggregation: prompt-mean
beta: 0.1
`;

async function firstGradient(run: TrainingRun) {
  const { metrics } = await goOn(run, 1);
  const { rows, completions } = run.engine.policy.capacity;
  return { gradient: await run.engine.policy.readVector('gradients'), metrics, rows, completions };
}

describe('a group of 512 completions', () => {
  it('has the gradient of the whole in parts of 64, with less memory for it', async () => {
    const [whole, cut] = [
      await withTossedRun('', firstGradient, { yaml: LARGE }),
      await withTossedRun('', firstGradient, { yaml: `${LARGE}per_device_train_batch_size: 64\n` }),
    ];
    const norm = Math.hypot(...whole.gradient);
    const apart = Math.hypot(...whole.gradient.map((value, i) => value - cut.gradient[i]));
    expect(norm).toBeGreaterThan(0);
    expect(apart).toBeLessThan(1e-5 * norm);
    expect(cut.rows).toBeLessThan(whole.rows);
    for (const name of ['reward', 'reward_std', 'completions/mean_length', 'num_tokens']) {
      expect(cut.metrics[0][name]).toBe(whole.metrics[0][name]);
    }
    expect(cut.metrics[0]['sampling/sampling_logp_difference/max']).toBe(0);
  });

  it('gives the same weights and metrics after a kill', async () => {
    const { whole, killed } = await wholeAndKilled('per_device_train_batch_size: 2');
    expect(whole.metrics).toHaveLength(4);
    expect(killed).toEqual(whole);
  });
});
