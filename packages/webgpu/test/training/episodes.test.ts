/** Training on an environment on a software adapter: the numbers of the wasm engine, of the same episodes. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../../../src/kernels/wasm/backend.ts';
import { loadBackend } from '../../../../test/support/backends.ts';
import { fewOf } from '../../../../test/support/budget.ts';
import { finishSmallRun } from '../../../../test/support/small_runs.ts';
import { worstRelative } from '../../../../test/support/ten_steps.ts';
import { REQUIRED_ADAPTERS } from './required_adapters.ts';

/** Ten steps of GRPO on episodes, after a warm start that ends turns; KL and entropy have their terms. */
const YAML = `
task: {name: guess_number, max: 9, numbers: 7, turns: 3}
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 32, initializer_range: 0.3}
seed: 1
eval_strategy: "no"
stages:
  - {stage: sft, max_steps: 10, per_device_train_batch_size: 16, learning_rate: 1.0e-2}
  - {stage: grpo, max_steps: 10, num_generations: 4, generation_batch_size: 16, learning_rate: 1.0e-3, beta: 0.1,
     entropy_coef: 0.01, reward_funcs: [accuracy, {name: soft_overlong, max_tokens: 6, cache: 6}]}
`;

/** Both before a release: the kernels are those that other tests ask on each. */
for (const label of fewOf(REQUIRED_ADAPTERS, { quick: 1, all: 1 })) {
  const backend = await loadBackend(`webgpu:${label}`);

  describe(`episodes on ${label}`, () => {
    it('train ten steps with the losses, norms, entropies and KL of wasm within 1e-4', async () => {
      const wasm = await finishSmallRun(await wasmBackend({ threads: 1 }), { yaml: YAML });
      const gpu = await finishSmallRun(backend, { yaml: YAML });
      const steps = (run: typeof wasm) => run.metrics.slice(10);
      expect(steps(wasm)).toHaveLength(10);
      expect(steps(wasm).some((step) => Number(step['completions/max_length']) > 4)).toBe(true);
      const of = (run: typeof wasm, name: string) => steps(run).map((step) => Number(step[name]));
      for (const name of ['loss', 'grad_norm', 'entropy']) {
        expect(worstRelative(of(gpu, name), of(wasm, name)), name).toBeLessThan(1e-4);
      }
      expect(of(wasm, 'kl')[0]).toBe(0); // the reference is the policy until the first step
      expect(worstRelative(of(gpu, 'kl').slice(1), of(wasm, 'kl').slice(1)), 'kl').toBeLessThan(1e-4);
      // Everything that is counted is the same: the same episodes were played.
      for (const name of ['reward', 'solve_rate', 'completions/mean_length', 'num_tokens']) {
        expect(steps(gpu).map((step) => step[name])).toEqual(steps(wasm).map((step) => step[name]));
      }
    });
  });
}
