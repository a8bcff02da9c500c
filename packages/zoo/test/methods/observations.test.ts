/** What an environment says is in no figure of any method: asked of each of the registry, with noise in its places. */
import { describe, expect, it } from 'vitest';
import { rngFor } from '../../../../src/kernels/philox.ts';
import type { LossSequence } from '../../../../src/methods/points.ts';
import type { CreditedGroup, Rollout } from '../../../../src/methods/records.ts';
import type { MethodPoint } from '../../../../src/methods/stage.ts';
import { lossTokens, sampledEntropies } from '../../../../src/methods/tokens.ts';
import { logSoftmaxRows } from '../../../../src/model/distributions.ts';
import { TOKEN } from '../../../../src/token_kinds.ts';
import { creditStep } from '../../../../test/support/credit.ts';
import { normals } from '../../../../test/support/data.ts';
import { createMethods, METHODS } from '../../../../test/support/everything.ts';
import { emptyGradients, episodeOf, groupOf, VOCABULARY } from '../../../../test/support/rollouts.ts';
import { stageOf } from '../../../../test/support/stages.ts';
import { stepContext } from '../../../../test/support/steps.ts';
import { describeMethod, EXAMPLE_REWARDS } from '../../catalogue/catalogue.ts';

const [END, FIRST_WORD, OBSERVED] = [1, 2, 9];

/** Words and the end of each turn; what is said between is always the same. */
function write({ tokens, turns = [] }: Rollout, seed: number): void {
  const rng = rngFor(`words|${seed}`);
  tokens.fill(OBSERVED);
  for (const { tokens: turn, label } of turns) {
    if (label !== 'policy') continue;
    turn.forEach((_, t) => {
      turn[t] = t + 1 === turn.length ? END : FIRST_WORD + rng.int(0, 1);
    });
  }
}

/** Numbers of the policy at its own tokens, and others, made of `noise`, where the environment speaks. */
function filled(rollout: Rollout, seed: number, noise: number): Rollout {
  write(rollout, seed);
  const numbers = (k: number): Float32Array => {
    const own = normals([rollout.tokens.length], 10 * seed + k);
    let next = 0;
    return Float32Array.from(rollout.tokens, (_, t) =>
      rollout.labels?.[t] === TOKEN.given ? (k + 1) * noise : -0.01 - Math.abs(own[next++]),
    );
  };
  const entropies = numbers(1).map((value, t) => (rollout.labels?.[t] === TOKEN.given ? value : -value));
  const figures = Object.keys(rollout.figures ?? {}).map((id, k) => [id, numbers(3 + k)] as const);
  return { ...rollout, logprobs: numbers(0), entropies, figures: Object.fromEntries(figures) };
}

/** Two groups of episodes. @param said  tokens between two turns @param noise  what is put there */
function groupsWith(said: number, noise: number): CreditedGroup[] {
  const of = (turns: readonly number[], reward: number): Rollout => episodeOf(turns, said, reward);
  const members = [
    [of([2, 3, 1], 1), of([1], 0), of([2, 2], 0), of([3, 1, 1], 1)],
    [of([1, 1, 1, 1], 0), of([4, 2], 1), of([2], 0.5), of([1, 2], 0)],
  ];
  return members.map((rollouts, g) => ({
    ...groupOf(rollouts.map((rollout, i) => filled(rollout, 4 * g + i, noise))),
    advantages: Float32Array.from(rollouts, ({ reward }) => 2 * (reward ?? 0) - 1),
  }));
}

function stageWith(point: MethodPoint, id: string) {
  const method = METHODS[point].find((known) => known.id === id);
  if (method === undefined) throw new Error(`no ${id}`);
  return stageOf(`${describeMethod(point, method).yaml[0]}\n${EXAMPLE_REWARDS}`);
}

/** What a credited group gives the policy's own tokens. */
function ofOwnTokens({ rollouts, advantages, tokenAdvantages, tokenWeights, tokenSelection }: CreditedGroup): unknown {
  const own = (values: readonly Float32Array[] | undefined) =>
    values?.map((byToken, i) => [...byToken].filter((_, t) => rollouts[i].labels?.[t] !== TOKEN.given));
  return [[...advantages], own(tokenAdvantages), own(tokenWeights), own(tokenSelection)];
}

/** Nothing is said between the turns; then something of one token or three, with anything in its place. */
const SAID = [
  [0, 0],
  [1, 0],
  [3, 1e6],
  [3, -1e6],
] as const;

describe.each(METHODS.advantageEstimator)('the advantages of $id', ({ id }) => {
  it('do not know what was said between the turns', () => {
    const estimate = ([said, noise]: (typeof SAID)[number]): unknown => {
      const stage = stageWith('advantageEstimator', id);
      const groups = groupsWith(said, noise);
      const estimated = createMethods(stage).advantageEstimator.part.estimate(groups, stepContext(stage));
      return groups.map((group, g) => ofOwnTokens({ ...group, ...estimated[g] }));
    };
    const [quiet, ...loud] = SAID.map(estimate);
    for (const other of loud) expect(other).toEqual(quiet);
  });
});

describe.each(METHODS.creditSteps)('the credit step $id', ({ id }) => {
  it('does not know what was said between the turns, nor do its metrics', () => {
    const apply = ([said, noise]: (typeof SAID)[number]): unknown => {
      const stage = stageWith('creditSteps', id);
      const logged: [string, number][] = [];
      const metric = (name: string, value: number) => void logged.push([name, value]);
      const step = createMethods(stage).creditSteps.find((made) => made.id === id);
      const credited = step?.part.apply(groupsWith(said, noise), { ...stepContext(stage), metric });
      return [credited?.map(ofOwnTokens), logged];
    };
    const [quiet, ...loud] = SAID.map(apply);
    for (const other of loud) expect(other).toEqual(quiet);
  });
});

/** The sequences of a loss over such episodes, some steps after they were sampled. */
function sequencesWith(said: number, noise: number): LossSequence[] {
  return groupsWith(said, noise).flatMap((group, g) =>
    group.rollouts.map((rollout, i): LossSequence => {
      const own = (seed: number): Float32Array => filled(rollout, 100 * seed + 4 * g + i, noise).logprobs;
      const isGiven = (t: number): boolean => rollout.labels?.[t] === TOKEN.given;
      const each = (value: (t: number) => number): Float32Array =>
        Float32Array.from(rollout.tokens, (_, t) => value(t));
      const [now, then, reference] = [own(1), own(2), own(3)];
      const rows = (of: Float32Array): Float32Array =>
        logSoftmaxRows(
          Float32Array.from(
            { length: of.length * VOCABULARY },
            (_, k) => of[Math.floor(k / VOCABULARY)] * (k % VOCABULARY),
          ),
          VOCABULARY,
          1,
        );
      return {
        group,
        rollout,
        logprobs: now,
        oldLogprobs: then,
        refLogprobs: reference,
        entropies: now.map((value) => -value),
        advantages: each((t) => (isGiven(t) ? 0 : group.advantages[i])),
        weights: each(() => 1),
        coefficients: each((t) => (isGiven(t) ? 0 : 1 / 8)),
        distributions: rows(now),
        refDistributions: rows(reference),
        teacher: { logprobs: reference, distributions: rows(reference) },
      };
    }),
  );
}

const TERMS = (['objective', 'lossTerms'] as const).flatMap((point) => METHODS[point].map(({ id }) => ({ point, id })));

describe.each(TERMS)('the loss $id', ({ point, id }) => {
  it('does not know what was said between the turns', () => {
    const add = ([said, noise]: (typeof SAID)[number]): unknown => {
      const stage = stageWith(point, id);
      const { ratio, objective, lossTerms } = createMethods(stage);
      const sizes = { completions: 8, lossTokens: 27, maxCompletionTokens: 9, microBatches: 1, microLossTokens: 27 };
      const context = { ...stepContext(stage), sizes, ratio: ratio.part, objective: objective.part };
      const term = lossTerms.find((made) => made.id === id)?.part;
      const sequences = sequencesWith(said, noise);
      const gradients = emptyGradients(sequences);
      term?.begin?.(groupsWith(said, noise), stepContext(stage));
      term?.observe?.(sequences, context);
      term?.add(sequences, gradients, context);
      return gradients.map(({ losses, dLogprobs, dEntropies, dLogits = new Float64Array() }, s) => {
        const isOwn = (t: number): boolean => sequences[s].coefficients[t] !== 0;
        const own = (values: Float64Array): number[] => [...values].filter((_, t) => isOwn(t));
        return [
          own(losses),
          own(dLogprobs),
          own(dEntropies),
          [...dLogits].filter((_, k) => isOwn(Math.floor(k / VOCABULARY))),
        ];
      });
    };
    const [quiet, ...loud] = SAID.map(add);
    for (const other of loud) expect(other).toEqual(quiet);
  });
});

describe('the tokens of an episode', () => {
  it('that carry a loss or have an entropy are those of its turns', () => {
    const episode = filled(episodeOf([2, 3], 4, 1), 1, 1e6);
    expect(lossTokens(episode)).toBe(5);
    expect(sampledEntropies(episode)).toEqual(
      Float32Array.from([...episode.entropies].filter((_, t) => t < 2 || t > 5)),
    );
  });

  it('are counted by length-mask without what was said', () => {
    const { apply } = creditStep('length-mask', { max_tokens: 5 });
    const [{ rollouts }] = apply([groupOf([episodeOf([2, 3], 9, 1), episodeOf([2, 4], 0, 1)])]);
    expect(rollouts.map(({ inLoss = true }) => inLoss)).toEqual([true, false]);
  });
});
