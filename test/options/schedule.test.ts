/** A number that moves over a stage: its formula, and what a stage makes of it. */

import { describe, expect, it } from 'vitest';
import { resolvedTree } from '../../src/config/dump.ts';
import { type Schedule, scheduledAt } from '../../src/options/schedule.ts';
import { createMethods, parseConfig } from '../support/everything.ts';
import { emptyGradients, randomSequences } from '../support/rollouts.ts';
import { stageOf } from '../support/stages.ts';
import { stepContext } from '../support/steps.ts';

describe('a schedule', () => {
  it.each<[Schedule, number, number]>([
    [{ from: 1, to: 0 }, 0, 1],
    [{ from: 1, to: 0 }, 5, 0.5],
    [{ from: 1, to: 0, over: 0.5 }, 5, 0],
    [{ from: 1, to: 3, over: 0.5 }, 9, 3],
    [{ from: 1, to: 0, over: 4 }, 1, 0.75],
    [{ from: 0, to: 1, shape: 'cosine' }, 5, 0.5],
    [{ from: 0, to: 1, shape: 'cosine' }, 1, (1 - Math.cos(Math.PI / 10)) / 2],
    [{ from: 1, to: 16, shape: 'geometric' }, 5, 4],
  ])('%o is at step %i of 10 at %d', (schedule, step, expected) => {
    expect(scheduledAt(schedule, { step, maxSteps: 10 })).toBeCloseTo(expected, 12);
  });

  it('stands among the keys of a stage, and in a method, and is written back', () => {
    const lines = ['beta: {from: 0.2, to: 0, over: 0.5}', 'objective: {name: ppo-clip, epsilon: {from: 0.4, to: 0.2}}'];
    const stage = stageOf(...lines);
    expect(stage.methods.lossTerms[0]).toMatchObject({ name: 'kl-loss', beta: { from: 0.2, to: 0, over: 0.5 } });
    const text = ['task: sort_digits', 'max_steps: 10', ...lines].join('\n');
    const [written] = resolvedTree(parseConfig(text, { file: 'a' }).config).stages as Record<string, unknown>[];
    expect(written).toMatchObject({ beta: { from: 0.2, to: 0, over: 0.5 }, epsilon: { from: 0.4, to: 0.2 } });
  });

  it('is, at each step, the number of that step', () => {
    const scheduled = createMethods(stageOf('beta: {from: 0.2, to: 0}', 'use_bias_correction_kl: false'));
    const given = randomSequences(3, 4);
    const lossAt = (methods: typeof scheduled): number => {
      const gradients = emptyGradients(given);
      const { ratio, objective } = methods;
      const parts = { ratio: ratio.part, objective: objective.part };
      const context = { ...stepContext(stageOf()), sizes: { ...SIZES }, ...parts };
      methods.lossTerms.find(({ id }) => id === 'kl-loss')?.part.add(given, gradients, context);
      return gradients.flatMap(({ losses }) => [...losses]).reduce((sum, loss) => sum + loss, 0);
    };
    for (const [step, beta] of [
      [0, 0.2],
      [5, 0.1],
      [2, 0.16],
    ]) {
      scheduled.moveTo(step);
      const fixed = createMethods(stageOf(`beta: ${beta}`, 'use_bias_correction_kl: false'));
      expect(lossAt(scheduled)).toBeCloseTo(lossAt(fixed), 12);
    }
  });

  it('keeps the state of the method whose number moves', () => {
    const lines = ['use_adaptive_entropy: true', 'entropy_coef: 0.1', 'entropy_target: {from: 2, to: 3}'];
    const methods = createMethods(stageOf(...lines));
    const bonus = methods.lossTerms.find(({ id }) => id === 'entropy-bonus');
    expect(bonus?.part.afterUpdate?.({ entropy: 1 })).toMatchObject({ entropy_coef: expect.closeTo(0.105, 12) });
    methods.moveTo(1);
    expect(bonus?.part.afterUpdate?.({ entropy: 1 })).toMatchObject({ entropy_coef: expect.closeTo(0.11, 12) });
  });

  it.each([
    ['beta: {from: 0.2, to: -1}', 'stages.0.beta.to: -1 — must be at least 0'],
    ['beta: {from: 0.2}', 'beta.to: missing'],
    ['beta: {from: 0.2, to: 0, shape: geometric}', 'goes from one number above 0 to another'],
    ['beta: {from: 0.2, to: 0, over: 0}', 'must be a share of the stage, or steps above 1'],
    ['beta: {from: 0.2, to: 0, shape: wavy}', 'not a shape of a schedule; use linear, cosine, geometric'],
    ['delta: {from: 4, to: 1.1}', 'must exceed 1 + epsilon_high (1.2), or it undoes the clip'],
    ['learning_rate: {from: 1, to: 0}', 'must be a finite number'],
  ])('is refused with what is wrong: %s', (line, message) => {
    expect(() => stageOf(line)).toThrow(message.replace('stages.0.', ''));
  });
});

const SIZES = { completions: 4, lossTokens: 9, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 9 };
