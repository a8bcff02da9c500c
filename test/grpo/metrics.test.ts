import { describe, expect, it } from 'vitest';
import { evaluationMetrics } from '../../src/grpo/metrics.ts';
import type { StepMetrics } from '../../src/methods/records.ts';
import { type Answer, answered, credit, evaluateNow, metricsOf, reinforced, update } from './step_parts.ts';

/** Two groups: rewards 1, 0, 0.5 and none; and 2 each. One completion was cut off. */
const ANSWERS: readonly (readonly Answer[])[] = [
  [
    { text: 'ab', reward: 1 },
    { text: 'abcd', reward: 0 },
    { text: '', reward: 0.5 },
    { text: 'abcxyz', reward: null, cut: true },
  ],
  [
    { text: 'q', reward: 2 },
    { text: 'q', reward: 2 },
    { text: 'qr', reward: 2 },
    { text: 'qrs', reward: 2 },
  ],
];

/** Metrics of a first step on ANSWERS, drawn in two rounds; without `drawn` of a later step on the same rollouts. */
async function metrics(keys: Readonly<Record<string, unknown>>, drawn = true): Promise<StepMetrics> {
  const run = await reinforced({ reward_funcs: ['lcs'], ...keys });
  if (run.engine.policy.slots.sets.has('reference')) await run.engine.policy.copySet('reference', 'policy');
  const groups = await answered(run, ANSWERS);
  const result = await update(run, await credit(run, groups), { onPolicy: drawn });
  return metricsOf(run, result, drawn ? { groups, rounds: 2 } : undefined);
}

// biome-ignore format: a list
const OF_THE_UPDATE = [
  'step', 'stage', 'loss', 'grad_norm', 'learning_rate', 'clip_ratio/low_mean', 'clip_ratio/low_min',
  'clip_ratio/high_max', 'clip_ratio/high_mean', 'clip_ratio/region_mean', 'sampling/sampling_logp_difference/mean',
  'sampling/sampling_logp_difference/max', 'num_tokens', 'step_time',
];

// biome-ignore format: a list
const OF_THE_ROLLOUTS = [
  'reward', 'reward_std', 'frac_reward_zero_std', 'rewards/lcs/mean', 'rewards/lcs/std', 'entropy',
  'completions/mean_length', 'completions/min_length', 'completions/max_length', 'completions/mean_terminated_length',
  'completions/min_terminated_length', 'completions/max_terminated_length', 'completions/clipped_ratio', 'solve_rate',
  'groups/drawn', 'groups/live', 'groups/rounds',
];

describe('the metrics of a step', () => {
  it("have TRL's names: those of the rollouts where they are new, those of the update always", async () => {
    expect(Object.keys(await metrics({})).sort()).toEqual([...OF_THE_UPDATE, ...OF_THE_ROLLOUTS].sort());
    expect(Object.keys(await metrics({}, false)).sort()).toEqual([...OF_THE_UPDATE].sort());
    expect(Object.keys(await metrics({ beta: 0.1 }, false)).sort()).toEqual([...OF_THE_UPDATE, 'kl'].sort());
  });

  it('are means over all completions that were drawn, nulls left out', async () => {
    const figures = await metrics({});
    expect(figures).toMatchObject({
      step: 1,
      stage: 'grpo',
      num_tokens: 100,
      step_time: 0.5,
      frac_reward_zero_std: 0.5,
      'completions/min_length': 1,
      'completions/max_length': 6,
      'completions/min_terminated_length': 1,
      'completions/max_terminated_length': 5,
      'completions/clipped_ratio': 1 / 8,
      'groups/drawn': 2,
      'groups/live': 1,
      'groups/rounds': 2,
    });
    const rewards = [1, 0, 0.5, 2, 2, 2, 2];
    const mean = 9.5 / 7;
    expect(figures.reward).toBeCloseTo(mean, 12);
    expect(figures['rewards/lcs/mean']).toBeCloseTo(mean, 12);
    const squares = rewards.reduce((sum, value) => sum + (value - mean) ** 2, 0);
    expect(figures['rewards/lcs/std']).toBeCloseTo(Math.sqrt(squares / 6), 12);
    expect(figures.reward_std).toBe(figures['rewards/lcs/std']); // of all, as TRL has it
    expect(figures['completions/mean_length']).toBeCloseTo((3 + 5 + 1 + 6 + 2 + 2 + 3 + 4) / 8, 12);
    expect(figures['completions/mean_terminated_length']).toBeCloseTo((3 + 5 + 1 + 2 + 2 + 3 + 4) / 7, 12);
  });

  it('have the mean entropy of all tokens', async () => {
    const run = await reinforced({ reward_funcs: ['lcs'] });
    const groups = await answered(run, ANSWERS);
    const result = await update(run, await credit(run, groups), { onPolicy: true });
    const entropies = groups.flatMap(({ rollouts }) => rollouts.flatMap((rollout) => [...rollout.entropies]));
    const mean = entropies.reduce((sum, value) => sum + value, 0) / entropies.length;
    expect(metricsOf(run, result, { groups, rounds: 1 }).entropy).toBeCloseTo(mean, 12);
  });

  it('say nothing of the length of ended completions where none has ended', async () => {
    const run = await reinforced({ reward_funcs: ['lcs'] });
    const cut = [0, 1, 1, 0].map((reward): Answer => ({ text: 'abcxyz', reward, cut: true }));
    const groups = await answered(run, [cut]);
    const result = await update(run, await credit(run, groups), { onPolicy: true });
    const figures = metricsOf(run, result, { groups, rounds: 1 });
    expect(figures['completions/clipped_ratio']).toBe(1);
    expect(Object.keys(figures).filter((name) => name.includes('terminated'))).toEqual([]);
  });
});

describe('the metrics of an evaluation', () => {
  it('are its estimates with their intervals, by name', async () => {
    const evaluation = await evaluateNow(await reinforced({ num_generations_eval: 3 }));
    const metrics = evaluationMetrics(evaluation);
    const interval = (name: string): string[] => [name, `${name}_low`, `${name}_high`];
    expect(Object.keys(metrics)).toEqual([
      ...interval('eval_accuracy'),
      ...interval('eval_mean@3'),
      ...interval('eval_pass@1'),
      ...interval('eval_pass@2'),
      ...interval('eval_pass@3'),
      'eval_completions/mean_length',
      'eval_problems',
    ]);
    expect(metrics).toMatchObject({
      eval_accuracy: evaluation.accuracy.mean,
      eval_accuracy_high: evaluation.accuracy.high,
      'eval_pass@2_low': evaluation.passAtK[2].low,
      'eval_completions/mean_length': evaluation.meanLength,
      eval_problems: 4,
    });
  });
});
