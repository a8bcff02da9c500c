/**
 * Learning rate by step: the schedules of transformers' `optimization.py`, under its names.
 *
 * With w warm-up steps, N steps in all, and m the last rate as a fraction of the peak, the factor on the peak rate is
 *
 *     warm-up   (t + 1) / w                                       t < w
 *     linear    m + (1 − m) · (N − t) / (N − w)                   w ≤ t < N
 *     cosine    m + (1 − m) · (1 + cos(π · (t − w) / (N − w))) / 2
 *     constant  1
 *
 * Two deviations from transformers. Its warm-up is t / w, so the first step has rate 0 and changes nothing; ours is one
 * step ahead and reaches the peak at t = w − 1. And m, there only in `cosine_with_min_lr`, also applies to `linear` and
 * `cosine`. As in transformers, the last step is one short of the curve's end: linear at N − 1 is still 1 / (N − w) of
 * the way above the floor, so no step is wasted on rate 0.
 */

/** The stage keys that set its learning rate. */
import type { OptimizerConfig } from '../../methods/stage.ts';
export type ScheduleConfig = Pick<
  OptimizerConfig,
  'learningRate' | 'learningRateSchedule' | 'minLearningRateRatio' | 'warmupSteps' | 'maxSteps'
>;

/**
 * The learning rate of an optimizer step.
 *
 * @param step  0-based index of the step about to be taken; beyond the last one the rate stays at its floor
 */
export function learningRateAt(step: number, config: ScheduleConfig): number {
  const { learningRate, warmupSteps, maxSteps } = config;
  if (step < warmupSteps && config.learningRateSchedule !== 'constant') {
    return (learningRate * (step + 1)) / warmupSteps;
  }
  const progress = Math.min(1, (step - warmupSteps) / Math.max(1, maxSteps - warmupSteps));
  const floor = config.minLearningRateRatio;
  return learningRate * (floor + (1 - floor) * remaining(config.learningRateSchedule, progress));
}

/** Remaining fraction between floor and peak, 1 to 0, at `progress` 0 to 1. */
function remaining(schedule: ScheduleConfig['learningRateSchedule'], progress: number): number {
  switch (schedule) {
    case 'linear':
      return 1 - progress;
    case 'cosine':
    case 'cosine_with_min_lr':
      return (1 + Math.cos(Math.PI * progress)) / 2;
    case 'constant':
    case 'constant_with_warmup':
      return 1;
    default:
      return schedule satisfies never;
  }
}
