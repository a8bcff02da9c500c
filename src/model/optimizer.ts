/**
 * The optimizer step as kernel calls: AdamW on everything, or Muon on the matrices of the layers and AdamW on the rest.
 *
 * Muon steps q, k, v, o, gate, up and down of each layer, each by itself although some are fused, and the low-rank matrices of
 * adapters. Embedding, output layer, norms, biases and magnitudes are AdamW's. Its momentum lies in the first moment; the
 * second moment of its matrices is not touched.
 */
import { ADAMW, type Kernels, type MatrixPlace, MUON, MUON_MATRICES } from '../kernels/kernels.ts';
import type { PlanLimits, Slot } from '../kernels/memory.ts';
import { slotLength } from '../kernels/memory.ts';
import type { BackwardSlots, PolicySlots } from './memory/slots.ts';
import { isTrained, type ParameterSet } from './parameters.ts';

/** One step of the optimizer. */
export interface OptimizerSettings {
  /** What steps the matrices of the layers; by default AdamW. Needs a policy that was planned for it (`Capacity.muon`). */
  readonly optim?: 'muon' | undefined;
  /** Decay of Muon's momentum, in [0, 1); needed with it. */
  readonly muonMomentum?: number | undefined;
  /** 0 or more. */
  readonly learningRate: number;
  /** Decay of the averages of gradients and of their squares; in [0, 1). */
  readonly beta1: number;
  readonly beta2: number;
  /** Added to the root of the second average; above 0. */
  readonly adamEps: number;
  /** Decoupled, times the learning rate; 0: none. Norms and biases have none. */
  readonly weightDecay: number;
  /** Gradients are scaled down to this norm over all weights; 0: no clipping. */
  readonly maxGradNorm: number;
  /** Steps taken with these moments, this one included: 1 for the first. */
  readonly adamStep: number;
}

/** Elements [begin, end) of the trained part. */
interface Range {
  readonly begin: number;
  readonly end: number;
}

/** What Muon steps, largest first, so that threads end together; and what is left to AdamW. */
function shared(weights: ParameterSet): { readonly matrices: readonly MatrixPlace[]; readonly rest: readonly Range[] } {
  const trained = [...weights.parameters, ...weights.adapterParameters]
    .map(({ slot }) => slot)
    .filter((slot) => isTrained(weights, slot))
    .sort((a, b) => a.offset - b.offset);
  const isTable = ({ arena, offset }: Slot): boolean =>
    [weights.embedding, weights.head].some((table) => table.arena === arena && table.offset === offset);
  const matrices: MatrixPlace[] = [];
  const rest: Range[] = [];
  let isRest = false;
  for (const slot of trained) {
    const [rows, columns] = slot.shape;
    const begin = slot.offset - weights.trainable.offset;
    const isHidden = columns !== undefined && !isTable(slot);
    if (isHidden) matrices.push({ begin, rows, columns });
    else rest.push({ begin: isRest ? (rest.pop() as Range).begin : begin, end: begin + slotLength(slot) });
    isRest = !isHidden;
  }
  const size = ({ rows, columns }: MatrixPlace): number => rows * columns;
  return { matrices: matrices.sort((a, b) => size(b) - size(a)), rest };
}

/** The sides of the matrices that Muon steps; undefined if there are none. */
export function muonLimits(weights: ParameterSet): PlanLimits['muon'] {
  const { matrices } = shared(weights);
  if (matrices.length === 0) return undefined;
  return {
    short: Math.max(...matrices.map(({ rows, columns }) => Math.min(rows, columns))),
    long: Math.max(...matrices.map(({ rows, columns }) => Math.max(rows, columns))),
  };
}

/** What a step reads and changes. @throws Error in a plan without training */
function operands({ weights, gradients, firstMoment, secondMoment, backward, results }: PolicySlots) {
  if (!gradients || !firstMoment || !secondMoment || !backward) throw new Error('planned without training');
  const norm = (backward as BackwardSlots).gradNorm;
  return { parameters: weights.trainable, gradients: gradients.all, firstMoment, secondMoment, norm, results };
}

/** AdamW on everything. */
export function adamwStep(kernels: Kernels, slots: PolicySlots): void {
  const { results, ...flat } = operands(slots);
  kernels.adamw({ ...flat, settings: results.adamw, decayLength: slots.weights.decayLength });
}

/** Muon on the matrices of the layers, AdamW on the rest. @param settings  Muon's */
export function muonStep(kernels: Kernels, slots: PolicySlots, settings: Slot): void {
  const { parameters, gradients, firstMoment, secondMoment, norm, results } = operands(slots);
  const { matrices, rest } = shared(slots.weights);
  for (const { begin, end } of rest) {
    const part = (slot: Slot): Slot => ({ ...slot, offset: slot.offset + begin, shape: [end - begin] });
    kernels.adamw({
      parameters: part(parameters),
      gradients: part(gradients),
      firstMoment: part(firstMoment),
      secondMoment: part(secondMoment),
      norm,
      settings: results.adamw,
      decayLength: Math.max(0, Math.min(end, slots.weights.decayLength) - begin),
    });
  }
  for (let i = 0; i < matrices.length; i += MUON_MATRICES) {
    const some = matrices.slice(i, i + MUON_MATRICES);
    kernels.muon({ parameters, gradients, firstMoment, norm, settings, matrices: some });
  }
}

/** `results.adamw`, as the adamw kernel reads it; bias corrections in float64. */
export function adamwSettings(settings: OptimizerSettings): Float64Array {
  const values = new Float64Array(ADAMW.length);
  values[ADAMW.learningRate] = settings.learningRate;
  values[ADAMW.beta1] = settings.beta1;
  values[ADAMW.beta2] = settings.beta2;
  values[ADAMW.epsilon] = settings.adamEps;
  values[ADAMW.weightDecay] = settings.weightDecay;
  values[ADAMW.biasCorrection1] = 1 - settings.beta1 ** settings.adamStep;
  values[ADAMW.biasCorrection2] = 1 - settings.beta2 ** settings.adamStep;
  values[ADAMW.maxGradNorm] = settings.maxGradNorm;
  return values;
}

/** `results.muon`, as the muon kernel reads it. */
export function muonSettings(settings: OptimizerSettings): Float64Array {
  const values = new Float64Array(MUON.length);
  values[MUON.learningRate] = settings.learningRate;
  values[MUON.momentum] = settings.muonMomentum ?? 0;
  values[MUON.weightDecay] = settings.weightDecay;
  values[MUON.maxGradNorm] = settings.maxGradNorm;
  return values;
}
