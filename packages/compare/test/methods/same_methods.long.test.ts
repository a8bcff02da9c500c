/**
 * Methods that are one method under two names say so (`Method.sameAs`). Found by asking all of them, over random groups,
 * sequences and sizes: what gives the same bits everywhere is declared to be the same, and what is declared is.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { POINT_KEYS } from '../../../../src/config/keys/method_keys.ts';
import { ConfigError } from '../../../../src/errors.ts';
import { rngFor } from '../../../../src/kernels/philox.ts';
import type { LossContext, LossSequence, PointParts } from '../../../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../../../src/methods/records.ts';
import { hasEqualRewards } from '../../../../src/methods/support/credit/baseline.ts';
import { objectiveTerm } from '../../../../src/methods/support/loss/surrogate_term.ts';
import type { Json } from '../../../../src/options/json.ts';
import type { Plugin } from '../../../../src/options/keys.ts';
import { createMethods, findMethod, METHODS } from '../../../../test/support/everything.ts';
import { emptyGradients, groupOf, randomSequences, rolloutOf } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';
import { describeMethod } from '../../../zoo/catalogue/catalogue.ts';
import { flowText } from '../../../zoo/options/flow_text.ts';
import { ZOO } from '../../../zoo/registries.ts';
import { plainestOf, sameWords, spelledMethods } from '../../same_methods.ts';

const SEEDS = Array.from({ length: 12 }, (_, seed) => seed);

/** Groups of all kinds of rewards: 0 and 1, few values, many, equal ones; the stage has three reward functions. */
function randomGroups(seed: number): CreditedGroup[] {
  const rng = rngFor(`groups|${seed}`);
  const kinds = [() => rng.int(0, 1), () => rng.int(0, 4) / 4, () => rng.float(), () => 1, () => 0];
  return kinds.map((value) => {
    const rollouts = Array.from({ length: rng.int(2, 6) }, (): Rollout => {
      const made = rolloutOf(rng.int(1, 5), rng.int(0, 9) === 0 ? null : value());
      const negative = (): Float32Array => Float32Array.from(made.tokens, () => -2 * rng.float());
      return {
        ...made,
        tokens: made.tokens.map(() => rng.int(0, 3)),
        logprobs: negative(),
        entropies: negative().map(Math.abs),
        figures: Object.fromEntries(Object.keys(made.figures ?? {}).map((id) => [id, negative()])),
        rewardParts: [made.reward, rng.float(), rng.float()],
        verdict: { ...made.verdict, score: rng.int(0, 1) },
        steps: [0, 1].map((from) => ({ from, to: from + 1, score: rng.float() })),
        text: String(rng.int(0, 2)),
      };
    });
    return { ...groupOf(rollouts), advantages: Float32Array.from(rollouts, () => 2 * rng.float() - 1) };
  });
}

/** Sequences whose ratios reach far beyond any clip; some of them the policy did not sample. */
function farSequences(seed: number): LossSequence[] {
  const rng = rngFor(`far|${seed}`);
  return randomSequences(seed, 8).map((sequence, i) => ({
    ...sequence,
    rollout: { ...sequence.rollout, ...(i % 3 === 0 && { isOffPolicy: true }) },
    oldLogprobs: sequence.logprobs.map((value) => Math.min(-0.01, value + 6 * rng.float() - 3)),
  }));
}

/** The points whose parts are functions of what they are given: what each answers to random input. */
const ASKED = {
  advantageEstimator(part: PointParts['advantageEstimator'], seed: number, context: LossContext) {
    const groups = randomGroups(seed).map((group) => ({ ...group, dead: (part.isDead ?? hasEqualRewards)(group) }));
    return [groups.map(({ dead }) => dead), part.estimate(groups, context)];
  },
  groupSteps: (part: PointParts['groupSteps'], seed: number, context: LossContext) =>
    part
      .apply(randomGroups(seed), context)
      .map(({ dead, rollouts }) => [dead, rollouts.map(({ reward, rewardParts }) => [reward, rewardParts])]),
  creditSteps: (part: PointParts['creditSteps'], seed: number, context: LossContext) =>
    part
      .apply(randomGroups(seed), context)
      .map(({ item: _, prompt: __, rollouts, ...credit }) => [credit, rollouts.map(({ labels }) => labels)]),
  ratio: (part: PointParts['ratio'], seed: number) =>
    farSequences(seed).map((sequence) => {
      const [logRatios, spread] = [0, 1].map(() => new Float64Array(sequence.logprobs.length));
      const slopes = Float64Array.from(sequence.coefficients, (c, t) => (c === 0 ? 0 : 1 + t));
      part.measure(sequence, logRatios);
      part.spread(sequence, slopes, spread);
      return [logRatios, spread];
    }),
  objective: (part: PointParts['objective'], seed: number, context: LossContext) =>
    ASKED.lossTerms(objectiveTerm(part, context.ratio), seed, { ...context, objective: part }),
  tokenWeights(part: PointParts['tokenWeights'], seed: number, context: LossContext) {
    const given = farSequences(seed);
    const ones = ({ logprobs: { length } }: LossSequence): Float64Array => new Float64Array(length).fill(1);
    const weights = given.map((sequence) => ({ weights: ones(sequence), importance: ones(sequence) }));
    part.observe?.(given, context);
    part.weigh(given, weights, context);
    return weights;
  },
  lossTerms(part: PointParts['lossTerms'], seed: number, context: LossContext): unknown {
    const given = farSequences(seed);
    const gradients = emptyGradients(given);
    part.begin?.([...new Set(given.map(({ group }) => group))], context);
    part.observe?.(given, context);
    part.add(given, gradients, context);
    return [gradients, part.actsWithoutAdvantage ?? false];
  },
  aggregation(part: PointParts['aggregation'], seed: number) {
    const rng = rngFor(`sizes|${seed}`);
    const count = (most: number): number => rng.int(1, most);
    const sizes = { completions: count(64), lossTokens: count(500), maxCompletionTokens: count(20) };
    const micro = { microBatches: count(4), microLossTokens: count(100) };
    return part(count(9), { ...sizes, ...micro }, { groups: count(8), groupTokens: count(60), tokenWeight: 4.5 });
  },
};
type AskedPoint = keyof typeof ASKED;
const POINTS = Object.keys(ASKED) as AskedPoint[];

/** Parts that change nothing. */
const IDLE: { readonly [P in AskedPoint]?: readonly PointParts[P][] } = {
  advantageEstimator: [
    {
      estimate: (groups) => groups.map(({ rollouts }) => ({ advantages: new Float32Array(rollouts.length) })),
      isDead: () => true,
    },
  ],
  groupSteps: [{ scope: 'group', apply: (groups) => groups }],
  creditSteps: [{ apply: (groups) => groups }],
  objective: [false, true].map((actsWithoutAdvantage) => ({
    coupling: 'token',
    ...(actsWithoutAdvantage && { actsWithoutAdvantage }),
    add: () => undefined,
  })),
  tokenWeights: [{ coupling: 'token', weigh: () => undefined }],
  lossTerms: [false, true].map((actsWithoutAdvantage) => ({
    coupling: 'token',
    add: () => undefined,
    ...(actsWithoutAdvantage && { actsWithoutAdvantage }),
  })),
};

/** What the part of a stage answers, batch after batch: it may remember them. Without a part: that of the stage. */
function answersOf<P extends AskedPoint>(point: P, lines: readonly string[], part?: PointParts[P]): string {
  const stage = stageOf(
    ...lines,
    'reward_funcs: [accuracy, {name: positions, weight: 0.5}, {name: lcs, weight: 0.25}]',
  );
  const { ratio, objective, lossTerms, ...made } = createMethods(stage);
  const parts = { ...made, ratio: [ratio], objective: [objective], lossTerms: lossTerms.slice(1) };
  const [own] = [parts[point]].flat();
  const sizes = { completions: 8, lossTokens: 24, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 24 };
  const loss = { sizes, ratio: ratio.part, objective: objective.part };
  const ask = ASKED[point] as (asked: unknown, seed: number, context: LossContext) => unknown; // of this point
  const answers = SEEDS.map((step) => ask(part ?? own?.part, step, { ...stepContext(stage, step), ...loss }));
  return JSON.stringify(answers, (_, value) => (ArrayBuffer.isView(value) ? Array.from(value as Float32Array) : value));
}

function lineOf(point: AskedPoint, { name, ...options }: Plugin): string {
  const { yaml, takes } = POINT_KEYS[point];
  const written = { name, ...options };
  return `${yaml}: ${flowText(takes === 'one' ? written : [written])}`;
}

/** A method with what it cannot do without; then with each choice, or 0 or 1, for one of its options; of an estimator for two. */
function spellingsOf(point: AskedPoint, id: string): Plugin[] {
  const method = findMethod(point, { name: id });
  if (method === undefined) throw new Error(`no ${id}`);
  const { options } = describeMethod(point, method);
  const needed = Object.fromEntries(
    options
      .filter(({ name, isNeeded }) => isNeeded || name === method.switchedOnBy?.key.yaml)
      .map(({ name, example, default: fallback }) => [name, (example ?? fallback) as Json]),
  );
  const single = options.flatMap((option): Record<string, Json>[] => {
    const values = option.type === 'choice' ? option.choices : option.type === 'number' ? [0, 1] : [];
    return values.map((value) => ({ [option.name]: value }));
  });
  const pairs = point === 'advantageEstimator' ? single.flatMap((a) => single.map((b) => ({ ...a, ...b }))) : [];
  return [{}, ...single, ...pairs].map((changes) => ({ name: id, ...needed, ...changes }));
}

/** By what they answer, the spellings that the config accepts; those without any effect here are left out. */
function classesOf(point: AskedPoint): Plugin[][] {
  const without = (IDLE[point] ?? []).map((part) => answersOf(point, [], part));
  const classes = new Map<string, Plugin[]>();
  for (const plugin of METHODS[point].flatMap(({ id }) => spellingsOf(point, id))) {
    try {
      const answers = answersOf(point, [lineOf(point, plugin)]);
      if (!without.includes(answers)) classes.set(answers, [...(classes.get(answers) ?? []), plugin]);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error; // a value that its rule refuses
    }
  }
  return [...classes.values()];
}

const plainest = (point: AskedPoint, plugin: Plugin): string => flowText({ ...plainestOf(point, plugin, ZOO.methods) });

describe.each(POINTS)('%s', (point) => {
  it('what gives the same as a method by its defaults is declared to be the same', () => {
    const undeclared = classesOf(point).flatMap((spellings) => {
      const ids = new Set(spellings.map(({ name }) => name));
      const names = new Set(spellings.map((one) => plainest(point, one)));
      const hasDefault = spellings.some((one) => isDeepStrictEqual(one, spellingsOf(point, one.name)[0]));
      return ids.size > 1 && names.size > 1 && hasDefault ? [[...names].join(' and ')] : [];
    });
    expect(undeclared).toEqual([]);
  });
});

const declared = POINTS.flatMap((point) =>
  METHODS[point].flatMap(({ id, sameAs }) => (sameAs === undefined ? [] : [{ point, id, sameAs }])),
);

it('there are methods under two names', () => {
  const always = declared.filter(({ sameAs }) => sameAs.given === undefined).map(({ id }) => id);
  expect(always).toEqual(expect.arrayContaining(['rloo', 'maxrl', 'psr', 'nsr']));
});

it.each(declared)('$id is $sameAs.id', ({ point, id, sameAs: { given = {}, id: other, options } }) => {
  const answers = answersOf(point, [lineOf(point, { name: id, ...given })]);
  expect(answers).toBe(answersOf(point, [lineOf(point, { name: other, ...options })]));
});

describe('two stages', () => {
  const spelled = (line: string) => spelledMethods(stageOf(line).methods, ZOO.methods);
  const [rloo, loo] = ['rloo', '{name: group, baseline: loo, scale_rewards: none}'].map((written) =>
    spelled(`advantage_estimator: ${written}`),
  );

  it('are told where they name the same method differently', () => {
    expect(sameWords(rloo, loo)).toEqual([
      'Their advantage_estimator is the same, to the bit: rloo is another name of group with scale_rewards: none, baseline: loo.',
    ]);
    const [all, kept] = ['{name: w-reinforce, solved_weight: 0}', 'nsr'].map((written) =>
      spelled(`advantage_estimator: ${written}`),
    );
    expect(sameWords(kept, all)[0]).toContain('nsr is another name of w-reinforce with solved_weight: 0.');
  });

  it('are told nothing where they name it alike, or where it is another method', () => {
    expect(sameWords(rloo, rloo)).toEqual([]);
    expect(sameWords(rloo, spelled('scale_rewards: none'))).toEqual([]);
    const solved = ['{name: nsr, solved_reward: 0.5}', 'nsr'].map((written) =>
      spelled(`advantage_estimator: ${written}`),
    );
    expect(sameWords(solved[0], solved[1])).toEqual([]);
  });
});
