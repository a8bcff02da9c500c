/**
 * What every method of the registry keeps: derivatives are those of its losses, masked tokens get exactly nothing, neither
 * the cut into micro-batches nor the order within a group changes a result, and options survive the config.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../src/config/dump.ts';
import { parseConfig } from '../../src/config/load.ts';
import { POINT_KEYS } from '../../src/config/method_keys.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { createMethods, methodStates, type Named, restoreMethods } from '../../src/methods/create.ts';
import { Ledger } from '../../src/methods/ledger.ts';
import type { StepContext } from '../../src/methods/method.ts';
import type { LossContext, LossGradient, LossSequence, LossTerm } from '../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../src/methods/records.ts';
import { METHODS } from '../../src/methods/registry.ts';
import { METHOD_POINTS } from '../../src/methods/stage.ts';
import { anyStage, stageOf } from '../support/stages.ts';

/** Options that a method cannot do without, as the YAML spells them. */
const REQUIRED: Readonly<Record<string, string>> = {
  'length-mask': '{name: length-mask, max_tokens: 3}',
  'pass-hat-k': '{name: pass-hat-k, k: 2}',
  'kl-loss': '{name: kl-loss, beta: 0.1}',
  'entropy-bonus': '{name: entropy-bonus, entropy_coef: 0.1}',
};

function lineFor(point: (typeof METHOD_POINTS)[number], id: string): string {
  const { yaml, takes } = POINT_KEYS[point];
  const written = REQUIRED[id] ?? id;
  return `${yaml}: ${takes === 'one' ? written : `[${written}]`}`;
}

const everyMethod = METHOD_POINTS.flatMap((point) =>
  METHODS[point].map((method) => ({ point, method, id: method.id })),
);

describe.each(everyMethod)('$id', ({ point, method }) => {
  const line = lineFor(point, method.id);

  it('says what it does, by which formula, and where that is from', () => {
    const { does, formula, source } = method.about;
    expect(does).toMatch(/^[A-Z].+\.$/);
    expect(formula).not.toBe('');
    expect(source).toMatch(/^(own|\d{4}\.\d{5})$/);
  });

  it('is chosen by its name, and comes back from the config that is written out', () => {
    const stage = stageOf(line);
    expect(stage.methods[point].map(({ name }) => name)).toContain(method.id);
    const text = resolvedYaml(
      parseConfig(['task: sort_digits', 'max_steps: 10', line].join('\n'), { file: 'a' }).config,
    );
    const [again] = parseConfig(text, { file: 'b' }).config.stages;
    expect(again).toEqual(stage);
  });

  it('keeps its state through JSON', () => {
    const made = createMethods(stageOf(line));
    const states = methodStates(made);
    const again = createMethods(stageOf(line));
    restoreMethods(again, JSON.parse(JSON.stringify(states)));
    expect(methodStates(again)).toEqual(states);
  });
});

function rollout(tokens: number, reward: number | null): Rollout {
  return {
    tokens: new Int32Array(tokens),
    logprobs: new Float32Array(tokens),
    entropies: new Float32Array(tokens),
    keptLogMass: new Float32Array(tokens),
    finishReason: 'eos',
    text: '',
    verdict: { score: reward ?? 0, status: 'correct', reason: '' },
    rewardParts: [reward],
    reward,
  };
}

function groupOf(lengths: readonly number[], rewards: readonly (number | null)[]): CreditedGroup {
  const item = { id: 'a', key: 'a', split: 'train', prompt: '', answer: '', identity: 'a', weight: 1 } as const;
  const rollouts = lengths.map((length, i) => rollout(length, rewards[i] ?? null));
  return { item, prompt: new Int32Array(1), rollouts, dead: false, advantages: new Float32Array(lengths.length) };
}

const context: StepContext = {
  step: 3,
  progress: 0.3,
  stage: anyStage(),
  rng: rngFor('contract'),
  ledger: new Ledger(),
  metric: () => {},
};

const sizes = { completions: 8, lossTokens: 24, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 24 };
const lossContext: LossContext = { ...context, sizes };

/** Sequences of random numbers, the last token of each masked. */
function sequences(seed: number, count: number): LossSequence[] {
  const rng = rngFor(`sequences|${seed}`);
  return Array.from({ length: count }, (): LossSequence => {
    const tokens = rng.int(1, 4);
    const each = (low: number, high: number): Float32Array =>
      Float32Array.from({ length: tokens }, () => low + (high - low) * rng.float());
    const logprobs = each(-3, -0.1);
    const group = groupOf([tokens], [1]);
    return {
      group,
      rollout: group.rollouts[0],
      logprobs,
      oldLogprobs: logprobs.map((value, t) => value + each(-0.5, 0.5)[t]),
      refLogprobs: logprobs.map((value, t) => value + each(-0.5, 0.5)[t]),
      entropies: each(0, 2),
      advantages: each(-2, 2),
      weights: each(0.5, 1),
      coefficients: each(0.1, 1).map((value, t) => (t === tokens - 1 ? 0 : value)),
    };
  });
}

function gradientsOf(term: LossTerm, given: readonly LossSequence[]): LossGradient[] {
  const zeros = (length: number): Float64Array => new Float64Array(length);
  const gradients = given.map(({ logprobs: { length } }) => ({
    losses: zeros(length),
    dLogprobs: zeros(length),
    dEntropies: zeros(length),
  }));
  term.add(given, gradients, lossContext);
  return gradients;
}

/** Every term, the objectives among them. */
const terms: Named<LossTerm>[] = [...METHODS.objective, ...METHODS.lossTerms].map((method) => {
  const point = METHODS.objective.some(({ id }) => id === method.id) ? 'objective' : 'lossTerms';
  const { lossTerms } = createMethods(stageOf(lineFor(point, method.id)));
  return lossTerms.find(({ id }) => id === method.id) as Named<LossTerm>; // it was just asked for
});

describe.each(terms)('the loss of $id', ({ part }) => {
  it('has the derivatives that it gives, by finite differences', () => {
    const given = sequences(1, 12);
    const gradients = gradientsOf(part, given);
    const step = 2 ** -12; // log-probs are float32: a step that they hold
    const lossWith = (which: 'logprobs' | 'entropies', s: number, t: number, by: number): number => {
      const moved = given.map((sequence, i) =>
        i === s ? { ...sequence, [which]: sequence[which].map((x, j) => (j === t ? x + by : x)) } : sequence,
      );
      return gradientsOf(part, moved).reduce((sum, { losses }) => losses.reduce((inner, x) => inner + x, sum), 0);
    };
    given.forEach(({ logprobs }, s) => {
      logprobs.forEach((_, t) => {
        for (const [which, derivative] of [
          ['logprobs', gradients[s].dLogprobs[t]],
          ['entropies', gradients[s].dEntropies[t]],
        ] as const) {
          if (part.stopsGradient && which === 'logprobs') continue;
          const slope = (lossWith(which, s, t, step) - lossWith(which, s, t, -step)) / (2 * step);
          expect(Math.abs(slope - derivative)).toBeLessThanOrEqual(1e-3 * Math.max(0.1, Math.abs(derivative)));
        }
      });
    });
  });

  it('gives masked tokens exactly nothing, whatever they hold', () => {
    const given = sequences(2, 12).map((sequence) => ({
      ...sequence,
      logprobs: sequence.logprobs.map((x, t) => (sequence.coefficients[t] === 0 ? Number.NEGATIVE_INFINITY : x)),
    }));
    gradientsOf(part, given).forEach((gradient, s) => {
      given[s].coefficients.forEach((coefficient, t) => {
        if (coefficient !== 0) return;
        expect([gradient.losses[t], gradient.dLogprobs[t], gradient.dEntropies[t]]).toEqual([0, 0, 0]);
      });
    });
  });

  it('does not depend on the cut into micro-batches', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 8 }), (seed, cut) => {
        const given = sequences(seed, 8);
        const whole = gradientsOf(part, given);
        expect([...gradientsOf(part, given.slice(0, cut)), ...gradientsOf(part, given.slice(cut))]).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});

describe.each(METHODS.advantageEstimator)('the advantages of $id', ({ id }) => {
  const { advantageEstimator } = createMethods(stageOf(`advantage_estimator: ${id}`));
  const estimate = (rewards: readonly (number | null)[]): number[] => [
    ...advantageEstimator.part.estimate(
      [
        groupOf(
          rewards.map(() => 2),
          rewards,
        ),
      ],
      context,
    )[0].advantages,
  ];
  const rewards = fc.array(fc.option(fc.integer({ min: -4, max: 4 }), { freq: 5 }), { minLength: 2, maxLength: 8 });

  it('go with their completions when the order within a group changes', () => {
    fc.assert(
      fc.property(rewards, fc.integer({ min: 0, max: 7 }), (given, by) => {
        const rotate = <T>(values: readonly T[]): T[] => values.map((_, i) => values[(i + by) % values.length]);
        const [plain, rotated] = [estimate(given), estimate(rotate(given))];
        rotate(plain).forEach((value, i) => expect(rotated[i]).toBeCloseTo(value, 5));
      }),
    );
  });

  it('are exactly 0 where all rewards are equal, and for a completion without one', () => {
    expect(estimate([0.7, 0.7, 0.7])).toEqual([0, 0, 0]);
    expect(estimate([1, null, 0])[1]).toBe(0);
  });
});

describe.each(METHODS.creditSteps)('the mask $id', ({ id }) => {
  it('touches neither rewards nor advantages, and no completion more than once', () => {
    const { creditSteps } = createMethods(stageOf(`credit_steps: [${REQUIRED[id] ?? id}]`));
    const group = { ...groupOf([2, 5], [1, 0]), advantages: Float32Array.of(1, -1) };
    const once = creditSteps[0].part.apply([group], context);
    expect(once[0].advantages).toEqual(group.advantages);
    expect(once[0].rollouts.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(creditSteps[0].part.apply(once, context)).toEqual(once);
  });
});
