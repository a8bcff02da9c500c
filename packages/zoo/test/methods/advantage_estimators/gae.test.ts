/** GAE against the sum that defines it, its limits, and what it skips. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../../src/kernels/philox.ts';
import type { CreditedGroup, Rollout } from '../../../../../src/methods/records.ts';
import { SharedStates } from '../../../../../src/methods/shared_states.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { episodeOf, groupOf, HIDDEN, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { metricsInto, stepContext } from '../../../../../test/support/steps.ts';
import { advantagesOf, explainedVariance, lengthAdaptiveLambda } from '../../../methods/support/critic/gae.ts';
import { headOf } from '../../../methods/support/critic/value_head.ts';

const rng = rngFor('gae');
const random = (length: number): Float64Array => Float64Array.from({ length }, () => 2 * rng.float() - 1);

/** Σ_k (γλ)^k·δ_{t+k}, term by term (arXiv:1506.02438, equation 16). */
function bySum(rewards: Float64Array, values: Float64Array, gamma: number, lambda: number): number[] {
  const delta = (t: number): number => rewards[t] + gamma * (values[t + 1] ?? 0) - values[t];
  return Array.from(rewards, (_, t) => {
    let sum = 0;
    for (let k = 0; t + k < rewards.length; k++) sum += (gamma * lambda) ** k * delta(t + k);
    return sum;
  });
}

describe('the advantages', () => {
  it.each([
    [1, 1],
    [1, 0.95],
    [0.9, 0.5],
    [0.99, 0],
    [0, 0.3],
  ])('are the sum that defines them, of gamma %s and lambda %s', (gamma, lambda) => {
    for (const length of [1, 2, 17]) {
      const [rewards, values] = [random(length), random(length)];
      const found = advantagesOf(rewards, values, { gamma, lambda });
      bySum(rewards, values, gamma, lambda).forEach((value, t) => {
        expect(Math.abs(found[t] - value)).toBeLessThanOrEqual(1e-12);
      });
    }
  });

  it('are what is still to come less the value, of gamma and lambda 1', () => {
    const [rewards, values] = [random(9), random(9)];
    advantagesOf(rewards, values, { gamma: 1, lambda: 1 }).forEach((value, t) => {
      const toCome = rewards.slice(t).reduce((sum, reward) => sum + reward, 0);
      expect(value).toBeCloseTo(toCome - values[t], 12);
    });
  });

  it('take a lambda that grows with the length', () => {
    expect([10, 20, 200].map((length) => lengthAdaptiveLambda(0.05, length))).toEqual([0, 0, 0.9]);
    expect(lengthAdaptiveLambda(1, 4)).toBe(0.75);
  });
});

describe('the explained variance', () => {
  it('is 1 where the values are the returns, 0 of a constant, and nothing where all returns are equal', () => {
    expect(explainedVariance([1, 2, 4], [1, 2, 4])).toBe(1);
    expect(explainedVariance([3, 3, 3], [1, 2, 4])).toBe(0);
    expect(explainedVariance([1, 2], [5, 5])).toBeUndefined();
  });
});

/** A rollout with random hidden rows. */
function seen(rollout: Rollout): Rollout {
  const lastHidden = Float32Array.from(random(rollout.tokens.length * HIDDEN));
  return { ...rollout, figures: { ...rollout.figures, lastHidden } };
}

/** Credits groups by an estimator whose head has moved. */
function creditOf(options: string, ...groups: readonly CreditedGroup[]) {
  const stage = stageOf(`advantage_estimator: {name: gae, ${options}}`, 'loss_terms: [value-loss]');
  const logged: Record<string, number> = {};
  const context = { ...stepContext(stage, 3, new SharedStates()), metric: metricsInto(logged) };
  const head = headOf(context);
  head.restore({ weights: [0.5, -0.25, 1, 0.125], first: [0, 0, 0, 0], second: [0, 0, 0, 0], steps: 0 });
  const { part } = createMethods(stage).advantageEstimator;
  return { credits: part.estimate(groups, context), head, logged, part };
}

const PLAIN = 'whiten_advantages: false';

describe('gae', () => {
  it('pays the reward at the last token, and hands the head its values and returns', () => {
    const rollout = seen(rolloutOf(4, 2));
    const { credits, head, logged } = creditOf(`gamma: 0.9, lam: 0.8, ${PLAIN}`, groupOf([rollout]));
    const [{ tokenAdvantages = [], rollouts = [] }] = credits;
    const values = head.values(rollout.figures?.lastHidden as Float32Array, 4).map(Math.fround);
    const expected = bySum(Float64Array.of(0, 0, 0, 2), values, 0.9, 0.8);
    expect([...(rollouts[0].values ?? [])]).toEqual([...values]);
    expected.forEach((value, t) => {
      expect(tokenAdvantages[0][t]).toBeCloseTo(value, 6);
      expect(rollouts[0].returns?.[t]).toBeCloseTo(value + values[t], 6);
    });
    expect(Object.keys(logged)).toEqual(['explained_variance', 'value']);
  });

  it('skips what others wrote, and pays a turn at its last token', () => {
    const episode = seen(episodeOf([2, 3], 4, 1));
    const turns = episode.turns?.map((turn, i) => (i === 0 ? { ...turn, reward: 0.5 } : turn));
    const { credits, head } = creditOf(`gamma: 0.9, lam: 0.7, ${PLAIN}`, groupOf([{ ...episode, turns }]));
    const [{ tokenAdvantages = [], rollouts = [] }] = credits;
    const own = [0, 1, 6, 7, 8];
    const all = head.values(episode.figures?.lastHidden as Float32Array, 9);
    const expected = bySum(
      Float64Array.of(0, 0.5, 0, 0, 1),
      Float64Array.from(own, (t) => Math.fround(all[t])),
      0.9,
      0.7,
    );
    own.forEach((t, i) => {
      expect(tokenAdvantages[0][t]).toBeCloseTo(expected[i], 6);
    });
    for (const t of [2, 3, 4, 5])
      expect([tokenAdvantages[0][t], rollouts[0].values?.[t], rollouts[0].returns?.[t]]).toEqual([0, 0, 0]);
  });

  it('gives the head returns of a lambda of its own, and advantages one by length', () => {
    const rollout = seen(rolloutOf(8, 1));
    const { credits, head } = creditOf(`lam_critic: 1, lam_length_alpha: 0.5, ${PLAIN}`, groupOf([rollout]));
    const [{ tokenAdvantages = [], rollouts = [] }] = credits;
    const values = head.values(rollout.figures?.lastHidden as Float32Array, 8).map(Math.fround);
    const paid = Float64Array.of(0, 0, 0, 0, 0, 0, 0, 1);
    bySum(paid, values, 1, 0.75).forEach((value, t) => {
      expect(tokenAdvantages[0][t]).toBeCloseTo(value, 6);
      expect(rollouts[0].returns?.[t]).toBeCloseTo(1, 6);
    });
  });

  it('whitens over the tokens of the batch, and leaves out a completion without a reward', () => {
    const groups = [groupOf([seen(rolloutOf(3, 1)), seen(rolloutOf(2, null))]), groupOf([seen(rolloutOf(4, 0))])];
    const { credits, part } = creditOf('lam: 0.9', ...groups);
    const all = credits.flatMap(({ tokenAdvantages = [] }, g) =>
      g === 0 ? [...tokenAdvantages[0]] : [...tokenAdvantages[0]],
    );
    expect(all.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 5);
    expect(all.reduce((sum, value) => sum + value ** 2, 0)).toBeCloseTo(all.length - 1, 4);
    const [{ tokenAdvantages = [], rollouts = [] }] = credits;
    expect([...tokenAdvantages[1]]).toEqual([0, 0]);
    expect(rollouts[1].returns).toBeUndefined();
    expect(groups.map((group) => part.isDead?.(group))).toEqual([false, false]);
  });

  it('is the discounted return where no head is read', () => {
    const { credits } = creditOf(`gamma: 0.5, lam: 1, ${PLAIN}`, groupOf([rolloutOf(3, 1)]));
    expect([...(credits[0].tokenAdvantages?.[0] ?? [])]).toEqual([0.25, 0.5, 1]);
  });
});
