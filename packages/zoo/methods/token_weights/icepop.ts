/**
 * Leaves tokens alone whose probability under the policy and under what was sampled from differ too much, π_old/π_sampled
 * out of a band, rather than weighing them. Here the two differ where top-k, top-p or min-p cut what may be sampled: a token
 * is out where they kept less of the policy than the lower end. Where batches wait (`staleness`), π_old is the policy before the
 * first step on a batch, and a token is out too if the policy has moved too far on it. Beside `tis` by token, which weighs
 * what stays, it is the paper's whole method. After IcePop of Ring-1T; the band is as we recall it.
 */

import { isSampledByOther } from '../../../../src/methods/sampling_modes/modes.ts';
import { movedLogWeights } from '../../../../src/methods/support/loss/moved_log_weights.ts';
import { proximalLogprobs } from '../../../../src/methods/uses/proximal_logprobs.ts';
import { isTruncated, keys, type LossSequence, method, number, type Rollout, type TokenWeight } from '../kit.ts';

export const icepop = method({
  id: 'icepop',
  about: {
    does: 'Leaves tokens alone that were sampled from too small a part of the policy, or by one too far from it.',
    names: ['Ring-1T', 'MIS', 'masked importance sampling'],
    formula: 'weight 0 where π_old/π_sampled is out of [band_low, band_high]',
    source: '2510.18855',
    certainty: 'after the paper',
    when: 'With a sampler that is not the policy, such as quantised_rollout or top_p; else every weight is 1.',
  },
  companions: [
    { ids: ['tis'], line: 'vllm_importance_sampling_correction: true', why: 'which weighs the tokens that stay' },
  ],
  options: keys({
    bandLow: number({ min: 0, max: 1, example: 0.5 })
      .default(0.5)
      .describe('Least ratio of a token that is trained on.'),
    bandHigh: number({ min: 1, example: 5 }).default(5).describe('Largest ratio of a token that is trained on.'),
  }),
  warn: (_, __, stage) =>
    isTruncated(stage) || isSampledByOther(stage)
      ? undefined
      : 'all of the policy is sampled from, so that every ratio is 1; set top_p, top_k or min_p',
  uses: (_, stage) => (isSampledByOther(stage) ? [proximalLogprobs] : []),
  create: ({ bandLow, bandHigh }, stage): TokenWeight => {
    const logWeightsOf = isSampledByOther(stage) ? movedLogWeights : ({ keptLogMass }: Rollout) => keptLogMass;
    const isOut = ({ rollout }: LossSequence): ((t: number) => boolean) => {
      const logWeights = logWeightsOf(rollout);
      return (t) => {
        const ratio = Math.exp(logWeights[t]);
        return ratio < bandLow || ratio > bandHigh;
      };
    };
    return {
      coupling: 'token',
      ...(!isTruncated(stage) && !isSampledByOther(stage) && { isIdle: true }),
      weigh(sequences, all) {
        sequences.forEach((sequence, i) => {
          const { weights } = all[i];
          const leavesOut = isOut(sequence);
          for (let t = 0; t < weights.length; t++) if (leavesOut(t)) weights[t] = 0;
        });
      },
      measures: {
        add(sequence, meter) {
          const leavesOut = isOut(sequence);
          sequence.coefficients.forEach((coefficient, t) => {
            if (coefficient !== 0) meter.mean('icepop/masked', leavesOut(t) ? 1 : 0, 1);
          });
        },
      },
    };
  },
});
