/** PPO's clipped error of values, its derivatives by value, head and hidden row, and the head's own optimizer. */
import { describe, expect, it } from 'vitest';
import type { LossContext, LossGradient, LossSequence, LossTerm } from '../../../../../src/methods/points.ts';
import { SharedStates } from '../../../../../src/methods/shared_states.ts';
import type { Json } from '../../../../../src/options/json.ts';
import { createMethods } from '../../../../../test/support/everything.ts';
import { emptyGradients, HIDDEN, randomSequences } from '../../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../../test/support/stages.ts';
import { stepContext } from '../../../../../test/support/steps.ts';
import { clippedError } from '../../../methods/loss_terms/value_loss.ts';
import { headOf, ValueHead } from '../../../methods/support/critic/value_head.ts';
import { lossOf, sizes } from '../../support/losses.ts';

describe('the clipped error', () => {
  it.each([
    ['within the range', 0.6, 1, 0.5, 0.08, -0.4],
    ['beyond it, away from the target', 0.9, 0, 0.5, 0.405, 0.9],
    ['beyond it, towards the target', 0.9, 1, 0.5, 0.045, 0],
    ['at the target', 0.5, 0.5, 0.5, 0, 0],
  ])('is the larger of both, %s', (_, value, target, before, error, slope) => {
    const found = clippedError(value, target, before, 0.2);
    expect(found.error).toBeCloseTo(error, 12);
    expect(found.slope).toBeCloseTo(slope, 12);
  });
});

const WEIGHTS = [0.5, -0.25, 1, 0.125];

function headState(weights: readonly number[]): Json {
  const none = weights.map(() => 0);
  return { weights: [...weights], first: none, second: none, steps: 0 };
}

interface Trial {
  readonly part: LossTerm;
  readonly context: LossContext;
}

/** The term of a stage whose head has these weights. */
function trialOf(options: string, weights: readonly number[] = WEIGHTS): Trial {
  const stage = stageOf('advantage_estimator: gae', `loss_terms: [{name: value-loss, ${options}}]`);
  const methods = createMethods(stage);
  const { ratio, objective, lossTerms } = methods;
  const shared = new SharedStates();
  const context = { ...stepContext(stage, 3, shared), sizes, ratio: ratio.part, objective: objective.part };
  headOf(context).restore(headState(weights));
  const term = lossTerms.find(({ id }) => id === 'value-loss');
  if (term === undefined) throw new Error('no term');
  return { part: term.part, context };
}

function gradientsOf({ part, context }: Trial, given: readonly LossSequence[]): LossGradient[] {
  const gradients = emptyGradients(given);
  part.begin?.([], context);
  part.add(given, gradients, context);
  return gradients;
}

const given = randomSequences(21, 8);
const OPTIONS = 'vf_coef: 0.5, cliprange_value: 0.4, value_trunk_coef: 1';

describe('the term', () => {
  it('is the weighted sum of the errors, and has none at masked tokens', () => {
    const gradients = gradientsOf(trialOf(OPTIONS), given);
    let expected = 0;
    given.forEach(({ hidden = [], rollout: { values = [], returns = [] }, coefficients }, s) => {
      coefficients.forEach((coefficient: number, t: number) => {
        const value = [0, 1, 2].reduce((sum, i) => sum + WEIGHTS[i] * hidden[t * HIDDEN + i], WEIGHTS[3]);
        const bounded = Math.min(Math.max(value, values[t] - 0.4), values[t] + 0.4);
        expected += 0.5 * coefficient * 0.5 * Math.max((value - returns[t]) ** 2, (bounded - returns[t]) ** 2);
        if (coefficient === 0) expect(gradients[s].losses[t]).toBe(0);
      });
    });
    expect(lossOf(gradients)).toBeCloseTo(expected, 12);
  });

  it('has the derivatives by hidden rows that it gives, times the share that reaches the trunk', () => {
    const whole = gradientsOf(trialOf(OPTIONS), given);
    const step = 2 ** -10;
    const lossWith = (s: number, at: number, by: number): number =>
      lossOf(
        gradientsOf(
          trialOf(OPTIONS),
          given.map((one, i) =>
            i === s ? { ...one, hidden: one.hidden?.map((x, j) => (j === at ? x + by : x)) } : one,
          ) as LossSequence[],
        ),
      );
    whole.forEach(({ dHidden = [] }, s) => {
      dHidden.forEach((derivative: number, at: number) => {
        const slope = (lossWith(s, at, step) - lossWith(s, at, -step)) / (2 * step);
        expect(Math.abs(slope - derivative)).toBeLessThanOrEqual(1e-4);
      });
    });
    const shared = gradientsOf(trialOf(OPTIONS.replace('coef: 1', 'coef: 0.25')), given);
    const stopped = gradientsOf(trialOf(OPTIONS.replace(', value_trunk_coef: 1', '')), given);
    whole.forEach(({ dHidden = [] }, s) => {
      dHidden.forEach((derivative: number, at: number) => {
        expect(shared[s].dHidden?.[at]).toBeCloseTo(derivative / 4, 12);
        expect(stopped[s].dHidden?.[at]).toBe(0);
      });
    });
  });

  it("moves the head by Adam's first step along the derivatives by its weights", () => {
    const lossWith = (weights: readonly number[]): number => lossOf(gradientsOf(trialOf(OPTIONS, weights), given));
    const trial = trialOf(`${OPTIONS}, value_learning_rate: 0.01`);
    gradientsOf(trial, given);
    const measured = trial.part.afterUpdate?.({ entropy: 0 });
    expect(Object.keys(measured ?? {})).toEqual(['value_loss', 'value_clip_ratio']);
    const { weights, first } = headOf(trial.context).state() as unknown as Record<string, readonly number[]>;
    WEIGHTS.forEach((weight, i) => {
      const at = (by: number): number => lossWith(WEIGHTS.map((other, j) => (i === j ? other + by : other)));
      const slope = (at(1e-6) - at(-1e-6)) / 2e-6;
      expect(first[i]).toBeCloseTo(0.1 * slope, 7);
      expect(weights[i]).toBeCloseTo(weight - 0.01 * Math.sign(slope), 5);
    });
  });

  it('does nothing where no estimator gave returns', () => {
    const { part, context } = trialOf(OPTIONS);
    const without = given.map(({ rollout: { returns: _, ...rollout }, ...one }): LossSequence => ({ ...one, rollout }));
    expect(lossOf(gradientsOf({ part, context }, without))).toBe(0);
    expect(part.afterUpdate?.({ entropy: 0 })).toBeUndefined();
  });
});

describe('the head', () => {
  it('learns a line to the last digit of its state, and goes on from it', () => {
    const rows = Float32Array.from({ length: 30 }, (_, i) => Math.sin(i));
    const targets = Array.from({ length: 10 }, (_, row) => 0.5 * rows[3 * row] - rows[3 * row + 1] + 0.25);
    const learn = (head: ValueHead, steps: number): ValueHead => {
      for (let step = 0; step < steps; step++) {
        head.values(rows, 10).forEach((value, row) => head.addGradient(rows, row, (value - targets[row]) / 10));
        head.step(0.02);
      }
      return head;
    };
    const whole = learn(new ValueHead(), 1500);
    whole.values(rows, 10).forEach((value, row) => expect(value).toBeCloseTo(targets[row], 2));
    const resumed = new ValueHead();
    resumed.restore(JSON.parse(JSON.stringify(learn(new ValueHead(), 700).state())));
    expect(learn(resumed, 800).state()).toEqual(whole.state());
  });
});
