/**
 * What the estimators of the KL are to the KL: on-policy, the expectations of their values and gradients over the
 * vocabulary are those of one of its two directions.
 */
import { describe, expect, it } from 'vitest';
import type { LossGradient, LossSequence, LossTerm } from '../../../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../../../src/methods/records.ts';
import { logSoftmaxRows } from '../../../../src/model/distributions.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { createMethods } from '../../../../test/support/everything.ts';
import { emptyGradients, groupOf, rolloutOf } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';

const V = 6;
const logP = logSoftmaxRows([0.3, -1.2, 2.1, 0, 0.9, -0.4], V, 1);
const logQ = logSoftmaxRows([0.1, 0.4, 1.2, -0.7, 1.5, -1], V, 1);
const P = [...logP].map(Math.exp);
const Q = [...logQ].map(Math.exp);

/** A completion of one token, sampled by p at advantage −1. */
function sampled(v: number, logRef = logQ): LossSequence {
  const rollout = { ...rolloutOf(1, 1), tokens: Int32Array.of(v), logprobs: logP.slice(v, v + 1) };
  return {
    group: groupOf([rollout]),
    rollout,
    logprobs: logP.slice(v, v + 1),
    oldLogprobs: logP.slice(v, v + 1),
    refLogprobs: logRef.slice(v, v + 1),
    entropies: new Float32Array(1),
    advantages: Float32Array.of(-1),
    weights: Float32Array.of(1),
    coefficients: Float32Array.of(1),
    distributions: logP,
    refDistributions: logRef,
  };
}

const sizes = { completions: 1, lossTokens: 1, maxCompletionTokens: 1, microBatches: 1, microLossTokens: 1 };

/** The gradient of a stage's term at each token of the vocabulary, as if it had been sampled. */
function gradientOf(id: string, given: LossSequence, ...lines: readonly string[]): LossGradient {
  const stage = stageOf(...lines);
  const methods = createMethods(stage);
  const term = methods.lossTerms.find((part) => part.id === id)?.part as LossTerm;
  const context = { ...stepContext(stage), sizes, ratio: methods.ratio.part, objective: methods.objective.part };
  const gradients = emptyGradients([given]).map((gradient) => ({ ...gradient, dLogits: new Float64Array(V) }));
  term.begin?.([given.group], context);
  term.add([given], gradients, context);
  return gradients[0];
}

/** Value and gradient by the logits of an estimator, weighed by how often the policy samples each token. */
function expected(...lines: readonly string[]): { readonly value: number; readonly gradient: readonly number[] } {
  const gradient = new Array<number>(V).fill(0);
  let value = 0;
  P.forEach((weight, token) => {
    const { losses, dLogprobs } = gradientOf('kl-loss', sampled(token), ...lines);
    value += weight * losses[0];
    P.forEach((p, v) => {
      gradient[v] += weight * dLogprobs[0] * ((v === token ? 1 : 0) - p);
    });
  });
  return { value, gradient };
}

const exact = (direction: string): LossGradient =>
  gradientOf('kl-exact', sampled(0), `loss_terms: [{name: kl-exact, kl_exact_coef: 1, kl_direction: ${direction}}]`);

const near = (a: ArrayLike<number>, b: ArrayLike<number>): void => {
  Array.from(a).forEach((value, i) => expect(value).toBeCloseTo(b[i], 6));
};

describe('the KL over the whole vocabulary', () => {
  it('has the value and the gradient of its formula, in both directions', () => {
    const reverse = P.reduce((sum, p, v) => sum + p * Math.log(p / Q[v]), 0);
    const forward = Q.reduce((sum, q, v) => sum + q * Math.log(q / P[v]), 0);
    expect(exact('reverse').losses[0]).toBeCloseTo(reverse, 6);
    expect(exact('forward').losses[0]).toBeCloseTo(forward, 6);
    near(
      exact('reverse').dLogits ?? [],
      P.map((p, v) => p * (Math.log(p / Q[v]) - reverse)),
    );
    near(
      exact('forward').dLogits ?? [],
      P.map((p, v) => p - Q[v]),
    );
    expect(Math.abs(reverse - forward)).toBeGreaterThan(0.05);
  });

  it('is what k3 and k1 are on average', () => {
    expect(expected('beta: 1', 'use_bias_correction_kl: false').value).toBeCloseTo(exact('reverse').losses[0], 6);
    const k1 = P.reduce((sum, p, v) => sum + p * (logP[v] - logQ[v]), 0);
    expect(k1).toBeCloseTo(exact('reverse').losses[0], 6);
  });

  it('has the mean gradient of k2, of k3+ and of k3 times the ratio; that of k3 alone is the other direction', () => {
    const [reverse, forward] = [exact('reverse').dLogits ?? [], exact('forward').dLogits ?? []];
    near(expected('beta: 1', 'kl_estimator: k2').gradient, reverse);
    near(expected('beta: 1', 'kl_estimator: k3+').gradient, reverse);
    near(expected('beta: 1').gradient, reverse);
    near(expected('beta: 1', 'use_bias_correction_kl: false').gradient, forward);
  });

  it.each(['reverse', 'forward'])('is 0 with a gradient of 0 where the reference is the policy, %s', (direction) => {
    const line = `loss_terms: [{name: kl-exact, kl_exact_coef: 1, kl_direction: ${direction}}]`;
    const { losses, dLogits = [] } = gradientOf('kl-exact', sampled(2, logP), line);
    expect(losses[0]).toBe(0);
    expect([...dLogits].every((value) => value === 0)).toBe(true);
  });

  it('weighs a completion by exp(R/τ) over its mean in the group, forward alone', () => {
    const line = (extra: string): string =>
      `loss_terms: [{name: kl-exact, kl_exact_coef: 1, kl_direction: forward${extra}}]`;
    const [plain, [right, wrong]] = [sampled(0), [rolloutOf(1, 1), rolloutOf(1, 0)]];
    const group = groupOf([right, wrong]);
    const of = (rollout: Rollout, extra: string): number =>
      gradientOf('kl-exact', { ...plain, group, rollout }, line(extra)).losses[0];
    const [one, e] = [of(right, ''), Math.exp(2)];
    expect(of(right, ', reward_temperature: 0.5')).toBeCloseTo((one * 2 * e) / (e + 1), 12);
    expect(of(wrong, ', reward_temperature: 0.5')).toBeCloseTo((one * 2) / (e + 1), 12);
    const reverse = 'loss_terms: [{name: kl-exact, kl_exact_coef: 1, reward_temperature: 0.5}]';
    expect(gradientOf('kl-exact', { ...plain, group, rollout: wrong }, reverse)).toEqual(exact('reverse'));
  });

  it('loads no reference where its weight is 0, and one where it only begins at 0', () => {
    const usesOf = (coefficient: string) =>
      createMethods(stageOf(`loss_terms: [{name: kl-exact, kl_exact_coef: ${coefficient}}]`)).uses;
    expect(usesOf('0')).toMatchObject({ sets: new Set(), distributionsFor: [] });
    expect(usesOf('{from: 0, to: 0.1}')).toMatchObject({
      sets: new Set(['reference']),
      distributionsFor: ['kl-exact'],
    });
    expect(createMethods(stageOf('beta: 0')).uses.sets.size).toBe(0);
  });
});

describe('kl-reward', () => {
  const costOf = (line: string, rollouts: readonly Rollout[], extra: Partial<CreditedGroup> = {}): CreditedGroup => {
    const stage = stageOf(line);
    const [{ part }] = createMethods(stage).creditSteps;
    return part.apply([{ ...groupOf(rollouts), ...extra }], stepContext(stage))[0];
  };
  const line = (options: string): string => `credit_steps: [{name: kl-reward, kl_reward_coef: 0.5, ${options}}]`;

  it('has the mean gradient of the exact KL at a token', () => {
    const gradient = new Array<number>(V).fill(0);
    P.forEach((weight, token) => {
      const rollout = { ...sampled(token).rollout, figures: { refLogprobs: logQ.slice(token, token + 1) } };
      const [[cost]] = costOf(line('kl_credit: token'), [rollout]).tokenAdvantages ?? [];
      P.forEach((p, v) => {
        gradient[v] += (weight * -cost * ((v === token ? 1 : 0) - p)) / 0.5; // of the loss −A·ln p
      });
    });
    near(gradient, exact('reverse').dLogits ?? []);
  });

  it('charges a token for the rest of its completion, but not for tokens that were put in', () => {
    const rollout = {
      ...rolloutOf(3, 1),
      labels: Uint8Array.of(TOKEN.sampled, TOKEN.given, TOKEN.sampled),
      logprobs: Float32Array.of(-1, -5, -2),
      figures: { refLogprobs: Float32Array.of(-2, 0, -2.5) },
    };
    const charged = costOf(line('kl_credit: to_go'), [rollout], { advantages: Float32Array.of(2) });
    expect([...(charged.tokenAdvantages?.[0] ?? [])]).toEqual([1.25, 1.75, 1.75]);
  });

  it('changes nothing where the reference is the policy', () => {
    const rollout = {
      ...rolloutOf(2, 1),
      logprobs: Float32Array.of(-1, -2),
      figures: { refLogprobs: Float32Array.of(-1, -2) },
    };
    expect([...(costOf(line('kl_credit: to_go'), [rollout]).tokenAdvantages?.[0] ?? [])]).toEqual([0, 0]);
  });
});

describe('lp-reg', () => {
  const line = (options: string): string => `loss_terms: [{name: lp-reg, lp_reg_share: 1, ${options}}]`;

  it('is the divergence from the policy without its noise, by its formula', () => {
    const most = Math.max(...P);
    const kept = P.map((p) => (p >= 0.1 * most ? p : 0));
    const mass = kept.reduce((sum, p) => sum + p, 0);
    const proxy = kept.map((p) => p / mass);
    expect(kept.some((p) => p === 0)).toBe(true);
    const { losses, dLogits = [] } = gradientOf('lp-reg', sampled(4), line('lp_reg_coef: 2, lp_reg_kappa: 0.1'));
    const kl = proxy.reduce((sum, q, v) => sum + (q === 0 ? 0 : q * Math.log(q / P[v])), 0);
    expect(losses[0]).toBeCloseTo(2 * kl, 6);
    near(
      dLogits,
      P.map((p, v) => 2 * (p - proxy[v])),
    );
  });

  it.each([
    ['kappa is 0', sampled(4), 'lp_reg_kappa: 0'],
    ['the token is noise itself', sampled(1), 'lp_reg_kappa: 0.1'],
    ['the advantage is not negative', { ...sampled(4), advantages: Float32Array.of(0) }, 'lp_reg_kappa: 0.1'],
  ] as const)('is 0 where %s', (_, given, options) => {
    const { losses, dLogits = [] } = gradientOf('lp-reg', given, line(options));
    expect(losses[0]).toBe(0);
    expect([...dLogits].every((value) => value === 0)).toBe(true);
  });
});
