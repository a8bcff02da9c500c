/** Covariances of advantage and log-prob, and the two methods that act on the largest: clip-cov and kl-cov. */
import { describe, expect, it } from 'vitest';
import type { LossSequence } from '../../../../src/methods/points.ts';
import { randomSequences } from '../../../../test/support/rollouts.ts';
import { tokenCovariances } from '../../methods/support/loss/covariance.ts';
import { gradientsOf, groupBy } from '../support/losses.ts';

const tokensOf = (given: readonly LossSequence[]): { readonly sequence: LossSequence; readonly t: number }[] =>
  given.flatMap((sequence) => [...sequence.coefficients].flatMap((c, t) => (c === 0 ? [] : [{ sequence, t }])));

const given = randomSequences(31, 40);
const places = tokensOf(given);
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const [meanAdvantage, meanLogprob] = (['advantages', 'logprobs'] as const).map((of) =>
  mean(places.map(({ sequence, t }) => sequence[of][t])),
);
const covariances = places.map(
  ({ sequence, t }) => (sequence.advantages[t] - meanAdvantage) * (sequence.logprobs[t] - meanLogprob),
);

it('are taken over the tokens that carry a loss', () => {
  const { values } = tokenCovariances(given);
  expect(values).toHaveLength(covariances.length);
  values.forEach((value, i) => expect(value).toBeCloseTo(covariances[i], 12));
});

/** The places of tokens whose derivative differs from that of the plain stage. */
function touched(sequences: readonly LossSequence[], line: string): number[] {
  const [all, plain] = [gradientsOf(sequences, line), gradientsOf(sequences)];
  return tokensOf(sequences).flatMap(({ sequence, t }, i) => {
    const s = sequences.indexOf(sequence);
    return all[s].dLogprobs[t] === plain[s].dLogprobs[t] ? [] : [i];
  });
}

/** All derivatives of the plain stage differ from 0: no clip decides. */
const onPolicy = given.map((sequence) => ({ ...sequence, oldLogprobs: sequence.logprobs }));

describe('clip-cov', () => {
  const within = (least: number, most: number) => covariances.flatMap((c, i) => (c > least && c < most ? [i] : []));

  it('leaves all tokens between its bounds alone where its share is all of them', () => {
    const line = 'token_weights: [{name: clip-cov, clip_cov_share: 1, clip_cov_min: 0.5, clip_cov_max: 2}]';
    const expected = within(0.5, 2);
    expect(expected.length).toBeGreaterThan(3);
    expect(touched(onPolicy, line)).toEqual(expected);
    const [gradient, t] = [gradientsOf(onPolicy, line), places[expected[0]]];
    expect(gradient[onPolicy.findIndex(({ rollout }) => rollout === t.sequence.rollout)].dLogprobs[t.t]).toBe(0);
  });

  it('draws no more than its share, and at least one', () => {
    const line = (share: number) => `token_weights: [{name: clip-cov, clip_cov_share: ${share}, clip_cov_min: 0.1}]`;
    const count = Math.floor(0.1 * covariances.length);
    const drawn = touched(onPolicy, line(0.1));
    expect(drawn).toHaveLength(count);
    const candidates = within(0.1, 5);
    expect(candidates.length).toBeGreaterThan(count);
    for (const i of drawn) expect(candidates).toContain(i);
    expect(drawn).not.toEqual(candidates.slice(0, count)); // it is a draw
    expect(touched(onPolicy, line(1e-9))).toHaveLength(1);
  });

  it('leaves none alone where none is between its bounds', () => {
    expect(touched(onPolicy, 'token_weights: [{name: clip-cov, clip_cov_min: 90, clip_cov_max: 99}]')).toEqual([]);
  });
});

describe('kl-cov', () => {
  const largest = (count: number) =>
    [...covariances.keys()].sort((a, b) => covariances[b] - covariances[a]).slice(0, count);

  it('holds the tokens of the largest covariances back, by how far each has moved', () => {
    const count = Math.floor(0.1 * covariances.length);
    const line = 'loss_terms: [{name: kl-cov, kl_cov_coef: 0.5, kl_cov_share: 0.1}]';
    expect(touched(given, line)).toEqual(largest(count).sort((a, b) => a - b));
    const [all, plain] = [gradientsOf(given, line), gradientsOf(given)];
    for (const i of largest(count)) {
      const { sequence, t } = places[i];
      const s = given.indexOf(sequence);
      const logRatio = sequence.logprobs[t] - sequence.oldLogprobs[t];
      const weight = 0.5 * sequence.coefficients[t];
      expect(all[s].dLogprobs[t] - plain[s].dLogprobs[t]).toBeCloseTo(weight * Math.sign(logRatio), 9);
      expect(all[s].losses[t] - plain[s].losses[t]).toBeCloseTo(weight * Math.abs(logRatio), 9);
    }
  });

  it('does nothing on-policy', () => {
    expect(touched(onPolicy, 'loss_terms: [{name: kl-cov, kl_cov_share: 1}]')).toEqual([]);
  });
});

it('a single token has no covariance, and nothing fails', () => {
  const one = groupBy([{ logprobs: [-1], advantage: 1 }]);
  expect([...tokenCovariances(one).values]).toEqual([0]);
  expect(touched(one, 'token_weights: [clip-cov]')).toEqual([]);
});
