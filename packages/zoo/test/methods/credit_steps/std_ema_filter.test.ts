import { describe, expect, it } from 'vitest';
import { deviationOf } from '../../../../../src/methods/statistics.ts';
import { creditedGroup, creditStep } from '../../../../../test/support/credit.ts';

/** Two completions whose rewards differ by so much. */
const group = (spread: number) =>
  creditedGroup([
    { reward: 0, advantage: -1 },
    { reward: spread, advantage: 1, byToken: undefined },
  ]);
const std = (spread: number): number => deviationOf([0, spread]);

const OPTIONS = { std_share: 0.5, std_memory: 0.5, std_warmup: 2 };

const keptOf = (groups: ReturnType<ReturnType<typeof creditStep>['apply']>): boolean[] =>
  groups.map(({ rollouts, advantages }) => {
    const isOut = rollouts.every(({ inLoss }) => inLoss === false);
    expect(advantages.some((value) => value !== 0)).toBe(!isOut);
    return !isOut;
  });

describe('std-ema-filter', () => {
  it('passes the first batches, then drops what is under its share of the moving average', () => {
    const step = creditStep('std-ema-filter', OPTIONS);
    expect(keptOf(step.apply([group(1), group(0.1)]))).toEqual([true, true]);
    expect(keptOf(step.apply([group(1), group(0.1)]))).toEqual([true, true]);
    expect(step.logged).toEqual({ least_std: 0, dropped: 0 });
    const average = (std(1) + std(0.1)) / 2;
    expect(keptOf(step.apply([group(1), group(0.1), group(0.5)]))).toEqual([true, false, true]);
    expect(step.logged.least_std).toBeCloseTo(0.5 * average, 6);
    expect(step.logged.dropped).toBe(1);
  });

  it('moves its bound with the batches, by the share that does not stay', () => {
    const step = creditStep('std-ema-filter', { ...OPTIONS, std_warmup: 1 });
    step.apply([group(1)]);
    step.apply([group(3)]);
    step.apply([group(1)]);
    expect(step.logged.least_std).toBeCloseTo(0.5 * (0.5 * std(1) + 0.5 * std(3)), 6);
  });

  it('goes on from its state as if it had never stopped', () => {
    const [first, second] = [creditStep('std-ema-filter', OPTIONS), creditStep('std-ema-filter', OPTIONS)];
    for (const spread of [1, 2, 3]) first.apply([group(spread)]);
    second.part.restore?.(JSON.parse(JSON.stringify(first.part.state?.())));
    const batch = [group(2), group(0.2)];
    expect(second.apply(batch)).toEqual(first.apply(batch));
    expect(second.logged).toEqual(first.logged);
  });

  it('at a share of 0 drops nothing, and dead groups are as they were', () => {
    const off = creditStep('std-ema-filter', { ...OPTIONS, std_share: 0, std_warmup: 1 });
    const dead = { ...group(0), dead: true, advantages: new Float32Array(2) };
    off.apply([group(1)]);
    expect(off.apply([group(1e-6), dead])).toEqual([group(1e-6), dead]);
    const on = creditStep('std-ema-filter', { ...OPTIONS, std_warmup: 1 });
    on.apply([group(1)]);
    expect(on.apply([dead])[0]).toBe(dead);
    expect(on.apply([])).toEqual([]);
  });
});
