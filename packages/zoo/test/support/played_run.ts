/** Small runs that play a task in turns: three steps of a policy of random weights. */
import type { RewardFunction } from '../../../../src/rewards/reward_function.ts';
import type { SmallRun } from '../../../../test/support/small_runs.ts';

interface Played {
  readonly task: string;
  readonly seed: number;
  /** An untrained policy wins nothing: what it learns from instead. */
  readonly reward: RewardFunction;
  /** Further lines of the config, `reward_funcs` among them. */
  readonly lines: string;
}

export function playedRun({ task, seed, reward, lines }: Played): SmallRun {
  const yaml = `
task: ${task}
model: {hidden_size: 8, num_hidden_layers: 1, num_attention_heads: 2, intermediate_size: 16, initializer_range: 0.3}
seed: ${seed}
max_steps: 3
learning_rate: 1.0e-2
num_generations: 4
generation_batch_size: 16
eval_strategy: "no"
${lines}
`;
  return { yaml, rewards: { [reward.name]: reward } };
}
