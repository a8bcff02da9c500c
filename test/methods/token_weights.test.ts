/** Weights of the policy's own term: TRL's four modes of importance sampling, and that no other term has them. */
import { describe, expect, it } from 'vitest';
import { StepMeter } from '../../src/grpo/update/meter.ts';
import { addTerms, measureTerms } from '../../src/grpo/update/objective.ts';
import type { LossGradient, LossSequence } from '../../src/methods/points.ts';
import { emptyGradients, randomSequences } from '../support/rollouts.ts';
import { stageOf } from '../support/stages.ts';
import { stepOf } from '../support/steps.ts';

const sizes = { completions: 8, lossTokens: 24, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 24 };
const TRUNCATED = 'top_p: 0.9';
const TIS = 'vllm_importance_sampling_correction: true';

function termsOf(given: readonly LossSequence[], ...lines: readonly string[]) {
  const scope = stepOf(stageOf(...lines));
  const gradients = emptyGradients(given);
  const update = { sizes, onPolicy: false };
  const sequences = addTerms(scope, update, given, gradients);
  const meter = new StepMeter();
  measureTerms(scope, update, () => sequences, meter);
  return { gradients, metrics: meter.measured() };
}

const flat = (gradients: readonly LossGradient[], of: 'losses' | 'dLogprobs' | 'dEntropies'): number[] =>
  gradients.flatMap((gradient) => [...gradient[of]]);

const given = randomSequences(11, 8);

/** exp(log mass kept) of a token, and of its completion's loss tokens. */
const massesOf = ({ rollout, coefficients }: LossSequence) => {
  const tokens = [...rollout.keptLogMass].map((mass) => Math.exp(mass));
  return { tokens, whole: tokens.reduce((product, mass, t) => (coefficients[t] === 0 ? product : product * mass), 1) };
};

describe('truncated importance sampling', () => {
  const bounds = 'vllm_importance_sampling_clip_max: 0.9\nvllm_importance_sampling_clip_min: 0.75'.split('\n');
  const cut = (weight: number): number => Math.min(Math.max(weight, 0.75), 0.9);
  const masked = (weight: number): number => (weight < 0.75 || weight > 0.9 ? 0 : weight);

  it.each([
    ['token_truncate', (s: LossSequence, t: number) => cut(massesOf(s).tokens[t])],
    ['token_mask', (s: LossSequence, t: number) => masked(massesOf(s).tokens[t])],
    ['sequence_truncate', (s: LossSequence) => cut(massesOf(s).whole)],
    ['sequence_mask', (s: LossSequence) => masked(massesOf(s).whole)],
  ] as const)("multiplies the policy's own term, %s", (mode, weightOf) => {
    const plain = termsOf(given, TRUNCATED);
    const weighed = termsOf(given, TRUNCATED, TIS, `vllm_importance_sampling_mode: ${mode}`, ...bounds);
    const weights = given.flatMap((sequence) => [...sequence.coefficients].map((_, t) => weightOf(sequence, t)));
    for (const of of ['losses', 'dLogprobs'] as const) {
      flat(weighed.gradients, of).forEach((value, i) =>
        expect(value).toBeCloseTo(weights[i] * flat(plain.gradients, of)[i], 12),
      );
    }
    const seen = given.flatMap((sequence) => {
      const own = [...sequence.coefficients].flatMap((c, t) => (c === 0 ? [] : [weightOf(sequence, t)]));
      return mode.startsWith('sequence') ? own.slice(0, 1) : own;
    });
    const { metrics } = weighed;
    expect(metrics['sampling/importance_sampling_ratio/min']).toBe(Math.min(...seen));
    expect(metrics['sampling/importance_sampling_ratio/max']).toBe(Math.max(...seen));
    const mean = seen.reduce((sum, weight) => sum + weight, 0) / seen.length;
    expect(metrics['sampling/importance_sampling_ratio/mean']).toBeCloseTo(mean, 12);
  });

  it('leaves the KL term as it is', () => {
    const lines = [TRUNCATED, 'beta: 0.1', 'loss_type: grpo'];
    const difference = (more: readonly string[]): number[] => {
      const withKl = flat(termsOf(given, ...lines, ...more).gradients, 'losses');
      const without = flat(termsOf(given, TRUNCATED, 'loss_type: grpo', ...more).gradients, 'losses');
      return withKl.map((loss, i) => loss - without[i]);
    };
    difference([TIS]).forEach((value, i) => expect(value).toBeCloseTo(difference([])[i], 12));
  });

  it('does nothing where all of the policy was sampled from', () => {
    const { gradients, metrics } = termsOf(given, TIS);
    expect(gradients).toEqual(termsOf(given).gradients);
    expect(metrics).not.toHaveProperty('sampling/importance_sampling_ratio/mean');
  });

  it("goes into the log of vespo's ratio", () => {
    const lines = [TRUNCATED, 'loss_type: vespo'];
    const weighed = termsOf(given, ...lines, TIS, 'vllm_importance_sampling_mode: token_truncate');
    const moved = given.map((sequence) => {
      const { rollout, coefficients } = sequence;
      const log = rollout.keptLogMass.reduce((sum, mass, t) => (coefficients[t] === 0 ? sum : sum + mass), 0);
      const first = coefficients.findIndex((coefficient) => coefficient !== 0);
      const oldLogprobs = Float64Array.from(sequence.oldLogprobs, (x, t) => (t === first ? x - log : x));
      return { ...sequence, oldLogprobs: oldLogprobs as unknown as Float32Array };
    });
    const expected = termsOf(moved, ...lines).gradients;
    flat(weighed.gradients, 'dLogprobs').forEach((value, i) =>
      expect(value).toBeCloseTo(flat(expected, 'dLogprobs')[i], 9),
    );
  });
});
