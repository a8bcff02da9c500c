import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learningRateAt, type ScheduleConfig } from '../../src/grpo/update/schedules.ts';

const linear: ScheduleConfig = {
  learningRate: 0.1,
  learningRateSchedule: 'linear',
  minLearningRateRatio: 0,
  warmupSteps: 0,
  maxSteps: 10,
};

describe('learningRateAt', () => {
  it('starts linear at the peak and leaves one part of the way at the last step', () => {
    expect(learningRateAt(0, linear)).toBe(0.1);
    expect(learningRateAt(9, linear)).toBeCloseTo(0.01, 12);
    expect(learningRateAt(10, linear)).toBe(0);
  });

  it('does not waste the first warm-up step on a rate of 0', () => {
    const config = { ...linear, warmupSteps: 4 };
    expect([0, 1, 2, 3, 4].map((step) => learningRateAt(step, config))).toEqual(
      [0.025, 0.05, 0.1 * 0.75, 0.1, 0.1].map((rate) => expect.closeTo(rate, 12)),
    );
  });

  it('matches the linear formula of transformers after the warm-up', () => {
    const config = { ...linear, warmupSteps: 4 };
    for (let step = 4; step < 10; step++) expect(learningRateAt(step, config)).toBeCloseTo((0.1 * (10 - step)) / 6, 12);
  });

  it('falls linearly to the floor, not below it', () => {
    const config = { ...linear, minLearningRateRatio: 0.2 };
    expect(learningRateAt(5, config)).toBeCloseTo(0.06, 12);
    expect(learningRateAt(10, config)).toBeCloseTo(0.02, 12);
    expect(learningRateAt(1000, config)).toBeCloseTo(0.02, 12);
  });

  it('matches the cosine formula of transformers', () => {
    const config: ScheduleConfig = { ...linear, learningRateSchedule: 'cosine', warmupSteps: 2 };
    for (let step = 2; step < 10; step++) {
      const expected = 0.1 * 0.5 * (1 + Math.cos(Math.PI * 0.5 * 2 * ((step - 2) / 8)));
      expect(learningRateAt(step, config)).toBeCloseTo(expected, 12);
    }
  });

  it('matches the cosine_with_min_lr formula of transformers', () => {
    const config: ScheduleConfig = { ...linear, learningRateSchedule: 'cosine_with_min_lr', minLearningRateRatio: 0.1 };
    for (let step = 0; step < 10; step++) {
      const cosine = 0.5 * (1 + Math.cos((Math.PI * step) / 10));
      expect(learningRateAt(step, config)).toBeCloseTo(0.1 * (cosine * 0.9 + 0.1), 12);
    }
  });

  it('ignores the warm-up of constant and keeps that of constant_with_warmup', () => {
    const constant: ScheduleConfig = { ...linear, learningRateSchedule: 'constant', warmupSteps: 5 };
    expect(learningRateAt(0, constant)).toBe(0.1);
    const warmed: ScheduleConfig = { ...constant, learningRateSchedule: 'constant_with_warmup' };
    expect([0, 4, 5, 9].map((step) => learningRateAt(step, warmed))).toEqual([0.02, 0.1, 0.1, 0.1]);
  });

  it('stays between floor and peak, and never rises after the warm-up', () => {
    const configs = fc.record({
      learningRate: fc.double({ min: 1e-7, max: 1, noNaN: true }),
      learningRateSchedule: fc.constantFrom('linear', 'cosine', 'cosine_with_min_lr', 'constant_with_warmup'),
      minLearningRateRatio: fc.double({ min: 0, max: 1, noNaN: true }),
      warmupSteps: fc.nat(30),
      maxSteps: fc.integer({ min: 30, max: 60 }),
    });
    fc.assert(
      fc.property(configs, fc.nat(80), (config: ScheduleConfig, step) => {
        const rate = learningRateAt(step, config);
        const floor = step < config.warmupSteps ? 0 : config.learningRate * config.minLearningRateRatio;
        expect(rate).toBeGreaterThanOrEqual(floor * (1 - 1e-12));
        expect(rate).toBeLessThanOrEqual(config.learningRate * (1 + 1e-12));
        if (step < config.warmupSteps) return;
        expect(learningRateAt(step + 1, config)).toBeLessThanOrEqual(rate * (1 + 1e-12));
      }),
    );
  });

  it('serves a stage that is warm-up alone', () => {
    const config = { ...linear, warmupSteps: 10 };
    expect(learningRateAt(9, config)).toBe(0.1);
    expect(learningRateAt(10, config)).toBe(0.1);
  });
});
