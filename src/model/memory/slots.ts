/** The slots of a policy by name: what its programs read and write. */
import type { Count, Slot } from '../../kernels/memory.ts';
import type { OutputName } from '../outputs/names.ts';
import type { GradientSlots, ParameterSet } from '../parameters.ts';
import type { RolloutCopy } from '../rollout_copy.ts';
import type { ForwardSlots, RowInputs, ScoredForward } from './activations.ts';
import type { AdapterScratch } from './adapter_scratch.ts';
import type { AheadSlots } from './ahead_slots.ts';
import type { OutputSlots } from './output_slots.ts';

export interface PolicySlots {
  readonly weights: ParameterSet;
  readonly gradients: GradientSlots | undefined;
  /** The optimizer's moments, flat: the layout of `weights.trainable`. */
  readonly firstMoment: Slot | undefined;
  readonly secondMoment: Slot | undefined;
  /** Those of the capacity, by name. */
  readonly sets: ReadonlyMap<string, ParameterSet>;
  /** The copy that rollouts may be sampled from instead of the weights. */
  readonly copy: RolloutCopy | undefined;
  /** [1] share of one parameter set when it is mixed into another. */
  readonly mixShare: Slot | undefined;
  /** Slots of the planned outputs. */
  readonly outputs: { readonly [name in OutputName]?: OutputSlots };
  /** With a tied head: the embedding's share of the gradient, kept apart so that its order does not depend on micro-batches. */
  readonly embeddingGradient: Slot | undefined;
  /** Where there are adapters. */
  readonly adapterScratch: AdapterScratch | undefined;
  readonly cos: Slot;
  readonly sin: Slot;
  /** Those of layers that turn in another way. */
  readonly otherRotary: RotarySlots | undefined;
  /** [D] what is added to the residual stream is multiplied by; absent: nothing comes between. */
  readonly branchScale: Slot | undefined;
  readonly sampling: ForwardSlots;
  readonly training: ForwardSlots | undefined;
  readonly rollout: ForwardSlots | undefined;
  /** The rows of the last layer's output that the head reads. */
  readonly gathered: Slot;
  readonly gatheredRstd: Slot;
  readonly hidden: Slot;
  readonly scored: ScoredForward;
  readonly backward: BackwardSlots | undefined;
  readonly inputs: InputSlots;
  readonly results: ResultSlots;
  /** Where several steps run between two reads. */
  readonly ahead: AheadSlots | undefined;
}

/** [context, hd/2] each. */
export interface RotarySlots {
  readonly cos: Slot;
  readonly sin: Slot;
}

export interface BackwardSlots {
  readonly dX: Slot;
  readonly dNormed: Slot;
  readonly dGateUp: Slot;
  readonly dActivated: Slot;
  readonly dAttention: Slot;
  readonly dQ: Slot;
  readonly dKv: Slot;
  readonly dQkv: Slot;
  readonly dHidden: Slot;
  readonly dGathered: Slot;
  readonly normPartials: Slot;
  readonly gradNorm: Slot;
}

/** Int arrays: inputs that the host fills before a replay, counts that programs read, and two outputs of programs. */
export interface InputSlots extends RowInputs {
  readonly prefixGroups: Slot;
  readonly sortedRows: Slot;
  readonly bucketTokens: Slot;
  readonly bucketOffsets: Slot;
  /** The rows of a batch that are scored (`../scored/scored_rows.ts`). */
  readonly scoredIndex: Slot;
  readonly scoredOffsets: Slot;
  readonly scoredIntervals: Slot;
  readonly scoredWindowIntervals: Slot | undefined;
  readonly scoredGroups: Slot;
  /** Rows that reach the head: scored rows with a loss in training, sampling rows in decoding. */
  readonly lossIndex: Slot;
  readonly lossOffsets: Slot;
  readonly targets: Slot;
  readonly rolloutNumbers: Slot;
  readonly counters: Slot;
  readonly samplingKey: Slot;
  readonly groupOffsets: Slot;
  /** Written by `advantages`: 1 for a group whose rewards are all equal. */
  readonly dead: Slot;
  /** Written by `sample`: one token id a sampled row. */
  readonly sampled: Slot;
  /** Copies of openings in a batch (`../batch_openings.ts`). */
  readonly openingFrom: Slot;
  readonly openingRows: Slot;
  readonly openingCopies: Slot;
  readonly openingOffsets: Slot;
  /** [rows] the row of `rollout` that each training row comes from, and the cache row of its keys and values. */
  readonly keptFrom: Slot;
  /** [scored] the same for scored rows only. */
  readonly keptScoredFrom: Slot;
  readonly keptKvFrom: Slot;
  /** [rows copied at once] rows of the cache that are copied, and those that they are copied to. */
  readonly kvFrom: Slot;
  readonly kvTo: Slot;
  readonly counts: Slot;
}

/** Places in `inputs.counts`. */
export const COUNTS = {
  rows: 0,
  lossRows: 1,
  prefixGroups: 2,
  buckets: 3,
  /** The next five are those of a decoding step, which writes them together. */
  samples: 4,
  rolloutBegin: 5,
  rolloutEnd: 6,
  aheadBegin: 7,
  aheadEnd: 8,
  groups: 9,
  keptBegin: 10,
  keptEnd: 11,
  keptKvBegin: 12,
  keptKvEnd: 13,
  keptScoredBegin: 14,
  keptScoredEnd: 15,
  copied: 16,
  kvRows: 17,
  openingBegin: 18,
  openingEnd: 19,
  openingRows: 20,
  scoredRows: 21,
  length: 22,
} as const;

/** Real arrays over loss rows and completions, and settings. */
export interface ResultSlots {
  readonly temperature: Slot;
  readonly sampling: Slot;
  readonly objective: Slot;
  readonly adamw: Slot;
  /** Where Muon may step. */
  readonly muon: Slot | undefined;
  readonly logprobs: Slot;
  readonly logSumExp: Slot;
  readonly entropies: Slot;
  readonly keptLogMass: Slot;
  readonly oldLogprobs: Slot;
  readonly refLogprobs: Slot;
  readonly coefficients: Slot;
  readonly entropyCoefficients: Slot;
  readonly losses: Slot;
  readonly dLogprobs: Slot;
  readonly dEntropies: Slot;
  /** Per loss row, as the objective reads them. */
  readonly advantages: Slot;
  readonly rewards: Slot;
  /** Per completion, as the estimator on the device writes them. */
  readonly groupAdvantages: Slot;
}

/** A count that a program reads at replay. */
export function countOf(inputs: InputSlots, place: keyof Omit<typeof COUNTS, 'length'>): Count {
  return { slot: inputs.counts, index: COUNTS[place] };
}
