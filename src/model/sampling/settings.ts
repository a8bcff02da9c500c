/** How completions are sampled. */
import type { SampledSequence } from './sampled_sequence.ts';

export interface SamplingSettings {
  /** 0: greedy. */
  readonly temperature: number;
  /** 0: off. */
  readonly topK: number;
  /** 1: off. */
  readonly topP: number;
  /** null: off. */
  readonly minP: number | null;
}

/** Sampling from the policy itself: no token is left out. @param temperature  0: greedy */
export function wholeVocabulary(temperature: number): SamplingSettings {
  return { temperature, topK: 0, topP: 1, minP: null };
}

/**
 * Everything that a token depends on besides weights, earlier tokens, rollout and position. Callers make it once (for
 * rollouts `../../grpo/rollout/sampling_params.ts`), and it is passed on whole to where a member acts.
 */
export interface SamplingParams {
  readonly sampling: SamplingSettings;
  /** Words of the Philox key: two integers of 32 bits, which stand for a seed. */
  readonly samplingKey: readonly [number, number];
  /** Most tokens after a completion's given ones; default: as many as fit. */
  readonly turnTokens?: number | undefined;
  /** Samples from the policy's copy in fewer bits (`Capacity.rolloutCopy`), and keeps nothing. */
  readonly fromCopy?: boolean | undefined;
}

/** Picks the parameters from a larger record. */
export function paramsOf({ sampling, samplingKey, turnTokens, fromCopy }: SamplingParams): SamplingParams {
  return { sampling, samplingKey, turnTokens, fromCopy } satisfies {
    [name in keyof Required<SamplingParams>]: unknown;
  };
}

/** Settings of all completions of a call. Equal settings, weights and rollout numbers give equal tokens. */
export interface GenerationSettings extends SamplingParams {
  /** 1 or more; prompt and completion together fit the policy's context. */
  readonly maxCompletionTokens: number;
  /** A completion ends with any of these. */
  readonly stopIds: readonly number[];
  /** Every completion stops after exactly this many tokens, whatever they are. */
  readonly fixedCompletionTokens?: number | undefined;
  /** Follows completions that are sampled without a control. */
  readonly watch?: WatchSampling | undefined;
}

/**
 * Called after each block of steps. @param sequences  those that are sampled side by side, in order: only to be read
 * @param before  completions of the call before them, all ended
 */
export type WatchSampling = (
  sequences: readonly Pick<SampledSequence, 'tokens' | 'finishReason'>[],
  before: number,
) => void;

/** The sampler settings that decide how steps are computed, not what they draw. */
export interface StepSettings extends Pick<SamplingParams, 'fromCopy'> {
  /** Whether activations stay for `Policy.keep`, as far as there is room; by default not. */
  readonly keep?: boolean | undefined;
}
