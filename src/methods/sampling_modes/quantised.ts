import { type SamplingMode, WEIGHED } from './mode.ts';

/** A copy of the weights in fewer bits samples (`quantised_rollout`). */
export const QUANTISED: SamplingMode = {
  example: [
    'quantised_rollout: true',
    (stage) => ({ ...stage, sampling: { ...stage.sampling, quantisedRollout: true } }),
  ],
  isOn: ({ sampling: { quantisedRollout = false } }) => quantisedRollout,
  spoilsForward: (stage) => QUANTISED.isOn(stage),
  samplesElsewhere: true,
  copy: 'q8_0',
  uncorrected: (_, missing, instead) =>
    `completions are sampled from a copy of the weights in 8 bits, and ${missing} for what it is off by; ` +
    `use ${instead}quantised_rollout: false, ${WEIGHED}`,
  // At the first update the ratio to the copy is the correcting weight, within the clip; later updates mix both.
  unweighed: {
    level: 'note',
    at: { key: 'quantised_rollout' },
    value: true,
    text:
      'ratios are to the copy that sampled: they begin off 1, and the clip holds the policy near the copy; ' +
      'vllm_importance_sampling_correction: true weighs tokens by what rounding did, and clips near the policy',
  },
};
