/**
 * Norms of each layer's gradient, weights, and last optimizer step, from the vectors that the step left behind:
 *
 *   θ_after = θ_before·(1 − lr·decay) − lr·a,   a = m/(1 − β1ᵗ) / (√(v/(1 − β2ᵗ)) + ε),   so that θ_before need not be kept
 *
 * Costs four copies of the trained parameters to the host, only if a method asks. Moments do not tell
 * a step of Muon.
 */
import type { LayerNorms } from '../methods/points.ts';
import type { OptimizerConfig } from '../methods/stage.ts';
import type { Policy } from '../model/policy.ts';

/** The step that was taken: its learning rate, and its number since the moments were zero, from 1. */
export interface OptimizerStep {
  readonly learningRate: number;
  readonly adamStep: number;
}

/** Elements of the flat vectors that belong to one layer. */
interface Stretch {
  readonly layer: string;
  readonly begin: number;
  readonly end: number;
}

const OF_A_LAYER = /(?:^|\.)layers\.(\d+)\./;

/** @returns one entry a layer by its number, and `other`: embedding, head and the last norm, as far as they are trained */
export async function layerNorms(
  policy: Policy,
  { optim, beta1, beta2, adamEps, weightDecay }: OptimizerConfig,
  { learningRate, adamStep }: OptimizerStep,
): Promise<readonly LayerNorms[]> {
  const names = ['weights', 'gradients', 'firstMoment', 'secondMoment'] as const;
  const [weights, gradients, first, second] = await Promise.all(names.map((name) => policy.readVector(name)));
  const { decayLength } = policy.slots.weights;
  const [correction1, correction2] = [1 - beta1 ** adamStep, 1 - beta2 ** adamStep];
  const sums = new Map<string, { gradient: number; weights: number; update: number }>();
  for (const { layer, begin, end } of stretches(policy)) {
    const sum = sums.get(layer) ?? { gradient: 0, weights: 0, update: 0 };
    sums.set(layer, sum);
    for (let i = begin; i < end; i++) {
      sum.gradient += gradients[i] ** 2;
      sum.weights += weights[i] ** 2;
      if (adamStep < 1) continue; // the moments were zeroed after the step
      const move = learningRate * (first[i] / correction1 / (Math.sqrt(second[i] / correction2) + adamEps));
      const decay = i < decayLength ? learningRate * weightDecay : 0;
      sum.update += (weights[i] - (weights[i] + move) / (1 - decay)) ** 2;
    }
  }
  return Array.from(sums, ([layer, sum]) => ({
    layer,
    gradient: Math.sqrt(sum.gradient),
    weights: Math.sqrt(sum.weights),
    update: optim === 'muon' ? undefined : Math.sqrt(sum.update),
  }));
}

/** The trained tensors; gaps between them are 0 in every vector. */
function stretches({ parameters, adapterParameters, slots }: Policy): readonly Stretch[] {
  const { arena, offset: first, shape } = slots.weights.trainable;
  const trained = [...parameters, ...adapterParameters]
    .filter(({ slot }) => slot.arena === arena)
    .sort((a, b) => a.slot.offset - b.slot.offset);
  return trained.map(({ name, slot }, i) => ({
    layer: OF_A_LAYER.exec(name)?.[1] ?? 'other',
    begin: slot.offset - first,
    end: i + 1 < trained.length ? trained[i + 1].slot.offset - first : shape[0],
  }));
}
