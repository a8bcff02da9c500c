/**
 * What every method of the registry keeps, asked of each from its declaration alone: derivatives are those of its losses,
 * masked tokens get exactly nothing, neither the cut into micro-batches nor the order within a group changes a result,
 * and options, schedules among them, survive the config.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolvedYaml } from '../../../../src/config/dump.ts';
import { POINT_KEYS } from '../../../../src/config/keys/method_keys.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import type { Named } from '../../../../src/methods/create.ts';
import { methodStates, restoreMethods } from '../../../../src/methods/part_states.ts';
import type {
  LossContext,
  LossGradient,
  LossSequence,
  LossTerm,
  PointParts,
  SurrogatePoint,
  SurrogateValue,
} from '../../../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../../../src/methods/records.ts';
import { METHOD_POINTS, type MethodPoint } from '../../../../src/methods/stage.ts';
import { hasAdvantage } from '../../../../src/methods/support/credit/map_advantages.ts';
import { withoutLoss } from '../../../../src/methods/support/credit/without_loss.ts';
import { logSoftmaxRows } from '../../../../src/model/distributions.ts';
import { takeOptions } from '../../../../src/options/read.ts';
import { budget } from '../../../../test/support/budget.ts';
import { createMethods, METHODS, parseConfig } from '../../../../test/support/everything.ts';
import {
  emptyGradients,
  episodeOf,
  groupOf,
  groupOfRewards,
  randomSequences,
  VOCABULARY,
} from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';
import { describeMethod, EXAMPLE_REWARDS } from '../../catalogue/catalogue.ts';

/** A line that asks for the method by its point, with what it cannot do without. */
function lineFor(point: MethodPoint, id: string): string {
  const method = METHODS[point].find((known) => known.id === id);
  if (method === undefined) throw new Error(`no ${id}`);
  return `${describeMethod(point, method).yaml[0]}\n${EXAMPLE_REWARDS}`;
}

/** The part of a method by itself, with the options that its line gives. */
function partOf<Point extends MethodPoint>(point: Point, id: string): PointParts[Point] {
  const stage = stageOf(lineFor(point, id));
  const method = METHODS[point].find((known) => known.id === id);
  const plugin = stage.methods[point].find(({ name }) => name === id);
  if (method === undefined || plugin === undefined) throw new Error(`no ${id}`);
  const { name: _, ...given } = plugin;
  return method.create(takeOptions(method.options, given, { path: point, subject: id }), stage);
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
    expect(again(line)).toEqual(stage);
  });

  it('keeps its state through JSON', () => {
    const made = createMethods(stageOf(line));
    const states = methodStates(made);
    const other = createMethods(stageOf(line));
    restoreMethods(other, JSON.parse(JSON.stringify(states)));
    expect(methodStates(other)).toEqual(states);
  });

  const numbers = describeMethod(point, method).options.filter(({ type }) => type === 'number');
  it.each(numbers.map((option) => [option.name, option] as const))('takes a schedule of %s', (name, option) => {
    const value = option.example ?? option.default;
    const schedule = `{from: ${value}, to: ${value}, over: 0.5}`;
    const others = describeMethod(point, method)
      .options.filter(
        (other) => other.name !== name && (other.isNeeded || other.name === method.switchedOnBy?.key.yaml),
      )
      .map((other) => `${other.name}: ${JSON.stringify(other.example)}`);
    const written = `{${[`name: ${method.id}`, `${name}: ${schedule}`, ...others].join(', ')}}`;
    const { yaml, takes } = POINT_KEYS[point];
    const line = `${yaml}: ${takes === 'one' ? written : `[${written}]`}`;
    const scheduled = `${line}\n${EXAMPLE_REWARDS}`;
    const stage = stageOf(scheduled);
    expect(again(scheduled)).toEqual(stage);
    const made = createMethods(stage);
    for (const step of [0, 4, 9]) made.moveTo(step);
  });
});

/** The stage of a config with this line, read from what was written out of it. */
function again(line: string): unknown {
  const text = ['task: sort_digits', 'max_steps: 10', line].join('\n');
  return parseConfig(resolvedYaml(parseConfig(text, { file: 'a' }).config), { file: 'b' }).config.stages[0];
}

const sizes = { completions: 8, lossTokens: 24, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 24 };

function contextFor(line: string): LossContext {
  const stage = stageOf(line);
  const { ratio, objective } = createMethods(stage);
  return { ...stepContext(stage), sizes, ratio: ratio.part, objective: objective.part };
}

/** A term of the loss, and the ratio that goes with it. */
interface TermUnderTest extends Named<LossTerm> {
  readonly ratio: string;
  readonly context: LossContext;
}

/** Every term, the objectives among them, with every ratio. */
const terms = METHODS.ratio.flatMap(({ id: ratio }) =>
  (['objective', 'lossTerms'] as const).flatMap((point) =>
    METHODS[point].map(({ id }): TermUnderTest => {
      const lines = `${lineFor(point, id)}\nimportance_sampling_level: ${ratio}`;
      const found = createMethods(stageOf(...lines.split('\n'))).lossTerms.find((term) => term.id === id);
      if (found === undefined) throw new Error(`no ${id}`);
      return { id, part: found.part, ratio, context: contextFor(lines) };
    }),
  ),
);

function gradientsOf({ part, context }: TermUnderTest, given: readonly LossSequence[]): LossGradient[] {
  const gradients = emptyGradients(given);
  part.add(given, gradients, context);
  return gradients;
}

const lossOf = (gradients: readonly LossGradient[]): number =>
  gradients.reduce((sum, { losses }) => losses.reduce((inner, x) => inner + x, sum), 0);

/** Log-probs are float32: a step that they hold. */
const STEP = 2 ** -12;

describe.each(terms)('the loss of $id by the ratio $ratio', (term) => {
  const { part, context } = term;

  it('has the derivatives that it gives, by finite differences', () => {
    const given = randomSequences(1, 12);
    part.observe?.(given, context);
    const gradients = gradientsOf(term, given);
    const lossWith = (which: 'logprobs' | 'entropies', s: number, t: number, by: number): number => {
      const moved = given.map((sequence, i) =>
        i === s ? { ...sequence, [which]: sequence[which].map((x, j) => (j === t ? x + by : x)) } : sequence,
      );
      return lossOf(gradientsOf(term, moved));
    };
    const stops = part.stopsGradient || (part.coupling !== 'token' && METHODS_STOPPING.has(term.ratio));
    given.forEach(({ logprobs }, s) => {
      logprobs.forEach((_, t) => {
        for (const [which, derivative] of [
          ['logprobs', gradients[s].dLogprobs[t]],
          ['entropies', gradients[s].dEntropies[t]],
        ] as const) {
          if (stops && which === 'logprobs') continue;
          const slope = (lossWith(which, s, t, STEP) - lossWith(which, s, t, -STEP)) / (2 * STEP);
          expect(Math.abs(slope - derivative)).toBeLessThanOrEqual(1e-3 * Math.max(0.1, Math.abs(derivative)));
        }
      });
    });
  });

  it('has the derivatives by whole distributions that it gives, by finite differences', () => {
    const given = randomSequences(3, 8);
    part.observe?.(given, context);
    const gradients = gradientsOf(term, given);
    const all = gradients.flatMap(({ dLogits = [] }) => [...dLogits]);
    const largest = Math.max(...all.map(Math.abs));
    if (largest === 0 || part.stopsGradient) return;
    const step = 2 ** -6;
    const lossWith = (s: number, at: number, by: number): number => {
      const moved = given.map((sequence, i) => {
        const { distributions = new Float32Array() } = sequence;
        const logits = distributions.map((x, j) => (j === at ? x + by : x));
        return i === s ? { ...sequence, distributions: logSoftmaxRows(logits, VOCABULARY, 1) } : sequence;
      });
      return lossOf(gradientsOf(term, moved));
    };
    gradients.forEach(({ dLogits = [] }, s) => {
      dLogits.forEach((derivative, at) => {
        const slope = (lossWith(s, at, step) - lossWith(s, at, -step)) / (2 * step);
        expect(Math.abs(slope - derivative)).toBeLessThanOrEqual(2e-3 * largest);
      });
    });
  });

  it('gives masked tokens exactly nothing, whatever they hold', () => {
    const given = randomSequences(2, 12).map((sequence) => ({
      ...sequence,
      logprobs: sequence.logprobs.map((x, t) => (sequence.coefficients[t] === 0 ? Number.NEGATIVE_INFINITY : x)),
    }));
    part.observe?.(given, context);
    gradientsOf(term, given).forEach((gradient, s) => {
      given[s].coefficients.forEach((coefficient, t) => {
        if (coefficient !== 0) return;
        expect([gradient.losses[t], gradient.dLogprobs[t], gradient.dEntropies[t]]).toEqual([0, 0, 0]);
        const { dLogits = [] } = gradient;
        expect(dLogits.slice(t * VOCABULARY, (t + 1) * VOCABULARY).every((value) => value === 0)).toBe(true);
      });
      expect([...gradient.losses, ...gradient.dLogprobs].every(Number.isFinite)).toBe(true);
    });
  });

  it('does not depend on the cut into micro-batches', () => {
    const members = 4;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 2 }), (seed, groups) => {
        const given = randomSequences(seed, 2 * members, members);
        part.observe?.(given, context);
        const cut = groups * members;
        const parts = [...gradientsOf(term, given.slice(0, cut)), ...gradientsOf(term, given.slice(cut))];
        expect(parts).toEqual(gradientsOf(term, given));
      }),
      { numRuns: 10 },
    );
  });
});

const METHODS_STOPPING: ReadonlySet<string> = new Set(
  METHODS.ratio.filter(({ id }) => partOf('ratio', id).stopsGradient).map(({ id }) => id),
);

describe.each(METHODS.ratio)('the ratio $id', ({ id }) => {
  const ratio = partOf('ratio', id);
  const [sequence] = randomSequences(4, 8).filter(({ coefficients }) => coefficients.length > 2);

  it('spreads derivatives as its value has them, unless it stops them', () => {
    const { length } = sequence.coefficients;
    const slopes = Float64Array.from(sequence.coefficients, (c, t) => (c === 0 ? 0 : 1 + t));
    const spread = new Float64Array(length);
    ratio.spread(sequence, slopes, spread);
    if (ratio.stopsGradient) return;
    const valueAt = (t: number, by: number): number => {
      const out = new Float64Array(length);
      ratio.measure({ ...sequence, logprobs: sequence.logprobs.map((x, i) => (i === t ? x + by : x)) }, out);
      return out.reduce((sum, x, i) => sum + x * slopes[i], 0);
    };
    for (let t = 0; t < length; t++) {
      expect((valueAt(t, STEP) - valueAt(t, -STEP)) / (2 * STEP)).toBeCloseTo(spread[t], 3);
    }
  });

  it('is 1 where the policy is the one that sampled', () => {
    const out = new Float64Array(sequence.coefficients.length).fill(5);
    ratio.measure({ ...sequence, oldLogprobs: sequence.logprobs }, out);
    expect(out.every((value) => value === 0)).toBe(true);
  });
});

/** The objectives that are made of tokens; the others are terms, which are asked above. */
const surrogates = METHODS.objective.flatMap(({ id }) => {
  const surrogate = partOf('objective', id);
  return 'at' in surrogate ? [{ id, surrogate }] : [];
});

describe.each(surrogates)('the surrogate $id', ({ surrogate }) => {
  const at = (point: SurrogatePoint): SurrogateValue => {
    const out = { loss: 0, slope: 0, logprobSlope: 0 };
    surrogate.at(point, out);
    return out;
  };
  const points = Array.from({ length: 200 }, (_, i): SurrogatePoint => {
    const rng = rngFor(`surrogate|${i}`);
    const [logRatio, oldLogprob] = [2 * rng.float() - 1, -3 * rng.float() - 0.01];
    return { logRatio, logprob: oldLogprob + logRatio, oldLogprob, advantage: 4 * rng.float() - 2 };
  });
  const onPolicy = (point: SurrogatePoint): SurrogatePoint => ({ ...point, logRatio: 0, logprob: point.oldLogprob });

  it('has the derivatives that it gives: by the log-ratio, unless that is a constant, and by the log-prob', () => {
    const step = 1e-6;
    for (const point of points) {
      const value = at(point);
      for (const [which, given] of [
        ['logRatio', value.slope],
        ['logprob', value.logprobSlope],
      ] as const) {
        if (which === 'logRatio' && surrogate.stopsGradient) {
          expect(given).toBe(0);
          continue;
        }
        const lossAt = (by: number): number => at({ ...point, [which]: point[which] + by }).loss;
        expect((lossAt(step) - lossAt(-step)) / (2 * step)).toBeCloseTo(given, 4);
      }
    }
  });

  it('moves a token by its advantage where the ratio is 1, as every other', () => {
    for (const point of points) {
      const { slope, logprobSlope } = at(onPolicy(point));
      expect(slope + logprobSlope).toBeCloseTo(-point.advantage, 12);
    }
  });

  it('does nothing where the advantage is 0, unless it says that it acts without one', () => {
    if (surrogate.actsWithoutAdvantage) return;
    for (const point of points) {
      const { slope, logprobSlope } = at({ ...point, advantage: 0 });
      expect([Math.abs(slope), Math.abs(logprobSlope)]).toEqual([0, 0]);
    }
  });
});

describe.each(METHODS.tokenWeights)('the token weights $id', ({ id }) => {
  const part = partOf('tokenWeights', id);
  const context = contextFor(lineFor('tokenWeights', id));
  const weightsOf = (given: readonly LossSequence[]) => {
    const weights = given.map(({ logprobs: { length } }) => ({
      weights: new Float64Array(length).fill(1),
      importance: new Float64Array(length).fill(1),
    }));
    part.weigh(given, weights, context);
    return weights;
  };

  it('are finite, and never negative', () => {
    for (const { weights, importance } of weightsOf(randomSequences(5, 40))) {
      expect([...weights, ...importance].every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
    }
  });

  it('do not depend on the cut into micro-batches', () => {
    const given = randomSequences(6, 8);
    part.observe?.(given, context);
    expect([...weightsOf(given.slice(0, 4)), ...weightsOf(given.slice(4))]).toEqual(weightsOf(given));
  });

  it('are 1 where the policy is the one that sampled, and sampled from the whole of it', () => {
    if (part.offPolicyOnly === undefined) return;
    const given = randomSequences(7, 40).map((sequence) => ({ ...sequence, oldLogprobs: sequence.logprobs }));
    for (const { weights } of weightsOf(given)) expect(weights.every((value) => value === 1)).toBe(true);
  });
});

describe.each(METHODS.advantageEstimator)('the advantages of $id', ({ id }) => {
  const context = stepContext(stageOf(lineFor('advantageEstimator', id)));
  const estimate = (rewards: readonly (number | null)[]): number[] => {
    const part = partOf('advantageEstimator', id); // anew: it may remember batches
    const group = groupOfRewards(
      rewards.map(() => 2),
      rewards,
    );
    return [...part.estimate([group], context)[0].advantages];
  };
  const rewards = fc.array(fc.option(fc.integer({ min: -4, max: 4 }), { freq: 5 }), { minLength: 2, maxLength: 8 });

  it('go with their completions when the order within a group changes', () => {
    fc.assert(
      fc.property(rewards, fc.integer({ min: 0, max: 7 }), (given, by) => {
        const rotate = <T>(values: readonly T[]): T[] => values.map((_, i) => values[(i + by) % values.length]);
        const [plain, rotated] = [estimate(given), estimate(rotate(given))];
        rotate(plain).forEach((value, i) => expect(rotated[i]).toBeCloseTo(value, 5));
      }),
      { numRuns: budget({ quick: 10, all: 10, release: 100 }) },
    );
  });

  it('do not depend on how often the same episode comes in a group: whatever is dead of two is dead of seven', () => {
    const ofEqual = (count: number, paid: number): unknown => {
      const part = partOf('advantageEstimator', id);
      const one = episodeOf([2, 2], 1, paid);
      const turns = one.turns?.map((turn) => (turn.label === 'policy' ? { ...turn, reward: paid / 3 } : turn));
      const steps = [{ from: 0, to: one.tokens.length, score: paid }];
      const group = groupOf(Array<Rollout>(count).fill({ ...one, turns, steps, rewardParts: [paid, paid, paid] }));
      const [credit] = part.estimate([group], context);
      const tokens = credit.tokenAdvantages?.flatMap((own) => [...own]) ?? [];
      return [part.isDead?.(group) ?? true, [...credit.advantages, ...tokens].every((value) => value === 0)];
    };
    for (const paid of [0.1, 0.7, 1 / 3, -0.3]) {
      for (const count of [3, 6, 7]) expect(ofEqual(count, paid)).toEqual(ofEqual(2, paid));
    }
  });

  it('are exactly 0 in a group that it calls dead, and for a completion without a reward', () => {
    const dead = groupOfRewards([2, 2, 2], [0.7, 0.7, 0.7]);
    if (partOf('advantageEstimator', id).isDead?.(dead) ?? true) expect(estimate([0.7, 0.7, 0.7])).toEqual([0, 0, 0]);
    expect(estimate([1, null, 0])[1]).toBe(0);
  });
});

describe.each(METHODS.creditSteps)('the credit step $id', ({ id }) => {
  const part = partOf('creditSteps', id);
  const context = stepContext(stageOf(lineFor('creditSteps', id)));
  const groups = () => [
    { ...groupOfRewards([2, 5, 3], [1, 0, 1]), advantages: Float32Array.of(1, -1, 0.5) },
    { ...groupOf(groupOfRewards([4, 1], [0, 1]).rollouts), advantages: Float32Array.of(-0.5, 0.5) },
  ];
  /** By token, with a reward that is null, a group that is dead, and one without any reward. */
  const odd = (): CreditedGroup[] => [
    {
      ...groupOfRewards([2, 3, 1], [1, 0, null]),
      advantages: Float32Array.of(1, -1, 0),
      tokenAdvantages: [Float32Array.of(1, 2), Float32Array.of(-1, 0, 1), Float32Array.of(0)],
    },
    { ...groupOfRewards([2, 1], [1, 1]), dead: true },
    { ...groupOfRewards([1], [null]), dead: true },
  ];

  it.each([
    ['scalars', groups],
    ['tokens', odd],
    ['no groups', () => []],
    ['masked completions', () => withoutLoss(groups(), () => true)],
    ['equal advantages', () => groups().map((group) => ({ ...group, advantages: group.advantages.fill(0) }))],
  ] as const)('leaves rewards, tokens and what it was given as they are, of %s', (_, given) => {
    const before = given();
    const made = part.apply(before, context);
    expect(before).toEqual(given());
    expect(made).toHaveLength(before.length);
    made.forEach(({ rollouts, advantages, tokenAdvantages, tokenWeights, tokenSelection }, g) => {
      expect(rollouts.map(({ reward }) => reward)).toEqual(before[g].rollouts.map(({ reward }) => reward));
      expect(advantages).toHaveLength(rollouts.length);
      expect(advantages.every(Number.isFinite)).toBe(true);
      for (const perToken of [tokenAdvantages, tokenWeights, tokenSelection]) {
        if (perToken === undefined) continue;
        expect(perToken.map(({ length }) => length)).toEqual(rollouts.map(({ tokens }) => tokens.length));
        expect(perToken.every((own) => own.every(Number.isFinite))).toBe(true);
      }
    });
  });

  it('gives a dead group no advantage, nor a completion whose reward is null', () => {
    const [first, ...dead] = part.apply(odd(), context);
    for (const group of dead) expect(hasAdvantage(group)).toBe(false);
    expect(Math.abs(first.advantages[2])).toBe(0);
    expect(Math.abs(first.tokenAdvantages?.[2][0] ?? 0)).toBe(0);
  });
});
