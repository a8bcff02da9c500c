/**
 * A policy on any backend that rolls out and takes GRPO steps, without a trainer around it: the same work for every
 * backend and size. Weights are random, rewards are the share of ids in the lower half of the vocabulary.
 */
import { packBatch } from '../build/src/model/batch.js';
import { initialTensor } from '../build/src/model/initialize.js';
import { Policy } from '../build/src/model/policy.js';
import { generate, generateKept } from '../build/src/model/sampling/generation.js';
import { mean } from './statistics.mjs';

export const LEARNING_RATE = 1e-6;
const OPTIMIZER = {
  learningRate: LEARNING_RATE,
  beta1: 0.9,
  beta2: 0.999,
  adamEps: 1e-8,
  weightDecay: 0,
  maxGradNorm: 1,
};
/** Ids 0 and 1 are padding and end of text, as in our tokenizers; prompts do without them. */
const EOS = 1;
const OBJECTIVE = { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.2, clipDelta: null, klCoef: 0 };

/** The race of bench/step.mjs. */
export const RACE_SIZE = {
  label: 'race',
  shape: {
    vocabSize: 32,
    hiddenSize: 128,
    intermediateSize: 320,
    numLayers: 4,
    numHeads: 4,
    numKvHeads: 4,
    headDim: 32,
  },
  promptTokens: 33,
  completionTokens: 32,
  prompts: 16,
  groupSize: 8,
  /** Groups that an update holds at once; all of them, and the rollout's activations are kept. */
  groupsAtOnce: 16,
};

/** A model of 135 M parameters, as SmolLM's smallest. */
export const LARGE_SIZE = {
  label: '135 M',
  shape: {
    vocabSize: 49_152,
    hiddenSize: 576,
    intermediateSize: 1536,
    numLayers: 30,
    numHeads: 9,
    numKvHeads: 3,
    headDim: 64,
  },
  promptTokens: 64,
  completionTokens: 256,
  prompts: 8,
  groupSize: 8,
  groupsAtOnce: 1,
};

/** A few seconds on a software adapter. */
export const SMALL_SIZE = { ...RACE_SIZE, label: 'race, 4 prompts × 4', prompts: 4, groupSize: 4, groupsAtOnce: 4 };

export const completionsOf = ({ prompts, groupSize }) => prompts * groupSize;

/**
 * Opens a policy for the work of a size.
 *
 * @param tokensOf sampled ids → those to train on
 * @param sample   how requests are completed; by default each in one turn of the size's tokens
 */
export async function openSide(backend, size, { tokensOf = (ids) => ids, sample } = {}) {
  const { shape, promptTokens, completionTokens, prompts, groupSize, groupsAtOnce } = size;
  const isWhole = groupsAtOnce === prompts;
  const rowsOf = (groups) => groups * (promptTokens + groupSize * (completionTokens - 1));
  const completions = completionsOf(size);
  const policy = await Policy.open(
    backend,
    { ...shape, ropeTheta: 10_000, rmsNormEps: 1e-5, tieWordEmbeddings: true, attentionBias: false, qkNorm: false },
    {
      rows: Math.max(rowsOf(groupsAtOnce), prompts * promptTokens),
      lossRows: groupsAtOnce * groupSize * completionTokens,
      groups: groupsAtOnce,
      completions,
      kvRows: prompts * promptTokens + completions * completionTokens,
      context: promptTokens + completionTokens,
      training: true,
      keptRows: isWhole ? rowsOf(prompts) : 0,
    },
  );
  for (const parameter of policy.parameters) {
    policy.writeParameter(parameter, initialTensor(policy.shape, parameter, 0, 0.05));
  }
  let step = 0;

  const rollOut = async () => {
    const requests = requestsOf(size, step);
    const settings = {
      sampling: { temperature: 1, topK: 0, topP: 1, minP: null },
      samplingKey: [step, 0],
      maxCompletionTokens: completionTokens,
      stopIds: [EOS],
      fixedCompletionTokens: completionTokens,
    };
    const inOneTurn = isWhole
      ? generateKept
      : async () => ({ completions: await generate(policy, requests, settings) });
    const kept = await (sample ?? inOneTurn)(policy, requests, settings);
    const groups = requests.map(({ prompt }, i) => ({
      prompt,
      completions: kept.completions[i].map((c) => tokensOf(c.tokens)),
      labels: kept.completions[i].map((c) => c.labels),
    }));
    return { groups, places: kept.places, entropies: kept.completions.flat().map((c) => c.entropies) };
  };
  const update = async ({ groups, places }) => {
    const flat = groups.flatMap((group) => group.completions);
    const rewards = Float32Array.from(flat, (ids) => ids.filter((id) => id < shape.vocabSize / 2).length / ids.length);
    const offsets = Int32Array.from({ length: groups.length + 1 }, (_, i) => i * groupSize);
    const { advantages } = await policy.advantages(rewards, offsets, 'group');
    if (places !== undefined) await policy.keep(groups, places);
    for (let first = 0; first < groups.length; first += groupsAtOnce) {
      const batch = packBatch(groups.slice(first, first + groupsAtOnce));
      const rows = {
        oldLogprobs: 'current',
        refLogprobs: undefined,
        coefficients: new Float32Array(batch.lossRowCount).fill(1 / (completions * completionTokens)),
        entropyCoefficients: new Float32Array(batch.lossRowCount),
        advantages: Float32Array.from(batch.completionOf, (completion) => advantages[first * groupSize + completion]),
      };
      await policy.accumulate(batch, 1, rows, OBJECTIVE);
    }
    return policy.optimize({ ...OPTIMIZER, adamStep: step + 1 });
  };
  return {
    policy,
    /** One rollout of all prompts. */
    async rollout() {
      const start = performance.now();
      await rollOut();
      step++;
      return { seconds: (performance.now() - start) / 1000 };
    },
    /** Rollout, rewards, advantages, gradient, AdamW. `entropy`: mean over the sampled tokens, nats. */
    async step() {
      const start = performance.now();
      const rollout = await rollOut();
      const middle = performance.now();
      const { gradNorm } = await update(rollout);
      step++;
      const end = performance.now();
      return {
        seconds: (end - start) / 1000,
        gradNorm,
        entropy: mean(rollout.entropies.flatMap((values) => Array.from(values))),
        split: { rollout: (middle - start) / 1000, update: (end - middle) / 1000 },
      };
    },
    close: () => policy.close(),
  };
}

/** The same prompts for every side: a fixed sequence of ids. */
export function requestsOf({ shape, promptTokens, prompts, groupSize }, step) {
  return Array.from({ length: prompts }, (_, group) => ({
    prompt: Int32Array.from(
      { length: promptTokens },
      (_, i) => 2 + ((7919 * step + 101 * group + 31 * i) % (shape.vocabSize - 2)),
    ),
    rolloutNumbers: Array.from({ length: groupSize }, (_, i) => group * groupSize + i),
  }));
}

export function parametersOf({ policy }) {
  return policy.slots.weights.trainable.shape[0];
}
