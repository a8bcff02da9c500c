/**
 * An objective on the host stands where the device's does: between `forward` and `backward`, float64 arithmetic on the
 * scores that the forward pass gives, with the gradients that `accumulate` gives.
 */
import { describe, expect, it } from 'vitest';
import type { PolicyObjectiveArgs } from '../../src/kernels/kernels.ts';
import type { Opened } from '../../src/kernels/reference/operands.ts';
import { policyObjective } from '../../src/kernels/reference/policy_objective.ts';
import { wasmBackend } from '../../src/kernels/wasm/backend.ts';
import type { PackedBatch, TokenGroup } from '../../src/model/batch.ts';
import { packBatch, splitGroups } from '../../src/model/batch.ts';
import type { ObjectiveRows, Policy, ScoresWithLoss } from '../../src/model/policy.ts';
import type { ObjectiveSettings } from '../../src/model/programs.ts';
import { objectiveSettings } from '../../src/model/programs.ts';
import { generateKept } from '../../src/model/sampling/generation.ts';
import type { RolloutRows } from '../../src/model/sampling/kept_rollouts.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { expectSameBits } from '../support/compare.ts';
import { normals } from '../support/data.ts';
import { worstRelative } from '../support/golden_model.ts';
import { generationSettings, NO_UPDATE, openPolicy, REFERENCE, randomGroups } from '../support/policies.ts';

const TEMPERATURE = 0.9;
const ROOM = { rows: 800, lossRows: 800, kvRows: 1600, sets: REFERENCE };
const CLIPPED: ObjectiveSettings = { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.28, clipDelta: null, klCoef: 0 };

type Accumulate = (
  policy: Policy,
  batch: PackedBatch,
  rows: ObjectiveRows,
  settings: ObjectiveSettings,
) => Promise<ScoresWithLoss>;

const onDevice: Accumulate = (policy, batch, rows, settings) => policy.accumulate(batch, TEMPERATURE, rows, settings);

/** The formula of `policyObjective` in float64, between the two halves of the pass. */
const onHost: Accumulate = async (policy, batch, rows, settings) => {
  const scores = await policy.forward(batch, TEMPERATURE);
  const R = batch.lossRowCount;
  const doubles = (values: ArrayLike<number>): Float64Array => Float64Array.from(values);
  const outputs = { losses: new Float64Array(R), dLogprobs: new Float64Array(R), dEntropies: new Float64Array(R) };
  const args: Opened<PolicyObjectiveArgs> = {
    logprobs: doubles(scores.logprobs),
    oldLogprobs: doubles(rows.oldLogprobs === 'current' ? scores.logprobs : rows.oldLogprobs),
    refLogprobs: doubles(rows.refLogprobs ?? scores.logprobs),
    entropies: doubles(scores.entropies),
    advantages: doubles(rows.advantages),
    coefficients: doubles(rows.coefficients),
    entropyCoefficients: doubles(rows.entropyCoefficients),
    settings: doubles(objectiveSettings(settings)),
    ...outputs,
    rows: { begin: 0, end: R },
  };
  policyObjective.run(args, {});
  await policy.backward({
    logprobs: Float32Array.from(outputs.dLogprobs),
    entropies: Float32Array.from(outputs.dEntropies),
  });
  return { ...scores, losses: Float32Array.from(outputs.losses) };
};

/** Some rows masked, old log-probs on both sides of the clip range, advantages of both signs. */
function objectiveRows(batch: PackedBatch, scored: ScoredRows | undefined, entropyCoef: number): ObjectiveRows {
  const R = batch.lossRowCount;
  const shifts = normals([R], 21, 0.4);
  return {
    oldLogprobs: scored ? scored.logprobs.map((value, row) => value + (shifts[row] ?? 0)) : 'current',
    refLogprobs: scored?.refLogprobs,
    coefficients: Float32Array.from({ length: R }, (_, row) => (row % 7 === 3 ? 0 : 1 / R)),
    entropyCoefficients: new Float32Array(R).fill(entropyCoef / R),
    advantages: Float32Array.from(normals([R], 22)),
  };
}

interface ScoredRows {
  readonly logprobs: Float32Array;
  readonly refLogprobs: Float32Array;
}

interface Gradient {
  readonly scores: readonly ScoresWithLoss[];
  readonly gradients: Float32Array;
}

async function takeGradient(policy: Policy): Promise<Float32Array> {
  const gradients = await policy.readVector('gradients');
  await policy.optimize(NO_UPDATE);
  return gradients;
}

function expectSameGradient(host: Gradient, device: Gradient): void {
  device.scores.forEach(({ logprobs, entropies, losses }, i) => {
    expectSameBits(host.scores[i]?.logprobs ?? [], logprobs);
    expectSameBits(host.scores[i]?.entropies ?? [], entropies);
    expect(worstRelative(host.scores[i]?.losses ?? [], losses)).toBeLessThanOrEqual(1e-6);
  });
  expect(device.gradients.some((value) => value !== 0)).toBe(true);
  expect(worstRelative(host.gradients, device.gradients)).toBeLessThanOrEqual(1e-6);
}

const GROUPS = randomGroups([4, 6, 3, 5], { seed: 8 });

/** One gradient over two micro-batches. */
async function gradientOf(
  accumulate: Accumulate,
  shape: Partial<ModelShape>,
  settings: ObjectiveSettings,
  { isOnPolicy, entropyCoef }: { readonly isOnPolicy: boolean; readonly entropyCoef: number },
): Promise<Gradient> {
  const policy = await openPolicy(await wasmBackend({ threads: 2 }), shape, ROOM);
  policy.writeVector(
    'reference',
    (await policy.readVector('weights')).map((value) => 0.97 * value),
  );
  const scores: ScoresWithLoss[] = [];
  for (const batch of splitGroups(GROUPS, { ...policy.capacity, groups: 2 }).map(packBatch)) {
    const { logprobs } = await policy.score(batch, TEMPERATURE);
    const { logprobs: refLogprobs } = await policy.score(batch, TEMPERATURE, 'reference');
    const rows = objectiveRows(batch, isOnPolicy ? undefined : { logprobs, refLogprobs }, entropyCoef);
    scores.push(await accumulate(policy, batch, settings.klCoef === 0 ? rows : { ...rows, refLogprobs }, settings));
  }
  const gradients = await takeGradient(policy);
  await policy.close();
  return { scores, gradients };
}

describe('an objective in float64 on the host', () => {
  it.each([
    ['off policy, clipped', CLIPPED, false, 0],
    ["with oldLogprobs: 'current'", CLIPPED, true, 0],
    ['with delta', { ...CLIPPED, clipDelta: 1.4 }, false, 0],
    ['with a KL term', { ...CLIPPED, klCoef: 0.04 }, false, 0],
    ['with an entropy bonus', CLIPPED, false, 0.01],
    ['with all of them', { ...CLIPPED, clipDelta: 1.4, klCoef: 0.04 }, false, 0.01],
    ["with all of them and oldLogprobs: 'current'", { ...CLIPPED, clipDelta: 1.4, klCoef: 0.04 }, true, 0.01],
  ] as const)("gives the device objective's gradients, %s", async (_, settings, isOnPolicy, entropyCoef) => {
    const shape = { tieWordEmbeddings: true };
    const variant = { isOnPolicy, entropyCoef };
    expectSameGradient(
      await gradientOf(onHost, shape, settings, variant),
      await gradientOf(onDevice, shape, settings, variant),
    );
  });
});

const SETTINGS = generationSettings({ sampling: { temperature: TEMPERATURE, topK: 0, topP: 1, minP: null } });

interface Sampled {
  readonly groups: readonly TokenGroup[];
  readonly places: readonly RolloutRows[];
}

async function rollOut(policy: Policy): Promise<Sampled> {
  const requests = GROUPS.map(({ prompt }, group) => ({ prompt, rolloutNumbers: [0, 1, 2].map((i) => 3 * group + i) }));
  const { completions, places = [] } = await generateKept(policy, requests, SETTINGS);
  const groups = requests.map(({ prompt }, i) => ({ prompt, completions: completions[i]?.map((c) => c.tokens) ?? [] }));
  return { groups, places };
}

/** The second of two gradients of kept rollouts: the first is computed again. Also the programs that it replays. */
async function gradientOfKept(accumulate: Accumulate): Promise<Gradient & { readonly labels: readonly string[] }> {
  const policy = await openPolicy(await wasmBackend({ threads: 2 }), {}, { ...ROOM, keptRows: 800 });
  const labels: string[] = [];
  const replay = policy.engine.replay.bind(policy.engine);
  const scores: ScoresWithLoss[] = [];
  let gradients: Float32Array = new Float32Array();
  for (let round = 0; round < 2; round++) {
    const { groups, places } = await rollOut(policy);
    await policy.keep(groups, places);
    const batch = packBatch(groups);
    policy.engine.replay = (...programs) => {
      if (round === 1) labels.push(...programs.map(({ label }) => label));
      return replay(...programs);
    };
    scores.push(await accumulate(policy, batch, objectiveRows(batch, undefined, 0.01), CLIPPED));
    policy.engine.replay = replay;
    gradients = await takeGradient(policy);
  }
  await policy.close();
  return { scores, gradients, labels };
}

describe('with kept rollouts', () => {
  it('a host objective reads their forward pass, and gives the same gradients', async () => {
    const host = await gradientOfKept(onHost);
    const device = await gradientOfKept(onDevice);
    expectSameGradient(host, device);
    expect(host.labels).toEqual(['zero gradients', 'score kept', 'backward targets', 'backward']);
    expect(device.labels).toContain('score kept');
  });
});

describe('backward', () => {
  const derivatives = (rows: number) => ({ logprobs: new Float32Array(rows), entropies: new Float32Array(rows) });
  const batch = packBatch(GROUPS);

  it.each([
    ['no forward', () => {}],
    ['a forward that was already used', (policy: Policy) => policy.backward(derivatives(batch.lossRowCount))],
    ['scoring', (policy: Policy) => policy.score(batch, 1)],
    ['sampling', (policy: Policy) => rollOut(policy)],
    ['an optimizer step', (policy: Policy) => policy.optimize(NO_UPDATE)],
  ] as const)('is refused after %s', async (name, between) => {
    const policy = await openPolicy(await wasmBackend({ threads: 1 }), {}, { ...ROOM, keptRows: 800 });
    if (name !== 'no forward') await policy.forward(batch, 1);
    await between(policy);
    await expect(policy.backward(derivatives(batch.lossRowCount))).rejects.toThrow(
      /^backward without its forward pass: call forward first/,
    );
    await policy.close();
  });

  it('is refused with derivatives of another number of rows', async () => {
    const policy = await openPolicy(await wasmBackend({ threads: 1 }), {}, ROOM);
    await policy.forward(batch, 1);
    await expect(policy.backward(derivatives(batch.lossRowCount - 1))).rejects.toThrow(
      /for a batch of \d+ loss rows: \d+ are needed$/,
    );
    await policy.close();
  });
});
