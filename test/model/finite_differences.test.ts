/** The whole model's gradients in float64 against central differences, on batches of prompts with several completions. */
import { describe, expect, it } from 'vitest';
import { slotLength } from '../../src/kernels/memory.ts';
import { rngFor } from '../../src/kernels/philox.ts';
import { referenceBackend } from '../../src/kernels/reference/engine.ts';
import { ADAPTER_TARGETS } from '../../src/model/adapter.ts';
import type { PackedBatch } from '../../src/model/batch.ts';
import { packBatch } from '../../src/model/batch.ts';
import type { Trained } from '../../src/model/memory/plan.ts';
import type { Parameter } from '../../src/model/parameters.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { normals } from '../support/data.ts';
import { openPolicy, randomGroups, takeGradients } from '../support/policies.ts';

const TEMPERATURE = 0.7;
const STEP = 1e-3;
/** Of the five-point formula: its truncation is of order STEP⁴, its rounding 1e-16/STEP. */
const RELATIVE = 1e-8;
const ELEMENTS = 4;

const BASE: Partial<ModelShape> = {
  vocabSize: 11,
  hiddenSize: 8,
  intermediateSize: 10,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 2,
  headDim: 4,
};

// biome-ignore format: a table
const variants: [string, Partial<ModelShape>, Trained?][] = [
  ['grouped query heads, untied head', {}],
  ['one key/value head and a head size that is not D/H', { numKvHeads: 1, headDim: 6 }],
  ['tied head', { tieWordEmbeddings: true }],
  ['q/k/v biases, tied head', { attentionBias: true, tieWordEmbeddings: true }],
  ['q/k norm', { qkNorm: true, headDim: 6 }],
  ['q/k norm, biases and tied head at once', { qkNorm: true, attentionBias: true, tieWordEmbeddings: true }],
  ['adapters beside every matrix', { attentionBias: true, tieWordEmbeddings: true },
    { adapter: { rank: 3, scale: 0.5, targets: ADAPTER_TARGETS } }],
  ['adapters beside some modules of fused matrices, and everything else trained too', {},
    { adapter: { rank: 2, scale: 0.5, targets: ['k_proj', 'o_proj', 'up_proj'] }, isTrainable: () => true }],
];

/** S = Σ g·logprob + h·entropy of the batch in the policy's slots, in float64. */
async function sumOfScores(policy: Policy, batch: PackedBatch, g: Float32Array, h: Float32Array): Promise<number> {
  await policy.score(batch, TEMPERATURE);
  const logprobs = await policy.engine.read(policy.slots.results.logprobs, batch.lossRowCount);
  const entropies = await policy.engine.read(policy.slots.results.entropies, batch.lossRowCount);
  return g.reduce((sum, weight, row) => sum + weight * logprobs[row] + h[row] * entropies[row], 0);
}

/** Distinct random places of a tensor. */
function pickElements({ name, slot }: Parameter): number[] {
  const all = Array.from({ length: slotLength(slot) }, (_, i) => i);
  return rngFor(`elements|${name}`).shuffle(all).slice(0, ELEMENTS);
}

describe('dS/dθ on the reference backend', () => {
  it.each(variants)('equals central differences in every tensor: %s', async (_, variant, trained) => {
    const capacity = { rows: 64, lossRows: 64, groups: 4, completions: 8, kvRows: 64, context: 24 };
    const policy = await openPolicy(referenceBackend, { ...BASE, ...variant }, capacity, 5, trained);
    const batch = packBatch(randomGroups([3, 1, 2], { seed: 2, vocabSize: 11, longest: 6 }));
    const g = Float32Array.from(normals([batch.lossRowCount], 1));
    const h = Float32Array.from(normals([batch.lossRowCount], 2));

    await policy.forward(batch, TEMPERATURE);
    await policy.backward({ logprobs: g, entropies: h });
    const gradients = await takeGradients(policy);
    const { trainable: all } = policy.slots.weights;
    const weights = await policy.engine.read(all);
    const tensors = [...policy.parameters, ...policy.adapterParameters];
    for (const parameter of tensors.filter(({ slot }) => slot.arena === all.arena)) {
      const gradient = gradients.get(parameter.name) ?? new Float64Array();
      const scale = Math.max(...gradient.map(Math.abs));
      expect(scale, `${parameter.name} has a gradient`).toBeGreaterThan(1e-3);
      for (const element of pickElements(parameter)) {
        const at = parameter.slot.offset + element;
        const shifted = async (steps: number): Promise<number> => {
          policy.engine.write(all, [weights[at] + steps * STEP], at);
          return sumOfScores(policy, batch, g, h);
        };
        const near = (await shifted(1)) - (await shifted(-1));
        const far = (await shifted(2)) - (await shifted(-2));
        policy.engine.write(all, [weights[at]], at);
        const expected = (8 * near - far) / (12 * STEP);
        const error = Math.abs(gradient[element] - expected) / Math.max(scale, 1);
        expect(error, `${parameter.name}[${element}]: ${gradient[element]}, ${expected}`).toBeLessThan(RELATIVE);
      }
    }
    await policy.close();
  });
});
