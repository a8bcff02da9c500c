/** Explanations with answers in sight: which are asked for and kept, and what is learned of them under the problem alone. */
import { describe, expect, it } from 'vitest';
import type { LossSequence } from '../../../../../src/methods/points.ts';
import type { Rollout } from '../../../../../src/methods/records.ts';
import { logSoftmaxRows } from '../../../../../src/model/distributions.ts';
import { goOn, tossed, weightsAfter, wholeAndKilled, withTossedRun } from '../../../../../test/support/killed_runs.ts';
import { randomSequences, rolloutOf, VOCABULARY } from '../../../../../test/support/rollouts.ts';
import { askedOf } from '../../support/asked_strategies.ts';
import { gradientsOf, lossOf } from '../../support/losses.ts';

const ALONE = ['loss_terms: [{name: ssb, ssb_temperature: 2}]', 'objective: reinforce'];
const BOTH = 'rollout_strategies: [{name: contrast-explain, explanations: 4}]\nloss_terms: [ssb]';

/** Sequences without an advantage, which a teacher would have written otherwise. */
const taught = (seed: number): LossSequence[] =>
  randomSequences(seed, 8).map((sequence) => ({
    ...sequence,
    advantages: sequence.advantages.map(() => 0),
    oldLogprobs: sequence.logprobs,
    teacherDistributions: sequence.refDistributions ?? new Float32Array(),
  }));

const soft = (logprobs: Iterable<number>): number[] => {
  const weights = [...logprobs].map((value) => Math.exp(value / 2));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
};

describe('ssb', () => {
  it('is KL of the softened teacher to the softened policy at each token, and 0 where they are the same', () => {
    const given = taught(51);
    const gradients = gradientsOf(given, ...ALONE);
    given.forEach(({ distributions, teacherDistributions, coefficients }, s) => {
      coefficients.forEach((coefficient, t) => {
        const row = (all: Float32Array = new Float32Array()) =>
          soft(all.subarray(t * VOCABULARY, (t + 1) * VOCABULARY));
        const [p, q] = [row(distributions), row(teacherDistributions)];
        const sum = q.reduce((all, own, v) => all + own * Math.log(own / p[v]), 0);
        expect(gradients[s].losses[t]).toBeCloseTo(coefficient * sum, 6);
      });
    });
    const same = given.map((sequence) => ({ ...sequence, teacherDistributions: sequence.distributions }));
    for (const { losses, dLogits = [] } of gradientsOf(same, ...ALONE)) {
      expect([...losses, ...dLogits].every((value) => Math.abs(value) < 1e-12)).toBe(true);
    }
  });

  it('has the derivatives by the logits that it gives, by finite differences', () => {
    const given = taught(52);
    const gradients = gradientsOf(given, ...ALONE);
    const largest = Math.max(...gradients.flatMap(({ dLogits = [] }) => [...dLogits].map(Math.abs)));
    const step = 2 ** -6;
    const lossWith = (at: number, by: number): number => {
      const [first, ...others] = given;
      const logits = first.distributions?.map((x, j) => (j === at ? x + by : x)) ?? new Float32Array();
      const moved = { ...first, distributions: logSoftmaxRows(logits, VOCABULARY, 1) };
      return lossOf(gradientsOf([moved, ...others], ...ALONE));
    };
    expect(largest).toBeGreaterThan(0);
    gradients[0].dLogits?.forEach((derivative, at) => {
      const slope = (lossWith(at, step) - lossWith(at, -step)) / (2 * step);
      expect(Math.abs(slope - derivative)).toBeLessThanOrEqual(2e-3 * largest);
    });
  });
});

describe('contrast-explain', () => {
  const answer = (mark: number, reward: number): Rollout => ({
    ...rolloutOf(1, reward),
    tokens: Int32Array.of(mark),
    text: String(mark),
    finishReason: 'length',
  });

  it('shows a right answer and the commonest wrong one, and keeps what is then right for the loss alone', async () => {
    const { rounds, groups } = await askedOf(
      'rollout_strategies: [contrast-explain]',
      4,
      ({ prompt, origin }, round) =>
        round === 0
          ? [answer(5, 0), answer(7, 1), answer(6, 0), answer(6, 0)]
          : [answer(8, 0), answer(9, 1)].map((one) => ({
              ...one,
              ...(prompt && { prompt }),
              ...(origin && { origin }),
            })),
    );
    expect(rounds[1].map(({ samples, prompt = [] }) => [samples, [...prompt]])).toEqual([[2, [7, 6, 0]]]);
    expect(groups[0].rollouts.map(({ tokens: [token] }) => token)).toEqual([5, 7, 6, 9]);
    expect(groups[0].rollouts[3]).toMatchObject({ isOffPolicy: true, inBaseline: false, origin: 'explained' });
    expect([...(groups[0].rollouts[3].sampledUnder ?? [])]).toEqual([7, 6, 0]);
  });

  it('teaches what it explains, samples plainly to the bit without, and gives the same after a kill', async () => {
    const off = 'rollout_strategies: [{name: contrast-explain, explanations: 0}]';
    expect(await weightsAfter(off)).toBe(await weightsAfter(''));
    await withTossedRun(BOTH, async (run) => {
      const { metrics } = await goOn(run);
      expect(metrics.some((step) => Number(step['ssb/taught']) > 0 && Number(step['ssb/divergence']) > 0)).toBe(true);
    });
    const { whole, killed } = await wholeAndKilled(BOTH, { verify: tossed(2) });
    expect(killed).toEqual(whole);
  });
});
