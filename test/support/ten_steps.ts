/** Ten steps of the policy objective on one batch, to compare backends with one another. */
import type { Backend } from '../../src/kernels/engine.ts';
import { groupLossRows, groupRows, type PackedBatch, packBatch, splitGroups } from '../../src/model/batch.ts';
import type { Capacity } from '../../src/model/memory/capacity.ts';
import type { OptimizerSettings } from '../../src/model/optimizer.ts';
import type { ObjectiveRows, Policy } from '../../src/model/policy.ts';
import type { ModelShape } from '../../src/model/shape.ts';
import { normals } from './data.ts';
import { bitsOf, NO_UPDATE, openPolicy, randomGroups } from './policies.ts';

const STEPS = 10;

export const WITH_EVERYTHING: Partial<ModelShape> = { tieWordEmbeddings: true, attentionBias: true, qkNorm: true };
export const GROUPS = randomGroups([4, 5, 3], { seed: 2 });
const CAPACITY = { rows: 400, lossRows: 200, kvRows: 800 };

function objectiveRows({ lossRowCount, completionOf, completionCount }: PackedBatch): ObjectiveRows {
  const advantages = normals([completionCount], 3);
  return {
    oldLogprobs: 'current',
    refLogprobs: undefined,
    coefficients: new Float32Array(lossRowCount).fill(1 / lossRowCount),
    entropyCoefficients: new Float32Array(lossRowCount).fill(0.01 / lossRowCount),
    // A mean far from 0, so that the loss is no difference of equals.
    advantages: Float32Array.from(completionOf, (completion) => advantages[completion] + 2),
  };
}

const optimizerAt = (step: number): OptimizerSettings => ({
  ...NO_UPDATE,
  learningRate: 3e-3,
  weightDecay: 0.01,
  maxGradNorm: 1,
  adamStep: step + 1,
});

export interface Trajectory {
  readonly losses: readonly number[];
  readonly gradNorms: readonly number[];
  readonly weights: Float32Array;
}

/** Steps by Muon where the policy has room for it. @param afterStep called after each step */
export async function tenSteps(policy: Policy, afterStep: () => void = () => {}): Promise<Trajectory> {
  const batch = packBatch(GROUPS);
  const settings = { clipEpsilonLow: 0.2, clipEpsilonHigh: 0.2, clipDelta: null, klCoef: 0 };
  const losses: number[] = [];
  const gradNorms: number[] = [];
  for (let step = 0; step < STEPS; step++) {
    const rows = objectiveRows(batch);
    const result = await policy.accumulate(batch, 0.9, rows, settings);
    losses.push(result.losses.reduce((sum, loss) => sum + loss, 0));
    const muon = policy.capacity.muon && ({ optim: 'muon', muonMomentum: 0.95 } as const);
    gradNorms.push((await policy.optimize({ ...optimizerAt(step), ...muon })).gradNorm);
    afterStep();
  }
  return { losses, gradNorms, weights: await policy.readVector('weights') };
}

/** Opens a policy with room for GROUPS, and closes it. */
export async function withPolicy<Result>(
  backend: Backend,
  shape: Partial<ModelShape>,
  use: (policy: Policy) => Promise<Result>,
  further: Partial<Capacity> = {},
): Promise<Result> {
  const policy = await openPolicy(backend, shape, { ...CAPACITY, ...further });
  try {
    return await use(policy);
  } finally {
    await policy.close();
  }
}

/** Gradient bits of GROUPS, cut into batches of at most so many rows, and how many batches that made. */
export function gradientsInParts(
  backend: Backend,
  shape: Partial<ModelShape>,
  rows: number,
  further: Partial<Capacity> = {},
): Promise<{ readonly parts: number; readonly bits: Int32Array }> {
  const gradients = async (policy: Policy): Promise<{ readonly parts: number; readonly bits: Int32Array }> => {
    const parts = splitGroups(GROUPS, { ...policy.capacity, rows, lossRows: rows }).map(packBatch);
    for (const batch of parts) {
      const fill = (value: number) => new Float32Array(batch.lossRowCount).fill(value);
      await policy.forward(batch, 1);
      await policy.backward({ logprobs: fill(-0.01), entropies: fill(-0.001) });
    }
    await policy.optimize(NO_UPDATE);
    return { parts: parts.length, bits: bitsOf(await policy.readVector('gradients')) };
  };
  return withPolicy(backend, shape, gradients, further);
}

/** Rows of the largest of GROUPS: no batch can have fewer. */
export const LARGEST_GROUP = Math.max(...GROUPS.map((group) => Math.max(groupRows(group), groupLossRows(group))));

/** Largest |actual/expected − 1|. */
export function worstRelative(actual: readonly number[], expected: readonly number[]): number {
  return Math.max(...actual.map((value, i) => Math.abs(value / expected[i] - 1)));
}
