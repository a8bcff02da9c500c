/** Small policies with random weights, random groups, and what tests compare of them. */
import { createHash } from 'node:crypto';
import type { Backend } from '../../src/kernels/engine.ts';
import { slotLength } from '../../src/kernels/memory.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { type PackedBatch, packBatch, type TokenGroup } from '../../src/model/batch.ts';
import type { Capacity } from '../../src/model/memory/capacity.ts';
import type { Trained } from '../../src/model/memory/plan.ts';
import type { OptimizerSettings } from '../../src/model/optimizer.ts';
import type { Parameter } from '../../src/model/parameters.ts';
import { Policy } from '../../src/model/policy.ts';
import { type GenerationSettings, generate, type SamplingSettings } from '../../src/model/sampling/generation.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { normals } from './data.ts';
import type { GoldenModel } from './golden_model.ts';
import { fixtureIndex } from './golden_model.ts';

/** Two query heads share each key/value head; the vocabulary and the feed-forward size end within a SIMD tile. */
export const SMALL_SHAPE: ModelShape = {
  vocabSize: 43,
  hiddenSize: 32,
  intermediateSize: 44,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 2,
  headDim: 8,
  ropeTheta: 10_000,
  rmsNormEps: 1e-6,
  tieWordEmbeddings: false,
  attentionBias: false,
  qkNorm: false,
};

export const SMALL_CAPACITY: Capacity = {
  rows: 400,
  lossRows: 400,
  groups: 16,
  completions: 64,
  kvRows: 2400,
  context: 64,
  training: true,
  keptRows: 0,
};

/** The sets of a policy with a reference. */
export const REFERENCE = { reference: 'scored' } as const;

/** Weights of a tensor far enough from their initial values that no norm is 1, no bias 0 and no softmax flat. */
function randomTensor({ slot, initial }: Parameter, seed: number, deviation = 0.25): Float64Array {
  const noise = normals(slot.shape, seed, deviation);
  return initial === 'one' || initial === 'norm' ? noise.map((value) => Math.fround(1 + value)) : noise;
}

/** A policy with random weights; what is not given is SMALL_SHAPE and SMALL_CAPACITY. */
export async function openPolicy(
  backend: Backend,
  shape: Partial<ModelShape> = {},
  capacity: Partial<Capacity> = {},
  seed = 1,
  trained?: Trained,
): Promise<Policy> {
  const opened = [
    { ...SMALL_SHAPE, ...shape },
    { ...SMALL_CAPACITY, ...capacity },
  ] as const;
  const policy = await Policy.open(backend, ...opened, trained);
  [...policy.parameters, ...policy.adapterParameters].forEach((parameter, index) => {
    policy.writeParameter(parameter, randomTensor(parameter, seed * 1000 + index));
  });
  return policy;
}

/** A policy with the weights of a golden model. */
export async function openGolden(
  backend: Backend,
  golden: GoldenModel,
  further: Partial<Capacity> = {},
): Promise<Policy> {
  const capacity = { rows: 32, lossRows: 16, groups: 4, completions: 8, kvRows: 40, context: 16 };
  const policy = await Policy.open(backend, golden.shape, { ...capacity, training: true, keptRows: 0, ...further });
  for (const parameter of policy.parameters) policy.writeParameter(parameter, golden.weights.get(parameter.name) ?? []);
  return policy;
}

/** AdamW without a step, decay or clipping: it only joins the two gradients of a tied embedding. */
export const NO_UPDATE: OptimizerSettings = {
  learningRate: 0,
  beta1: 0.9,
  beta2: 0.999,
  adamEps: 1e-8,
  weightDecay: 0,
  maxGradNorm: 0,
  adamStep: 1,
};

/** Derivatives by what the loss rows of a batch score, at random. */
export const randomDerivatives = ({ lossRowCount }: PackedBatch) => ({
  logprobs: Float32Array.from(normals([lossRowCount], 21)),
  entropies: Float32Array.from(normals([lossRowCount], 22, 0.1)),
});

/** A pass over a batch and back, whose gradients are added to those before it. */
export async function accumulate(policy: Policy, batch: PackedBatch): Promise<void> {
  await policy.forward(batch, 0.9);
  await policy.backward(randomDerivatives(batch));
}

/** The gradients accumulated so far, tensor by tensor, in the engine's precision; ends the accumulation. */
export async function takeGradients(policy: Policy): Promise<ReadonlyMap<string, Float32Array | Float64Array>> {
  await policy.optimize(NO_UPDATE);
  const { gradients } = policy.slots;
  if (gradients === undefined) throw new Error('a policy opened for sampling has no gradients');
  const flat = (await policy.engine.read(gradients.all)) as Float32Array | Float64Array;
  const trained = [...policy.parameters, ...policy.adapterParameters].filter(
    ({ slot }) => slot.arena === policy.slots.weights.trainable.arena,
  );
  return new Map(trained.map(({ name, slot }) => [name, flat.slice(slot.offset, slot.offset + slotLength(slot))]));
}

/** Random prompts and completions: group i has `sizes[i]` completions, of 1 to `longest` tokens. */
export function randomGroups(
  sizes: readonly number[],
  { seed = 1, vocabSize = SMALL_SHAPE.vocabSize, longest = 12 } = {},
): TokenGroup[] {
  const rng = rngFor(`groups|${seed}`);
  const tokens = (length: number): Int32Array => new Int32Array(length).map(() => rng.int(0, vocabSize - 1));
  return sizes.map((size) => ({
    prompt: tokens(rng.int(1, 9)),
    completions: Array.from({ length: size }, () => tokens(rng.int(1, longest))),
  }));
}

/** From a batch's loss rows to completions one behind the other, each in its own order. */
export function inCompletionOrder(batch: PackedBatch, values: Float32Array): Float32Array {
  const out = new Float32Array(values.length);
  fixtureIndex(batch).forEach((place, row) => {
    out[place] = values[row];
  });
  return out;
}

/** The arrays, one behind the other. */
export function concatenated(parts: readonly Float32Array[]): Float32Array {
  const out = new Float32Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** The bits of float32 values, as integers to compare. */
export function bitsOf(values: Float32Array): Int32Array {
  return new Int32Array(Float32Array.from(values).buffer);
}

export function sha256Of(values: Float32Array): string {
  return createHash('sha256').update(bitsOf(values)).digest('hex');
}

export const NO_FILTERS: SamplingSettings = { temperature: 1, topK: 0, topP: 1, minP: null };

export function generationSettings(settings: Partial<GenerationSettings> = {}): GenerationSettings {
  return { sampling: NO_FILTERS, samplingKey: [11, 3], maxCompletionTokens: 40, stopIds: [2], ...settings };
}

/** Two completions of each prompt: the bits of their log-probs as they were sampled, and as each is scored by itself. */
export async function sampledAndScored(policy: Policy, groups: readonly TokenGroup[], maxCompletionTokens: number) {
  const requests = groups.map(({ prompt }, i) => ({ prompt, rolloutNumbers: [2 * i, 2 * i + 1] }));
  const sampled = await generate(policy, requests, generationSettings({ maxCompletionTokens }));
  const bits: { readonly sampled: Int32Array; readonly scored: Int32Array }[] = [];
  for (const [i, { prompt }] of requests.entries()) {
    for (const { tokens, logprobs } of sampled[i]) {
      const scores = await policy.score(packBatch([{ prompt, completions: [tokens] }]), 1);
      bits.push({ sampled: bitsOf(logprobs), scored: bitsOf(scores.logprobs) });
    }
  }
  return bits;
}
