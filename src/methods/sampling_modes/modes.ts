/**
 * Modes of a stage whose rollouts do not come from the weights that first learn from them. Methods, metrics, messages
 * and plans query all modes here, and name none.
 */
import type { GrpoStageConfig } from '../stage.ts';
import type { SamplingMode } from './mode.ts';
import { QUANTISED } from './quantised.ts';
import { STALE } from './stale.ts';

export const SAMPLING_MODES: readonly SamplingMode[] = [STALE, QUANTISED];

/** The modes of a stage. */
export function modesOf(stage: GrpoStageConfig): readonly SamplingMode[] {
  return SAMPLING_MODES.filter((mode) => mode.isOn(stage));
}

/**
 * Whether a batch's sampler differs from the policy before the first step on it, which `weighs-stale` methods correct.
 */
export function isSampledByOther(stage: GrpoStageConfig): boolean {
  return modesOf(stage).length > 0;
}

/** Whether a policy other than the learning one samples, so that all rollouts are off-policy. */
export function samplesElsewhere(stage: GrpoStageConfig): boolean {
  return modesOf(stage).some((mode) => mode.samplesElsewhere);
}

/** Storage of the copy of the weights that samples; undefined if the weights sample. */
export function copyOf(stage: GrpoStageConfig): SamplingMode['copy'] {
  return modesOf(stage).find(({ copy }) => copy)?.copy;
}

/** Whether the update may reuse the forward pass of sampling: the weights are the same, with nothing in between. */
export function keepsForward(stage: GrpoStageConfig): boolean {
  return !SAMPLING_MODES.some((mode) => mode.spoilsForward(stage));
}
