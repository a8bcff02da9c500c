import { describe, expect, it } from 'vitest';
import { reduce, secondsLeft, shareDone, tokensPerSecond } from '../../display/live/state.ts';
import {
  evaluation,
  grpoStep,
  MIDDLE,
  rollouts,
  stage,
  stateAfter,
  statesAfter,
  supervisedStep,
  WARM_START,
} from './events.ts';

describe('the time left', () => {
  it('is not known before a step was taken', () => {
    expect(secondsLeft(stateAfter([{ event: stage(0), after: 0 }]))).toBeUndefined();
  });

  it('follows from the rows of the stages to come, at the speed of the one under way', () => {
    const steps = Array.from({ length: 50 }, (_, i) => ({ event: supervisedStep(i + 1), after: 0.1 }));
    // 0.1 s for 10 rows; 50 steps of 10, 200 of 50, 6 evaluations of 100.
    expect(secondsLeft(stateAfter([{ event: stage(0), after: 0 }, ...steps]))).toBeCloseTo(
      0.01 * (500 + 10_000 + 600),
      6,
    );
  });

  it('takes steps and evaluations as measured, each by its own time', () => {
    const left = secondsLeft(stateAfter(MIDDLE));
    expect(left).toBeCloseTo(80 * 0.5 + 2 * 2, 6); // 3 of 5 evaluations are done
  });

  it('does not count an evaluation that was asked for as one of the plan', () => {
    const before = stateAfter(MIDDLE);
    const state = reduce(before, evaluation('requested', 120, 0.4), before.now + 2000);
    expect(shareDone(state)).toBe(shareDone(before));
    const next = reduce(state, grpoStep(121), state.now + 500);
    expect(secondsLeft(next)).toBeCloseTo(79 * 0.5 + 2 * 2, 6);
  });

  it('follows a change of speed within some seconds', () => {
    let state = stateAfter(MIDDLE);
    for (let step = 121; step <= 160; step++) state = reduce(state, grpoStep(step, 1), state.now + 1000);
    const left = secondsLeft(state) ?? 0;
    expect(left).toBeGreaterThan(0.9 * (40 * 1 + 4));
    expect(left).toBeLessThan(40 * 1 + 4);
  });
});

describe('the figures', () => {
  it('are means over all batches that were drawn for a step, those included that taught nothing', () => {
    const dead = { step: 121, stage: 'grpo', batch: 'dead', reward: 0, frac_reward_zero_std: 1, num_tokens: 911_000 };
    const event = { type: 'batch', stage: 'grpo', step: 121, metrics: dead } as const;
    const between = reduce(stateAfter(MIDDLE), event, 0);
    expect([between.step, between.metrics.reward, between.metrics.frac_reward_zero_std]).toEqual([120, 0, 1]);
    const step = grpoStep(121);
    const { metrics } = reduce(reduce(between, event, 0), step, 0);
    expect(metrics.frac_reward_zero_std).toBeCloseTo((2 + 0.1875) / 3, 12);
    const reward = step.type === 'step' ? Number(step.metrics.reward) : Number.NaN;
    expect(metrics.reward).toBeCloseTo(reward / 3, 12);
    const again = grpoStep(122);
    expect(reduce(reduce(between, step, 0), again, 0).metrics.frac_reward_zero_std).toBe(0.1875);
  });
});

describe('the share done', () => {
  it('never falls, and is 1 at the end', () => {
    const whole = [
      ...MIDDLE,
      ...Array.from({ length: 80 }, (_, i) => ({ event: grpoStep(121 + i), after: 0.5 })),
      { event: evaluation('periodic', 150, 0.4), after: 2 },
      { event: evaluation('final', 200, 0.44), after: 2 },
    ];
    const shares = statesAfter(whole).map(shareDone);
    expect(shares.every((share, i) => i === 0 || share >= shares[i - 1]!)).toBe(true);
    expect(shares.at(-1)).toBe(1);
  });

  it('of a resumed run counts the stages and steps before', () => {
    const resumed = stateAfter([{ event: stage(1, 100), after: 0 }]);
    expect(shareDone(resumed)).toBeCloseTo((1000 + 100 + 5000 + 200) / (1000 + 100 + 10_000 + 500), 6);
  });
});

it('tokens per second are those of the recent steps', () => {
  expect(tokensPerSecond(stateAfter(MIDDLE))).toBeCloseTo(14_000, 0);
  expect(
    tokensPerSecond(
      stateAfter([
        { event: stage(1, 100), after: 0 },
        { event: grpoStep(101), after: 0.5 },
      ]),
    ),
  ).toBe(
    undefined, // a resume does not say how many tokens there were before
  );
});

it('a completion stays for three seconds, to be read', () => {
  const first = stateAfter([...WARM_START, { event: stage(1), after: 0 }, { event: rollouts('a', 'first'), after: 0 }]);
  const later = (ms: number) => reduce(first, rollouts('b', 'second'), first.now + ms).example?.completion;
  expect(later(2900)).toBe('first');
  expect(later(3100)).toBe('second');
});

it('figures and curves begin anew with each stage', () => {
  const state = stateAfter([...WARM_START, { event: stage(1), after: 0 }]);
  expect(state.metrics).toEqual({});
  expect(state.training.buckets).toEqual([]);
});
