/** A run of one grpo stage of three steps, three groups of four, whose every group is alive. */
import type { RewardFunction } from '../../src/rewards/reward_function.ts';

export const YAML = `
task: {name: reverse_text, min_length: 2, max_length: 3}
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, intermediate_size: 24, initializer_range: 0.1}
seed: 5
eval_strategy: "no"
max_steps: 3
num_generations: 4
generation_batch_size: 12
num_generations_eval: 1
learning_rate: 5.0e-3
reward_funcs: [varied]`;

/** Rewards that differ within a group. */
const varied: RewardFunction = {
  name: 'varied',
  score: ({ completionTokens }) => completionTokens.map((tokens) => tokens.length + (tokens[0] ?? 0) / 8),
};

export const rewards = { varied };
