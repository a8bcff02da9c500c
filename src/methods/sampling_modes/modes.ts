/**
 * Modes of a stage whose rollouts do not come from the weights that learn from them first. Who has to know whether such a mode is
 * on asks all of them, and names none: methods, metrics, messages, plans.
 */
import type { GrpoStageConfig } from '../stage.ts';
import type { SamplingMode } from './mode.ts';
import { QUANTISED } from './quantised.ts';
import { STALE } from './stale.ts';

export const SAMPLING_MODES: readonly SamplingMode[] = [STALE, QUANTISED];

/** Those that a stage is in. */
export function modesOf(stage: GrpoStageConfig): readonly SamplingMode[] {
  return SAMPLING_MODES.filter((mode) => mode.isOn(stage));
}

/** Whether what samples a batch is another policy than the one before the first step on it: `weighs-stale` methods weigh it. */
export function isSampledByOther(stage: GrpoStageConfig): boolean {
  return modesOf(stage).length > 0;
}

/** Whether another policy than the one that learns samples, so that all rollouts are off-policy. */
export function samplesElsewhere(stage: GrpoStageConfig): boolean {
  return modesOf(stage).some((mode) => mode.samplesElsewhere);
}

/** How the copy of the weights is kept that samples; undefined where the weights do. */
export function copyOf(stage: GrpoStageConfig): SamplingMode['copy'] {
  return modesOf(stage).find(({ copy }) => copy)?.copy;
}

/** Whether the forward pass of sampling may be that of the update: the same weights, with nothing in between. */
export function keepsForward(stage: GrpoStageConfig): boolean {
  return !SAMPLING_MODES.some((mode) => mode.spoilsForward(stage));
}
