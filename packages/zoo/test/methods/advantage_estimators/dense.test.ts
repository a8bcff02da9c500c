/** Credit by token: of the steps of a solution, of the branches of a group, of the tokens of a batch. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rollout, TokenStep } from '../../../../../src/methods/records.ts';
import { groupOf, groupOfRewards, rolloutOf } from '../../../../../test/support/rollouts.ts';
import { estimatorOf, expectAll, rewarded } from '../../support/advantages.ts';

/** A completion of steps of two tokens each, a separator behind each but the last, and an end. */
function stepped(reward: number | null, scores: readonly number[]): Rollout {
  const steps = scores.map((score, s): TokenStep => ({ from: 3 * s, to: 3 * s + 2, score }));
  return { ...rolloutOf(3 * scores.length, reward), steps };
}

describe('process-centred', () => {
  const estimator = estimatorOf('{name: process-centred, process_weight: 0.5}');

  it('adds to the outcome what a step is above the mean of its steps; separators have the outcome alone', () => {
    const group = groupOf([stepped(1, [1, 0]), stepped(0, [1, 1])]);
    const outcome = 0.5 / (Math.SQRT1_2 + 1e-4);
    const [[right, wrong]] = estimator.byToken([group]);
    expectAll(
      right,
      [0.25, 0.25, 0, -0.25, -0.25, 0].map((part) => outcome + part),
    );
    expectAll(wrong, Array<number>(6).fill(-outcome));
    expectAll(estimator.advantages([group])[0], [outcome, -outcome]);
  });

  it('does not see a constant on all steps, and steps of one length add up to 0', () => {
    const scores = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(scores, scores, (first, second) => {
        const of = (by: number) =>
          estimator.byToken([
            groupOf(
              [first, second].map((own, i) =>
                stepped(
                  i,
                  own.map((score) => (score + by) / 8),
                ),
              ),
            ),
          ]);
        expectAll(of(3).flat(2), of(0).flat(2));
        const outcome = estimatorOf('group').ofRewards([0, 1])[0];
        of(0)[0].forEach((own, i) => {
          expect(own.reduce((sum, value) => sum + value - outcome[i], 0)).toBeCloseTo(0, 4);
        });
      }),
    );
  });

  it('calls a group dead where neither rewards nor steps differ', () => {
    const isDead = (...rollouts: Rollout[]) => estimator.part.isDead?.(groupOf(rollouts));
    expect(isDead(stepped(1, [1, 1]), stepped(1, [0, 0]))).toBe(true);
    expect(isDead(stepped(1, [1, 0]), stepped(1, [1, 1]))).toBe(false);
    expect(isDead(stepped(null, [1, 0]), stepped(1, [1, 1]))).toBe(true);
    const equal = groupOf([stepped(0.7, [0.3, 0.3, 0.3]), stepped(0.7, [1]), stepped(0.7, [])]);
    expect(
      estimator
        .byToken([equal])
        .flat(2)
        .every((value) => value === 0),
    ).toBe(true);
  });

  it('gives nothing to a completion without a reward', () => {
    const [tokens] = estimator.byToken([groupOf([stepped(null, [1, 0]), stepped(1, []), stepped(0, [1])])]);
    expect(tokens[0]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('renorm', () => {
  const estimator = estimatorOf('renorm');

  it('adds up what a step and the later ones earn', () => {
    const [[right, wrong]] = estimator.byToken([groupOf([stepped(1, [1, 0.5]), stepped(0, [1, 0.5])])]);
    expectAll(right, [1.5, 1.5, 0.5, 0.5, 0.5, 0.5]);
    expectAll(wrong, [-0.5, -0.5, -0.5, -0.5, -0.5, -0.5]);
    const discounted = estimatorOf('{name: renorm, step_discount: 0.5}');
    expectAll(discounted.byToken([groupOf([stepped(1, [1, 0.5])])])[0][0], [1.25, 1.25, 0.5, 0.5, 0.5, 0.5]);
  });

  it('never pays a step of a failed attempt', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }), (scores) => {
        const [[tokens]] = estimator.byToken([groupOf([{ ...stepped(0, scores), tokens: new Int32Array(15) }])]);
        expect(Math.max(...tokens)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it('takes a completion without a step as one poor step, and rewards beyond 1 as 1', () => {
    const stepless = (tokens: number, reward: number | null) => ({ ...rolloutOf(tokens, reward), steps: [] });
    const group = groupOf([stepless(2, 0), stepless(2, 1), stepless(1, 7), stepless(1, null)]);
    expect(estimator.byToken([group])[0]).toEqual([[-1, -1], [0, 0], [0], [0]]);
  });

  it('takes the outcome less one half where the task judges no steps', () => {
    expect(estimator.byToken([groupOf([rolloutOf(2, 0), rolloutOf(1, 1)])])[0]).toEqual([[-0.5, -0.5], [0.5]]);
  });

  it('is dead only where every token gets 0', () => {
    const isDead = (...rollouts: Rollout[]) => estimator.part.isDead?.(groupOf(rollouts));
    expect([isDead(stepped(0, [1]), stepped(0, [1])), isDead(stepped(1, [1]), stepped(1, [1]))]).toEqual([true, false]);
  });
});

describe('trie-value', () => {
  const estimator = estimatorOf('trie-value');
  const written = (text: string, reward: number | null): Rollout => ({
    ...rolloutOf(text.length, reward),
    tokens: Int32Array.from(text, (character) => character.charCodeAt(0)),
  });

  it('credits a token with the change in value that it makes', () => {
    const group = groupOf([written('abx', 1), written('aby', 0), written('acz', 1), written('d', 0)]);
    const [tokens] = estimator.byToken([group]);
    expectAll(tokens[0], [1 / 6, -1 / 6, 0.5]);
    expectAll(tokens[1], [1 / 6, -1 / 6, -0.5]);
    expectAll(tokens[2], [1 / 6, 1 / 3, 0]);
    expectAll(tokens[3], [-0.5]);
  });

  it('adds up to R − μ, credits a shared beginning alike, and nothing after the last branch', () => {
    const texts = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[ab]{1,6}$/), fc.integer({ min: 0, max: 3 })), {
      minLength: 2,
      maxLength: 8,
      selector: ([text]) => text,
    });
    fc.assert(
      fc.property(texts, (unended) => {
        const members = unended.map(([text, reward]) => [`${text}.`, reward] as const);
        const group = groupOf(members.map(([text, reward]) => written(text, reward / 3)));
        const mean = members.reduce((sum, [, reward]) => sum + reward / 3, 0) / members.length;
        const [tokens] = estimator.byToken([group]);
        expectAll(
          tokens.map((own) => own.reduce((sum, value) => sum + value, 0)),
          members.map(([, reward]) => reward / 3 - mean),
        );
        members.forEach(([text], i) => {
          members.forEach(([other], j) => {
            for (let t = 0; t < text.length && text.slice(0, t + 1) === other.slice(0, t + 1); t++) {
              expect(tokens[i][t]).toBe(tokens[j][t]);
            }
          });
          for (let t = 1; t < text.length; t++) {
            const isAlone = members.every(([other], j) => j === i || other.slice(0, t) !== text.slice(0, t));
            if (isAlone) expect(tokens[i][t]).toBe(0);
          }
        });
      }),
    );
  });

  it('gives exactly 0 where rewards are equal, and leaves out what does not count', () => {
    const equal = groupOf([written('ab', 0.7), written('ac', 0.7), written('d', 0.7)]);
    expect(estimator.byToken([equal]).flat(2)).toEqual([0, 0, 0, 0, 0]);
    const [tokens] = estimator.byToken([groupOf([written('ab', null), written('ac', 1), written('d', 0)])]);
    expectAll(tokens.flat(), [0, 0, 0.5, 0, -0.5]);
  });
});

describe('reinforce-pp', () => {
  it('is standard over the tokens of the batch: a long completion weighs by its length', () => {
    const groups = [groupOfRewards([1, 3], [1, 0]), groupOfRewards([2, 2], [1, 1])];
    // Of the tokens 1, 0, 0, 0, 1, 1, 1, 1: mean 5/8, variance 15/56.
    const [high, low] = [3 / 8, -5 / 8].map((value) => value / Math.sqrt(15 / 56 + 1e-8));
    const { part, advantages } = estimatorOf('reinforce-pp');
    expectAll(advantages(groups).flat(), [high, low, high, high]);
    expect(part.isDead?.(groups[1])).toBe(false);
    expect(part.isDead?.(rewarded([null, null]))).toBe(true);
    expect(estimatorOf('reinforce-pp').ofRewards([0.7, 0.7], [0.7, 0.7]).flat()).toEqual([0, 0, 0, 0]);
  });

  it('takes the mean of the group first where it is asked to; a group of equal rewards is then dead', () => {
    const groups = [groupOfRewards([1, 3], [1, 0]), groupOfRewards([2, 2], [0.7, 0.7]), groupOfRewards([1, 1], [3, 1])];
    const { part, advantages } = estimatorOf('{name: reinforce-pp, variant: baseline}');
    // Of the tokens ½, −½ ×3, 0 ×4, 1, −1.
    const tokens = [0.5, -0.5, -0.5, -0.5, 0, 0, 0, 0, 1, -1];
    const mean = tokens.reduce((sum, value) => sum + value, 0) / 10;
    const deviation = Math.sqrt(tokens.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 9 + 1e-8);
    const [a, b, c, d] = [0.5, -0.5, 1, -1].map((value) => (value - mean) / deviation);
    expectAll(advantages(groups).flat(), [a, b, 0, 0, c, d]);
    expect(advantages(groups)[1]).toEqual([0, 0]);
    expect(part.isDead?.(groups[1])).toBe(true);
  });

  it('takes the distance from the reference to go out of the reward, before it is made standard', () => {
    const logprobs = [-1, -2, -0.5];
    const refLogprobs = Float32Array.of(-1.5, -1, -0.5);
    const first = { ...rolloutOf(3, 1), logprobs: Float32Array.from(logprobs), figures: { refLogprobs } };
    const second = { ...rolloutOf(1, 0), logprobs: Float32Array.of(-1), figures: { refLogprobs: Float32Array.of(-3) } };
    const { part, byToken, advantages } = estimatorOf('{name: reinforce-pp, kl_reward_coef: 0.5}');
    // k1 is ½, −1, 0 and 2: to go −½, −1, 0 and 2.
    const values = [1.25, 1.5, 1, -1];
    const mean = values.reduce((sum, value) => sum + value, 0) / 4;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3 + 1e-8);
    const expected = values.map((value) => (value - mean) / deviation);
    expectAll(byToken([groupOf([first, second])]).flat(2), expected);
    expectAll(advantages([groupOf([first, second])])[0], [expected[0], expected[3]]);
    expect(part.isDead?.(groupOf([first, { ...second, reward: 1 }]))).toBe(false);
  });
});
