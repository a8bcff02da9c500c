/** The band of icepop, beside truncated importance sampling, whose mask is the same where the band is. */
import { describe, expect, it } from 'vitest';
import { addTerms } from '../../../../../src/grpo/update/objective.ts';
import { emptyGradients, randomSequences } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepOf } from '../../../../../test/support/steps.ts';

const sizes = { completions: 8, lossTokens: 24, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 24 };
const given = randomSequences(31, 8);

function weightsOf(...lines: readonly string[]): number[] {
  const scope = stepOf(stageOf(...lines));
  const sequences = addTerms(scope, { sizes, onPolicy: false }, given, emptyGradients(given));
  return sequences.flatMap(({ weights, importance = [] }) => [...weights].map((w, t) => w * (importance[t] ?? 1)));
}

const plain = weightsOf('top_p: 0.9');
const kept = given.flatMap(({ rollout: { keptLogMass } }) => [...keptLogMass].map((mass) => Math.exp(mass)));
const icepop = (low: number, high = 5): string =>
  `token_weights: [{name: icepop, band_low: ${low}, band_high: ${high}}]`;

describe('icepop', () => {
  it('leaves tokens alone out of the band, and the others as they are', () => {
    expect(weightsOf('top_p: 0.9', icepop(0.85))).toEqual(plain.map((weight, i) => (kept[i] < 0.85 ? 0 : weight)));
    expect(kept.some((mass) => mass < 0.85)).toBe(true);
    expect(kept.some((mass) => mass >= 0.85)).toBe(true);
  });

  it('does nothing where the band holds every ratio, or all of the policy is sampled from', () => {
    expect(weightsOf('top_p: 0.9', icepop(0))).toEqual(plain);
    expect(weightsOf(icepop(0.85))).toEqual(plain);
  });

  it('with importance sampling by token is its mask of the same bounds', () => {
    const tis = ['top_p: 0.9', 'vllm_importance_sampling_correction: true', 'vllm_importance_sampling_clip_max: 5'];
    const masked = weightsOf(
      ...tis,
      'vllm_importance_sampling_mode: token_mask',
      'vllm_importance_sampling_clip_min: 0.85',
    );
    const both = weightsOf(...tis, 'vllm_importance_sampling_mode: token_truncate', icepop(0.85));
    both.forEach((weight, i) => expect(weight).toBeCloseTo(masked[i], 12));
  });
});
