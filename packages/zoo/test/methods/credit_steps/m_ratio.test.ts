/** What m-ratio measures, and that it changes nothing: neither the loss nor where it is computed. */
import { describe, expect, it } from 'vitest';
import { StepMeter } from '../../../../../src/grpo/update/meter.ts';
import { addTerms, measureTerms } from '../../../../../src/grpo/update/objective.ts';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import { emptyGradients, randomSequences } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepOf } from '../../../../../test/support/steps.ts';

const sizes = { completions: 8, lossTokens: 24, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 24 };
const given = randomSequences(21, 8);

function measured(sequences: readonly LossSequence[], ...lines: readonly string[]) {
  const scope = stepOf(stageOf(...lines));
  const meter = new StepMeter();
  const update = { sizes, onPolicy: false };
  const gradients = emptyGradients(sequences);
  const seen = addTerms(scope, update, sequences, gradients);
  measureTerms(scope, update, () => seen, meter);
  return { metrics: meter.measured(), gradients, scope };
}

const ASKED = 'loss_terms: [m-ratio]';

/** [tokens] that carry a loss. */
const tokens = given.flatMap(({ logprobs, oldLogprobs, refLogprobs, advantages, coefficients }) =>
  [...coefficients].flatMap((coefficient, t) => {
    if (coefficient === 0) return [];
    const [logprob, old, ref] = [logprobs[t], oldLogprobs[t], refLogprobs?.[t] ?? 0];
    return [{ ratio: Math.exp(logprob - old), p: Math.exp(old), x: logprob - old, ref, logprob, a: advantages[t] }];
  }),
);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const shares = (metrics: Readonly<Record<string, number>>) => ({
  low: metrics['m-ratio/clipped/low'],
  high: metrics['m-ratio/clipped/high'],
  dual: metrics['m-ratio/clipped/dual'],
});

describe('m-ratio', () => {
  const { metrics, gradients, scope } = measured(given, ASKED);

  it('measures the ratios of the stage', () => {
    const ratios = tokens.map(({ ratio }) => ratio);
    expect(metrics['m-ratio/min']).toBeCloseTo(Math.min(...ratios), 12);
    expect(metrics['m-ratio/max']).toBeCloseTo(Math.max(...ratios), 12);
    expect(metrics['m-ratio/mean']).toBeCloseTo(mean(ratios), 12);
    const bySequence = measured(given, ASKED, 'importance_sampling_level: sequence').metrics;
    expect(bySequence['m-ratio/max']).toBeLessThan(metrics['m-ratio/max']);
  });

  it('measures the clip by how likely a token was', () => {
    const low = tokens.filter(({ p }) => p < 0.1);
    const isClipped = ({ ratio, a }: (typeof tokens)[number]) => (a < 0 ? ratio < 0.8 : ratio > 1.2);
    expect(low.length).toBeGreaterThan(0);
    expect(metrics['m-ratio/clipped/p_below_0.1']).toBeCloseTo(mean(low.map((token) => Number(isClipped(token)))), 12);
    expect(measured(given, ASKED, 'objective: cispo').metrics).toHaveProperty('m-ratio/clipped/p_below_0.1');
  });

  it('tells which bound decides, the second one of dual-clip and of delta too', () => {
    const { low, high, dual } = shares(measured(given, ASKED, 'objective: {name: dual-clip, dual_clip: 1.3}').metrics);
    expect(low).toBeCloseTo(mean(tokens.map(({ ratio, a }) => Number(a < 0 && ratio < 0.8))), 12);
    expect(high).toBeCloseTo(mean(tokens.map(({ ratio, a }) => Number(a > 0 && ratio > 1.2))), 12);
    expect(dual).toBeCloseTo(mean(tokens.map(({ ratio, a }) => Number(a < 0 && ratio > 1.3))), 12);
    expect(dual).toBeGreaterThan(0);
    expect(shares(measured(given, ASKED, 'delta: 1.3').metrics).dual).toBeCloseTo(dual, 12);
    expect(shares(metrics).dual).toBe(0);
  });

  it('measures the distance to the policy that sampled, and to the reference', () => {
    const kl = (x: number): number => Math.exp(x) - x - 1;
    expect(metrics['m-ratio/kl_old']).toBeCloseTo(mean(tokens.map(({ x }) => kl(x))), 9);
    expect(metrics['m-ratio/kl_ref']).toBeCloseTo(mean(tokens.map(({ ref, logprob }) => kl(ref - logprob))), 9);
    const without = given.map((sequence) => ({ ...sequence, refLogprobs: undefined }));
    expect(measured(without, ASKED).metrics).not.toHaveProperty('m-ratio/kl_ref');
  });

  it('is 1, and no distance, while the policy is the one that sampled', () => {
    const onPolicy = given.map((sequence) => ({ ...sequence, oldLogprobs: sequence.logprobs }));
    expect(measured(onPolicy, ASKED).metrics).toMatchObject({
      'm-ratio/min': 1,
      'm-ratio/mean': 1,
      'm-ratio/max': 1,
      'm-ratio/kl_old': 0,
      'm-ratio/clipped/p_below_0.1': 0,
    });
  });

  it('changes nothing: the loss is that without it, and the kernel still computes it', () => {
    expect(gradients).toEqual(measured(given).gradients);
    expect(measured(given).metrics).not.toHaveProperty('m-ratio/mean');
    expect(scope.methods.lossTerms.every(({ part }) => part.device !== undefined)).toBe(true);
  });

  it('tells of the weights of the policy term, masks among them', () => {
    const half = given.map((sequence) => ({ ...sequence, weights: sequence.weights.map((_, t) => (t === 0 ? 0 : 3)) }));
    const all = half.flatMap(({ weights, coefficients }) => [...weights].filter((_, t) => coefficients[t] !== 0));
    const { metrics: seen } = measured(half, ASKED);
    expect(seen['m-ratio/weight']).toBeCloseTo(mean(all), 12);
    expect(seen['m-ratio/without_weight']).toBeCloseTo(mean(all.map((weight) => Number(weight === 0))), 12);
  });

  it('stays finite where a ratio overflows', () => {
    const far = given.map((sequence) => ({ ...sequence, oldLogprobs: sequence.logprobs.map((x) => x - 2000) }));
    expect(Object.values(measured(far, ASKED).metrics).every(Number.isFinite)).toBe(true);
  });
});
