/** What the wasm engine promises bit for bit: one answer, whatever the batch, the threads and the micro-batches. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { PackedBatch, TokenGroup } from '../../src/model/batch.ts';
import { groupLossRows, groupRows, packBatch, splitGroups } from '../../src/model/batch.ts';
import type { Capacity } from '../../src/model/memory/capacity.ts';
import type { OptimizerSettings } from '../../src/model/optimizer.ts';
import type { ObjectiveRows, Policy } from '../../src/model/policy.ts';
import type { ObjectiveSettings } from '../../src/model/programs.ts';
import type {
  Completion,
  GenerationRequest,
  GenerationSettings,
  SamplingSettings,
} from '../../src/model/sampling/generation.ts';
import { generate } from '../../src/model/sampling/generation.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { fewOf } from '../support/budget.ts';
import { expectSameBits } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { fixtureIndex, worstRelative } from '../support/golden_model.ts';
import {
  bitsOf,
  concatenated,
  generationSettings,
  inCompletionOrder,
  NO_FILTERS,
  openPolicy,
  REFERENCE,
  randomGroups,
  sha256Of,
  takeGradients,
} from '../support/policies.ts';

type WasmOptions = NonNullable<Parameters<typeof wasmBackend>[0]>;

const variants: [string, Partial<ModelShape>][] = [
  ['untied', {}],
  ['tied', { tieWordEmbeddings: true }],
];

const VARIANT_WITH_EVERYTHING: Partial<ModelShape> = { tieWordEmbeddings: true, attentionBias: true, qkNorm: true };

/** Room for all completions of a group in one scoring batch. */
const WIDE: Partial<Capacity> = { rows: 3200, lossRows: 3200, kvRows: 6400 };

/** `groups` prompts of different lengths, each with `samples` rollouts of their own numbers. */
function requests(groups: number, samples: number, first = 0): GenerationRequest[] {
  return randomGroups(new Array(groups).fill(1), { seed: 7 }).map(({ prompt }, group) => ({
    prompt,
    rolloutNumbers: Array.from({ length: samples }, (_, i) => first + group * samples + i),
  }));
}

function groupsOf(asked: readonly GenerationRequest[], completions: readonly (readonly Completion[])[]): TokenGroup[] {
  return asked.map(({ prompt }, i) => ({ prompt, completions: completions[i].map(({ tokens }) => tokens) }));
}

/** Whole groups in batches that fit the policy. */
function batchesOf(policy: Policy, groups: readonly TokenGroup[]): PackedBatch[] {
  return splitGroups(groups, policy.capacity).map(packBatch);
}

interface CompletionScores {
  readonly logprobs: Float32Array;
  readonly entropies: Float32Array;
}

/** Scores of every token, group by group and completion by completion. */
async function scoreAll(policy: Policy, groups: readonly TokenGroup[], temperature: number): Promise<CompletionScores> {
  const logprobs: Float32Array[] = [];
  const entropies: Float32Array[] = [];
  for (const batch of batchesOf(policy, groups)) {
    const scores = await policy.score(batch, temperature);
    logprobs.push(inCompletionOrder(batch, scores.logprobs));
    entropies.push(inCompletionOrder(batch, scores.entropies));
  }
  return { logprobs: concatenated(logprobs), entropies: concatenated(entropies) };
}

/** Everything that was sampled, in one array of integers. */
function everyBit(completions: readonly (readonly Completion[])[]): Int32Array {
  const parts = completions
    .flat()
    .flatMap(({ tokens, logprobs, entropies, keptLogMass, finishReason }) => [
      [tokens.length, ['eos', 'length', 'stop'].indexOf(finishReason)],
      tokens,
      ...[logprobs, entropies, keptLogMass].map(bitsOf),
    ]);
  return Int32Array.from(parts.flatMap((part) => [...part]));
}

describe.each([
  ['with fma, 2 threads', { threads: 2 }],
  ['without fma, inline', { inline: true, fma: false }],
] as [string, WasmOptions][])("the sampler's log-probs and entropies on wasm %s", (_, options) => {
  const samplings: [string, SamplingSettings][] = [
    ['at T = 1', NO_FILTERS],
    ['at T = 0.7', { ...NO_FILTERS, temperature: 0.7 }],
    ['at T = 1 with top-k, top-p and min-p', { temperature: 1, topK: 12, topP: 0.9, minP: 0.02 }],
    ['at T = 0.7 with top-p', { temperature: 0.7, topK: 0, topP: 0.8, minP: null }],
    ['of greedy decoding, which reports T = 1', { ...NO_FILTERS, temperature: 0 }],
  ];

  it.each(fewOf(samplings, { quick: 2, all: 3 }))("are the scorer's bit for bit %s", async (_, sampling) => {
    const policy = await openPolicy(await wasmBackend(options), {}, WIDE);
    const asked = requests(10, 30);
    const completions = await generate(policy, asked, generationSettings({ sampling }));
    const scored = await scoreAll(policy, groupsOf(asked, completions), sampling.temperature || 1);
    const all = completions.flat();
    const logprobs = concatenated(all.map((completion) => completion.logprobs));
    const lengths = new Set(all.map(({ tokens }) => tokens.length));
    expect(logprobs.length).toBeGreaterThan(2500);
    expect(lengths.size).toBeGreaterThan(2);
    expectSameBits(logprobs, scored.logprobs);
    expectSameBits(concatenated(all.map(({ entropies }) => entropies)), scored.entropies);
    await policy.close();
  });

  it("are the scorer's bit for bit in a model with q/k norm, biases and a tied head", async () => {
    const policy = await openPolicy(await wasmBackend(options), VARIANT_WITH_EVERYTHING, WIDE);
    const asked = requests(6, 10);
    const completions = await generate(policy, asked, generationSettings());
    const scored = await scoreAll(policy, groupsOf(asked, completions), 1);
    const sampled = concatenated(completions.flat().map(({ logprobs }) => logprobs));
    expectSameBits(sampled, scored.logprobs);
    await policy.close();
  });
});

it("the sampler's scores equal the scorer's over more than 10,000 tokens at T = 1 and at T = 0.7", async () => {
  const policy = await openPolicy(await wasmBackend({ threads: 2 }), {}, WIDE);
  for (const temperature of [1, 0.7]) {
    const asked = requests(16, 32, 5000);
    const settings = generationSettings({ sampling: { ...NO_FILTERS, temperature }, maxCompletionTokens: 48 });
    const completions = await generate(policy, asked, settings);
    const scored = await scoreAll(policy, groupsOf(asked, completions), temperature);
    const sampled = concatenated(completions.flat().map(({ logprobs }) => logprobs));
    const entropies = concatenated(completions.flat().map((completion) => completion.entropies));
    expect(sampled.length).toBeGreaterThan(10_000);
    expectSameBits(sampled, scored.logprobs);
    expectSameBits(entropies, scored.entropies);
  }
  await policy.close();
});

describe('the tokens of a rollout, with all that is recorded of them,', () => {
  const asked = requests(5, 6);
  const settings = generationSettings({ sampling: { temperature: 0.9, topK: 20, topP: 0.95, minP: 0.01 } });

  async function sampleWith(
    options: WasmOptions,
    capacity: Partial<Capacity> = {},
    from = asked,
    now: GenerationSettings = settings,
  ): Promise<Completion[][]> {
    const policy = await openPolicy(await wasmBackend(options), {}, capacity);
    const completions = await generate(policy, from, now);
    await policy.close();
    return completions;
  }

  it.each([
    ['with fma', true],
    ['without fma', false],
  ])('do not depend on 1, 2 or 3 threads or none, %s', async (_, fma) => {
    const [first, ...others] = [
      await sampleWith({ threads: 1, fma }),
      await sampleWith({ threads: 2, fma }),
      await sampleWith({ threads: 3, fma }),
      await sampleWith({ inline: true, fma }),
    ].map(everyBit);
    for (const other of others) expectSameBits(other, first);
  });

  it('are the same all at once and one by one', async () => {
    const single = asked.flatMap(({ prompt, rolloutNumbers }) =>
      rolloutNumbers.map((number) => ({ prompt, rolloutNumbers: [number] })),
    );
    const together = await sampleWith({ inline: true });
    const policy = await openPolicy(await wasmBackend({ inline: true }));
    const alone: Completion[][] = [];
    for (const request of single) alone.push(...(await generate(policy, [request], settings)));
    await policy.close();
    expectSameBits(everyBit(alone), everyBit(together));
  });

  it('are the same in any order of the requests', async () => {
    const together = await sampleWith({ inline: true });
    const reversed = await sampleWith({ inline: true }, {}, [...asked].reverse());
    expectSameBits(everyBit(reversed.reverse()), everyBit(together));
  });

  it('are the same where the cache holds two completions, the rows one prompt, or the batch three samples', async () => {
    const together = everyBit(await sampleWith({ inline: true }));
    for (const capacity of [{ kvRows: 96, rows: 90 }, { rows: 9 }, { completions: 3 }]) {
      expectSameBits(everyBit(await sampleWith({ inline: true }, capacity)), together);
    }
  });

  it('are the same from a policy that can train and from one that only samples', async () => {
    const training = everyBit(await sampleWith({ inline: true }));
    const sampling = everyBit(await sampleWith({ inline: true }, { training: false }));
    expectSameBits(sampling, training);
  });

  it('are the same twice, and others with another key', async () => {
    const first = everyBit(await sampleWith({ threads: 2 }));
    expectSameBits(everyBit(await sampleWith({ threads: 2 })), first);
    const other = await sampleWith({ threads: 2 }, {}, asked, { ...settings, samplingKey: [12, 3] });
    expect(everyBit(other)).not.toEqual(first);
  });
});

const OBJECTIVE_SETTINGS: ObjectiveSettings = {
  clipEpsilonLow: 0.2,
  clipEpsilonHigh: 0.28,
  clipDelta: 2,
  klCoef: 0.05,
};

function optimizerAt(step: number): OptimizerSettings {
  return {
    learningRate: 5e-3,
    beta1: 0.9,
    beta2: 0.99,
    adamEps: 1e-8,
    weightDecay: 0.01,
    maxGradNorm: 1,
    adamStep: step + 1,
  };
}

/** What a run ends with, besides the weights. */
interface TrainingRun {
  readonly weights: string;
  readonly moments: string;
  readonly gradNorms: number[];
}

interface TrainingOptions {
  readonly shape: Partial<ModelShape>;
  readonly wasm: WasmOptions;
  /** Groups in one micro-batch. */
  readonly groups?: number;
}

/** More rows than a weight gradient packs at a time (256), so that micro-batches cut its blocks elsewhere. */
const TRAINED = randomGroups([6, 8, 1, 2, 9, 7, 5], { seed: 3, longest: 36 });
const TRAINING_ROOM: Partial<Capacity> = { rows: 1024, lossRows: 1024, sets: REFERENCE };
const TRAINED_COMPLETIONS = TRAINED.flatMap(({ completions }) => completions).length;
const ADVANTAGES = Float32Array.from(normals([TRAINED_COMPLETIONS], 4));

/** A micro-batch with what its objective reads: old and reference log-probs are those of the first weights. */
async function prepare(policy: Policy, groups: readonly TokenGroup[], perBatch: number) {
  const batches = splitGroups(groups, { ...policy.capacity, groups: perBatch }).map(packBatch);
  const tokens = groups.reduce((sum, group) => sum + groupLossRows(group), 0);
  let completion = 0;
  const prepared: { batch: PackedBatch; rows: ObjectiveRows }[] = [];
  for (const batch of batches) {
    const { logprobs } = await policy.score(batch, 0.9);
    const { logprobs: refLogprobs } = await policy.score(batch, 0.9, 'reference');
    const rows: ObjectiveRows = {
      oldLogprobs: logprobs,
      refLogprobs,
      coefficients: new Float32Array(batch.lossRowCount).fill(1 / tokens),
      entropyCoefficients: new Float32Array(batch.lossRowCount).fill(0.01 / tokens),
      advantages: Float32Array.from(batch.completionOf, (own) => ADVANTAGES[completion + own]),
    };
    prepared.push({ batch, rows });
    completion += batch.completionCount;
  }
  return prepared;
}

async function train({ shape, wasm, groups = 16 }: TrainingOptions): Promise<TrainingRun> {
  const policy = await openPolicy(await wasmBackend(wasm), shape, TRAINING_ROOM);
  await policy.copySet('reference', 'policy');
  const prepared = await prepare(policy, TRAINED, groups);
  const gradNorms: number[] = [];
  for (let step = 0; step < 5; step++) {
    for (const { batch, rows } of prepared) await policy.accumulate(batch, 0.9, rows, OBJECTIVE_SETTINGS);
    gradNorms.push((await policy.optimize(optimizerAt(step))).gradNorm);
  }
  const weights = sha256Of(await policy.readVector('weights'));
  const moments = sha256Of(
    concatenated([await policy.readVector('firstMoment'), await policy.readVector('secondMoment')]),
  );
  await policy.close();
  return { weights, moments, gradNorms };
}

const SWITCHED: [string, Partial<ModelShape>] = ['with every switch on', VARIANT_WITH_EVERYTHING];

describe.each(fewOf([SWITCHED, ...variants], { quick: 1, all: 2 }))(
  'the weights after 5 training steps (%s)',
  (_, shape) => {
    it.each([
      ['with fma', true],
      ['without fma', false],
    ])('have one SHA-256 for 1, 2 and 3 threads and inline, %s', async (_, fma) => {
      const first = await train({ shape, wasm: { inline: true, fma } });
      expect(packBatch(TRAINED).lossRowCount).toBeGreaterThan(512);
      expect(first.gradNorms.every((norm) => norm > 0 && Number.isFinite(norm))).toBe(true);
      for (const threads of fewOf([3, 1, 2], { quick: 1, all: 2 }))
        expect(await train({ shape, wasm: { threads, fma } })).toEqual(first);
    });

    it.each([
      ['with fma', true],
      ['without fma', false],
    ])('have one SHA-256 for one batch and for micro-batches of 1 and of 3 whole groups, %s', async (_, fma) => {
      const whole = await train({ shape, wasm: { inline: true, fma } });
      for (const groups of [1, 3]) expect(await train({ shape, wasm: { inline: true, fma }, groups })).toEqual(whole);
      expect(await train({ shape, wasm: { threads: 2, fma }, groups: 2 })).toEqual(whole);
    });
  },
);

it('two runs of one seed end with the same SHA-256, a run of another model with another one', async () => {
  const shape = { tieWordEmbeddings: true };
  const first = await train({ shape, wasm: { threads: 2 } });
  expect(await train({ shape, wasm: { threads: 2 } })).toEqual(first);
  const other = await train({ shape: { ...shape, ropeTheta: 5000 }, wasm: { threads: 2 } });
  expect(other.weights).not.toBe(first.weights);
});

describe.each(variants)('a policy with a head that is %s', (_, shape) => {
  it('samples after training with the new weights: bit for bit what the scorer says, and what a fresh policy samples', async () => {
    const backend = await wasmBackend({ threads: 2 });
    const trained = await openPolicy(backend, shape, TRAINING_ROOM);
    const asked = requests(4, 8);
    const before = everyBit(await generate(trained, asked, generationSettings()));
    const [{ batch, rows }] = await prepare(trained, TRAINED, 16);
    for (let step = 0; step < 2; step++) {
      await trained.accumulate(batch, 0.9, rows, { ...OBJECTIVE_SETTINGS, klCoef: 0 });
      await trained.optimize(optimizerAt(step));
    }
    const after = await generate(trained, asked, generationSettings());
    expect(everyBit(after)).not.toEqual(before);
    const scored = await scoreAll(trained, groupsOf(asked, after), 1);
    expectSameBits(concatenated(after.flat().map(({ logprobs }) => logprobs)), scored.logprobs);

    const fresh = await openPolicy(backend, shape);
    fresh.writeVector('weights', await trained.readVector('weights'));
    expectSameBits(everyBit(await generate(fresh, asked, generationSettings())), everyBit(after));
    await trained.close();
    await fresh.close();
  });

  it('has ratios of exactly 1 on policy: the loss is Σ −coefficient·advantage from the sampled log-probs too', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 2 }), shape);
    const asked = requests(3, 5);
    const completions = await generate(policy, asked, generationSettings({ maxCompletionTokens: 10 }));
    const batch = packBatch(groupsOf(asked, completions));
    const sampled = concatenated(completions.flat().map(({ logprobs }) => logprobs));
    const coefficient = Math.fround(1 / batch.lossRowCount);
    const advantages = Float32Array.from(normals([batch.completionCount], 6));
    const rows: ObjectiveRows = {
      oldLogprobs: Float32Array.from(fixtureIndex(batch), (place) => sampled[place]),
      refLogprobs: undefined,
      coefficients: new Float32Array(batch.lossRowCount).fill(coefficient),
      entropyCoefficients: new Float32Array(batch.lossRowCount),
      advantages: Float32Array.from(batch.completionOf, (completion) => advantages[completion]),
    };
    const settings = { ...OBJECTIVE_SETTINGS, klCoef: 0 };
    const expected = Float32Array.from(batch.completionOf, (completion) => -coefficient * advantages[completion]);
    const fromSampler = await policy.accumulate(batch, 1, rows, settings);
    const fromScorer = await policy.accumulate(batch, 1, { ...rows, oldLogprobs: 'current' }, settings);
    expectSameBits(fromSampler.losses, expected);
    expectSameBits(fromScorer.losses, expected);
    await policy.close();
  });
});

describe.each(variants)('a prompt shared by its completions (%s)', (_, shape) => {
  const shared = randomGroups([5, 1, 4], { seed: 9 });
  const alone = shared.flatMap(({ prompt, completions }) =>
    completions.map((completion) => ({ prompt, completions: [completion] })),
  );

  it('takes fewer rows', () => {
    const rows = (groups: readonly TokenGroup[]): number => groups.reduce((sum, group) => sum + groupRows(group), 0);
    expect(rows(shared)).toBeLessThan(rows(alone));
  });

  it.each([true, false])(
    'gives each token the same score as a prompt of its own, bit for bit (fma %s)',
    async (fma) => {
      const policy = await openPolicy(await wasmBackend({ threads: 2, fma }), shape);
      const together = await scoreAll(policy, shared, 0.7);
      const apart = await scoreAll(policy, alone, 0.7);
      expectSameBits(together.logprobs, apart.logprobs);
      expectSameBits(together.entropies, apart.entropies);
      await policy.close();
    },
  );

  it.each([true, false])('gives the same gradients as prompts of their own, within 1e-5 (fma %s)', async (fma) => {
    const policy = await openPolicy(await wasmBackend({ threads: 2, fma }), shape);
    const count = shared.reduce((sum, group) => sum + groupLossRows(group), 0);
    const g = normals([count], 1);
    const h = normals([count], 2);
    const gradientsOf = async (groups: readonly TokenGroup[]) => {
      const batch = packBatch(groups);
      const places = fixtureIndex(batch);
      await policy.forward(batch, 0.7);
      await policy.backward({
        logprobs: Float32Array.from(places, (place) => g[place]),
        entropies: Float32Array.from(places, (place) => h[place]),
      });
      return takeGradients(policy);
    };
    const together = await gradientsOf(shared);
    const apart = await gradientsOf(alone);
    for (const [name, values] of together) {
      expect(worstRelative(values, apart.get(name) ?? []), name).toBeLessThan(1e-5);
    }
    await policy.close();
  });
});
