import { type SamplingMode, WEIGHED } from './mode.ts';

/** Batches wait while the policy moves on (`staleness`). */
export const STALE: SamplingMode = {
  example: ['staleness above 0', (stage) => ({ ...stage, staleness: 1 })],
  isOn: ({ staleness = 0 }) => staleness > 0,
  spoilsForward: ({ staleness }) => staleness !== undefined,
  samplesElsewhere: false,
  uncorrected: ({ staleness }, missing, instead) =>
    `completions are trained on ${staleness} batches after they were sampled, and ${missing} for the policy ` +
    `having moved on; use ${instead}staleness: 0, ${WEIGHED}`,
};
