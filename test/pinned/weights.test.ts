/**
 * The weights of six small runs, and figures of two of them, as literals: what a change of every engine at once would
 * move, and no comparison of one engine with another can see. wasm without FMA on one thread computes the same bits on
 * every processor.
 *
 * A hash changes only where a change means to change what is computed, and the commit that does it says why.
 */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { RewardFunction } from '../../src/rewards/reward_function.ts';
import { expectClose } from '../support/compare.ts';
import { finishSmallRun, type SmallRun } from '../support/small_runs.ts';

/** Two layers, and two query heads on one key/value head. */
const MODEL = `
model: {hidden_size: 16, num_hidden_layers: 2, num_attention_heads: 2, num_key_value_heads: 1, intermediate_size: 24,
  initializer_range: 0.1}
seed: 5
eval_strategy: "no"
`;

/** Words of two or three letters: completions end at different places. */
const WORDS = 'task: {name: reverse_text, min_length: 2, max_length: 3}';
const DIGITS = 'task: {name: sort_digits, digits: 2}';

/** Longer answers score more, and those of a length that divides by 3 have no score. */
const sometimes: RewardFunction = {
  name: 'sometimes',
  score: ({ completionTokens }) =>
    completionTokens.map((tokens) => (tokens.length % 3 === 0 ? null : tokens.length + (tokens[0] ?? 0) / 8)),
};

interface Pinned extends SmallRun {
  readonly sha256: string;
}

const RUNS = {
  sft: {
    yaml: `${WORDS}${MODEL}
stages:
  - {stage: sft, max_steps: 6, per_device_train_batch_size: 8, learning_rate: 5.0e-3, warmup_steps: 2, weight_decay: 0.1,
     lr_scheduler_type: cosine}`,
    sha256: '6cd928eb8e83884bf0e2707bf50ba36c609f2eafd5e3fdebfa7e39a5aabbf372',
  },
  grpo: {
    yaml: `${WORDS}${MODEL}
max_steps: 5
num_generations: 4
generation_batch_size: 32
num_generations_eval: 1
learning_rate: 5.0e-3
reward_funcs: [lcs]
entropy_coef: 0.01`,
    sha256: 'b30e1349bc1102f1ed4103f1885dd034607a54ecfe50772de1633aa6d0cf1542',
  },
  'beta above 0': {
    yaml: `${WORDS}${MODEL}
max_steps: 5
num_generations: 4
generation_batch_size: 32
per_device_train_batch_size: 12
num_generations_eval: 1
learning_rate: 5.0e-3
temperature: 0.8
reward_funcs: [lcs]
loss_type: bnpo
beta: 0.05
use_bias_correction_kl: false`,
    sha256: 'b881c19591bc6dae451cd9a7535c8909c63e6cdbd054e68f30ebc473e2a83506',
  },
  'two iterations of four minibatches': {
    yaml: `${WORDS}${MODEL}
max_steps: 12
num_generations: 4
generation_batch_size: 32
per_device_train_batch_size: 8
gradient_accumulation_steps: 1
num_iterations: 2
num_generations_eval: 1
learning_rate: 1.0e-2
lr_scheduler_type: constant
reward_funcs: [lcs]
loss_type: dr_grpo
beta: 0.02
use_bias_correction_kl: false
epsilon: 0.1
epsilon_high: 0.15`,
    sha256: '03164496e2a22450b1c98098c146c2139a9564fda22ed3034c0775aa005d97d1',
  },
  refill: {
    yaml: `${DIGITS}${MODEL}
max_steps: 6
num_generations: 2
generation_batch_size: 16
num_iterations: 2
num_generations_eval: 1
learning_rate: 1.0e-2
top_k: 8
top_p: 0.95
reward_funcs: [positions]
scale_rewards: none
delta: 1.3
dynamic_sampling: {name: refill, max_rounds: 2}`,
    sha256: 'a749badf1e583b8a2a85aa6f4d0dbc8e8a887468525a6f273538c817cffde6c2',
  },
  'null rewards': {
    yaml: `${WORDS}${MODEL}
max_steps: 5
num_generations: 4
generation_batch_size: 32
num_generations_eval: 1
learning_rate: 5.0e-3
reward_funcs: [sometimes, {name: lcs, weight: 0}]
scale_rewards: batch
loss_type: grpo
mask_truncated_completions: true`,
    rewards: { sometimes },
    sha256: '4722b03deb5a65aab6afae06637772dc84d5bfb03a457fe2f0dd3b760e837ad2',
  },
} satisfies Record<string, Pinned>;

/** Of each step of the run of two iterations: loss, kl, clip_ratio/low_mean, clip_ratio/high_mean. */
const STEPS = [
  [-0.010410420596599579, 0, 0, 0],
  [0.004558359090385253, 0.008589614881518584, 0.08333333333333333, 0],
  [0.016462321393191814, 0.05301126326129797, 0.2727272727272727, 0.022727272727272728],
  [0.008652707014789485, 0.038933562095226616, 0.125, 0.041666666666666664],
  [-0.0279061421751976, 0.17452993330757421, 0.3488372093023256, 0.27906976744186046],
  [-0.00412387417278115, 0.08757149288224225, 0.25, 0.10416666666666667],
  [-0.07646866515278816, 0.0880272546401454, 0.45454545454545453, 0.22727272727272727],
  [-0.018751187051395772, 0.08069105125236244, 0.25, 0.10416666666666667],
  [-0.07686528656631708, 0.046869128694141914, 0, 0],
  [-0.008748028959423948, 0.04872255047692056, 0, 0],
  [-0.012600379928073835, 0.09140687853028566, 0.022222222222222223, 0.044444444444444446],
  [0.034345436841249466, 0.07735012250784587, 0.125, 0.08333333333333333],
];

const backend = await wasmBackend({ threads: 1, fma: false });

describe('the weights at the end of a small run', () => {
  it.each(Object.entries<Pinned>(RUNS))('are those that were pinned: %s', async (_, { sha256, ...run }) => {
    expect((await finishSmallRun(backend, run)).sha256).toBe(sha256);
  });
});

describe('the metrics of two iterations', () => {
  it('are those that were pinned: the loss, the KL term, and what was clipped', async () => {
    const { metrics } = await finishSmallRun(backend, RUNS['two iterations of four minibatches']);
    expect(metrics).toHaveLength(STEPS.length);
    for (const [index, [loss, kl, low, high]] of STEPS.entries()) {
      const step = metrics[index];
      const label = `step ${index + 1}`;
      const relative = { relative: 1e-9 };
      expectClose([Number(step.loss)], [loss], relative, `${label}, loss`);
      expectClose([Number(step.kl)], [kl], relative, `${label}, kl`);
      expectClose([Number(step['clip_ratio/low_mean'])], [low], relative, `${label}, clipped low`);
      expectClose([Number(step['clip_ratio/high_mean'])], [high], relative, `${label}, clipped high`);
    }
  });
});

describe('the evaluations of a run', () => {
  it('are those that were pinned: the greedy answers, and the length of the sampled ones', async () => {
    const { evaluations } = await finishSmallRun(backend, {
      ...RUNS['null rewards'],
      overrides: ['num_generations_eval=8'],
    });
    const figures = evaluations.map(({ examples, meanLength }) => [
      examples.map(({ completion }) => completion).join(' '),
      meanLength,
    ]);
    expect(figures).toEqual([
      ['>>>>>> >>>>>> eeeeee >>>>>>', 5.5625],
      ['>>>>>> kkkkkk llllll llllll', 5.28125],
    ]);
  });
});
