/** Activations of rollouts stand in for the update's forward pass: the same gradients, bit for bit, with less work. */
import { describe, expect, it } from 'vitest';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import type { TokenGroup } from '../../src/model/batch.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Trained } from '../../src/model/memory/plan.ts';
import type { ObjectiveRows, Policy } from '../../src/model/policy.ts';
import type { GenerationRequest } from '../../src/model/sampling/generation.ts';
import { generateKept } from '../../src/model/sampling/generation.ts';
import type { RolloutRows } from '../../src/model/sampling/kept_rollouts.ts';
import type { SampledSequence } from '../../src/model/sampling/sampled_sequence.ts';
import { openSampler } from '../../src/model/sampling/sampler.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { expectSameBits } from '../support/compare.ts';
import { generationSettings, NO_FILTERS, openPolicy, randomGroups } from '../support/policies.ts';

const ROOM = { rows: 1600, lossRows: 1600, kvRows: 3200, context: 144 };
/** What all prompts begin with, where they have an opening in common. */
const OPENING = Int32Array.from({ length: 80 }, (_, i) => (7 * i + 3) % 43);
const OBJECTIVE = { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.28, clipDelta: null, klCoef: 0 };
const SETTINGS = generationSettings({ sampling: { ...NO_FILTERS, temperature: 1 } });

interface Round {
  readonly groups: readonly TokenGroup[];
  readonly places: readonly RolloutRows[];
}

async function rollOut(
  policy: Policy,
  groups: number,
  first: number,
  opening: Int32Array = new Int32Array(),
): Promise<Round> {
  const requests = randomGroups(new Array(groups).fill(1), { seed: 7 + first }).map(
    ({ prompt }, group): GenerationRequest => ({
      prompt: Int32Array.of(...opening, ...prompt),
      rolloutNumbers: Array.from({ length: 4 }, (_, i) => first + group * 4 + i),
    }),
  );
  const { completions, places } = await generateKept(policy, requests, SETTINGS);
  if (places === undefined) throw new Error('nothing was kept');
  return {
    places,
    groups: requests.map(({ prompt }, i) => ({ prompt, completions: completions[i].map(({ tokens }) => tokens) })),
  };
}

/** Labels of all programs that a piece of work replays. */
async function replayed(policy: Policy, work: () => Promise<unknown>): Promise<string[]> {
  const labels: string[] = [];
  const { engine } = policy;
  const replay = engine.replay.bind(engine);
  engine.replay = (...programs) => {
    labels.push(...programs.map(({ label }) => label));
    return replay(...programs);
  };
  await work();
  engine.replay = replay;
  return labels;
}

/** Rolls out two rounds, keeps every second group, and takes one gradient of what was kept. */
async function gradientOfKeptRounds(
  policy: Policy,
  opening?: Int32Array,
): Promise<{ gradients: Float32Array; labels: string[] }> {
  policy.forgetKept();
  const kept: TokenGroup[] = [];
  for (const first of [0, 100]) {
    const { groups, places } = await rollOut(policy, 6, first, opening);
    const odd = (_: unknown, i: number): boolean => i % 2 === 1;
    await policy.keep(groups.filter(odd), places.filter(odd));
    kept.push(...groups.filter(odd));
  }
  return gradientOf(policy, kept);
}

async function gradientOf(
  policy: Policy,
  kept: readonly TokenGroup[],
): Promise<{ gradients: Float32Array; labels: string[] }> {
  const batch = packBatch(kept);
  const rows: ObjectiveRows = {
    oldLogprobs: 'current',
    refLogprobs: undefined,
    coefficients: new Float32Array(batch.lossRowCount).fill(1 / batch.lossRowCount),
    entropyCoefficients: new Float32Array(batch.lossRowCount).fill(0.01 / batch.lossRowCount),
    advantages: Float32Array.from(batch.completionOf, (completion) => (completion % 3) - 1),
  };
  const labels = await replayed(policy, () => policy.accumulate(batch, 1, rows, OBJECTIVE));
  const gradients = await policy.readVector('gradients');
  await policy.optimize({
    learningRate: 0,
    beta1: 0.9,
    beta2: 0.95,
    adamEps: 1e-8,
    weightDecay: 0,
    maxGradNorm: 1,
    adamStep: 1,
  });
  return { gradients, labels };
}

const variants: [string, Partial<ModelShape>, Trained?][] = [
  ['Llama', { tieWordEmbeddings: true }],
  ['Qwen3', { qkNorm: true, attentionBias: true }],
  ['windows', { family: { window: { size: 5, layers: [true, false, true] } } }],
  ['Llama with adapters', {}, { adapter: { rank: 4, scale: 2, targets: ADAPTER_TARGETS } }],
];

describe.each(variants)('kept rollouts, %s', (_, shape, trained) => {
  it.each([1, 2])('give the gradients of a computed forward pass, bit for bit (threads: %d)', async (threads) => {
    const policy = await openPolicy(await wasmBackend({ threads }), shape, { ...ROOM, keptRows: 1600 }, 1, trained);
    const first = await gradientOfKeptRounds(policy);
    const second = await gradientOfKeptRounds(policy);
    await policy.close();
    // The first time it is computed again, so that a run can compare it with the sampler on its first step.
    expect(first.labels).toContain('score');
    expect(second.labels).toContain('score kept');
    expect(second.labels).not.toContain('score');
    expect(first.gradients.some((value) => value !== 0)).toBe(true);
    expectSameBits(second.gradients, first.gradients);
  });

  it('give them too where prompts have an opening in common, whose rows were computed once', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 2 }), shape, { ...ROOM, keptRows: 1600 }, 1, trained);
    const first = await gradientOfKeptRounds(policy, OPENING);
    const second = await gradientOfKeptRounds(policy, OPENING);
    await policy.close();
    expect(first.labels).toContain('score');
    expect(second.labels).toContain('score kept');
    expectSameBits(second.gradients, first.gradients);
  });
});

describe('sequences with forced tokens and branches', () => {
  /** Two turns of four sequences, one with tokens forced in between, and two branches. */
  async function sampleTurns(policy: Policy, keep: boolean) {
    const sampler = openSampler(policy, { ...SETTINGS, keep });
    const prefix = Int32Array.of(3, 1, 4, 1, 5);
    const sequences = sampler.add([{ prefix, rolloutNumbers: [1, 2, 3, 4], stopIds: [2], maxTokens: 9, room: 24 }]);
    await sampler.run(sequences);
    sampler.append(sequences[0], [7, 8, 9]);
    const branches = [sampler.fork(sequences[1], 3, 5), sampler.fork(sequences[2], 0, 6)];
    await sampler.run([...sequences, ...branches]);
    const all = [sequences[0], branches[0], sequences[3], branches[1]];
    return { sampler, all, prefix };
  }

  async function gradientOfTurns(policy: Policy) {
    policy.forgetKept();
    const { sampler, all, prefix } = await sampleTurns(policy, true);
    const group = {
      prompt: prefix,
      completions: all.map(({ tokens }) => tokens),
      labels: all.map(({ labels }) => labels),
    };
    await policy.keep([group], [sampler.keptRows(all)]);
    return gradientOf(policy, [group]);
  }

  it('are kept like any others', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 1 }), {}, { ...ROOM, keptRows: 200 });
    const first = await gradientOfTurns(policy);
    const second = await gradientOfTurns(policy);
    await policy.close();
    expect(first.labels).toContain('score');
    expect(second.labels).toContain('score kept');
    expectSameBits(second.gradients, first.gradients);
  });

  it('are sampled the same, and computed again, where the rows that can be kept are used up', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 1 }), {}, { ...ROOM, keptRows: 30 });
    const tokensOf = ({ all }: { readonly all: readonly SampledSequence[] }) => all.map(({ tokens }) => [...tokens]);
    expect(tokensOf(await sampleTurns(policy, true))).toEqual(tokensOf(await sampleTurns(policy, false)));
    for (let round = 0; round < 2; round++) expect((await gradientOfTurns(policy)).labels).toContain('score');
    await policy.close();
  });
});

describe('what was kept is forgotten', () => {
  const once = async (between: (policy: Policy, round: Round) => Promise<unknown> | unknown): Promise<string[]> => {
    const policy = await openPolicy(await wasmBackend({ threads: 1 }), {}, { ...ROOM, keptRows: 1600 });
    await gradientOfKeptRounds(policy);
    policy.forgetKept();
    const round = await rollOut(policy, 2, 300);
    await policy.keep(round.groups, round.places);
    await between(policy, round);
    const batch = packBatch(round.groups);
    const zeros = new Float32Array(batch.lossRowCount);
    const rows: ObjectiveRows = {
      oldLogprobs: 'current',
      refLogprobs: undefined,
      coefficients: zeros,
      entropyCoefficients: zeros,
      advantages: zeros,
    };
    const labels = await replayed(policy, () => policy.accumulate(batch, 1, rows, OBJECTIVE));
    await policy.close();
    return labels;
  };

  it('not by rolling out more', async () => {
    expect(await once((policy) => rollOut(policy, 2, 400))).toContain('score kept');
  });
  it('by an optimizer step', async () => {
    const adamw = {
      learningRate: 0,
      beta1: 0.9,
      beta2: 0.95,
      adamEps: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
      adamStep: 1,
    };
    expect(await once((policy) => policy.optimize(adamw))).toContain('score');
  });
  it('by new weights', async () => {
    const write = async (policy: Policy): Promise<void> =>
      policy.writeVector('weights', await policy.readVector('weights'));
    expect(await once(write)).toContain('score');
  });
  it('by scoring, which uses the same rows', async () => {
    expect(await once((policy, { groups }) => policy.score(packBatch(groups), 1))).toContain('score');
  });
  it('where another batch is asked for', async () => {
    const longer = async (policy: Policy): Promise<void> => {
      const { groups, places } = await rollOut(policy, 1, 500);
      await policy.keep(groups, places);
    };
    expect(await once(longer)).toContain('score');
  });
});
