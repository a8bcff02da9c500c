/**
 * The clip holds the policy near the one that the step began with, and not near the one that sampled: a completion that
 * is replayed, hinted, waited (`staleness`) or was sampled at another temperature is as free to move as any other, and
 * what it is off by is a weight that no gradient sees. μ is that of whatever sampled, π_prox the policy before the
 * first step on a batch, π the one now. A weight above `behaviour_cap` leaves its token out, as AReaL does, or is cut
 * to it, as truncated importance sampling does. Completions that are on-policy are not touched: of them π_prox is μ, to
 * the bit.
 */
import { isTruncated, offPolicySamplers } from '../../../../src/methods/chosen.ts';
import { isSampledByOther } from '../../../../src/methods/sampling_modes/modes.ts';
import { proximalLogprobs } from '../../../../src/methods/uses/proximal_logprobs.ts';
import { choice, keys, type LossSequence, method, number, type TokenWeight } from '../kit.ts';

export const decoupled = method({
  id: 'decoupled',
  about: {
    does: 'Clips against the policy before the step, and weighs off-policy tokens by what they were sampled from.',
    names: ['AReaL', 'decoupled PPO', 'proximal policy'],
    formula:
      'w_t·min(r_t·A, clip(r_t)·A) with r_t = π/π_prox and w_t = sg(π_prox/μ), 0 or behaviour_cap where above it',
    source: '2505.24298',
    certainty: 'paper',
    when: 'With staleness or several steps on a batch; at the first step on fresh rollouts it changes nothing.',
  },
  against: ['stale-rollouts'],
  options: keys({
    behaviourCap: number({ above: 0, example: 5 }).default(5).describe('Largest weight that a token has.'),
    aboveCap: choice(['mask', 'truncate'])
      .default('mask')
      .describe('mask: a token of a larger weight is left out; truncate: it weighs behaviour_cap.'),
  }),
  tells: ['weighs-stale'],
  uses: () => [proximalLogprobs],
  warn: (_, __, stage) =>
    isTruncated(stage)
      ? 'weighs by the whole policy, while top_k, top_p or min_p kept part of it from being sampled; sample from all of it'
      : undefined,
  note: (_, __, stage, members) =>
    isSampledByOther(stage) || offPolicySamplers(members, stage).length > 0
      ? undefined
      : 'nothing of this stage is sampled off-policy, so that it changes nothing; leave it out',
  create: ({ behaviourCap, aboveCap }): TokenWeight => {
    const weightAt = ({ rollout: { logprobs, proximalLogprobs } }: LossSequence, t: number): number => {
      if (proximalLogprobs === undefined) return 1;
      const weight = Math.exp(proximalLogprobs[t] - logprobs[t]);
      if (weight <= behaviourCap) return weight;
      return aboveCap === 'mask' ? 0 : behaviourCap;
    };
    return {
      coupling: 'token',
      offPolicyOnly: true,
      weigh(sequences, all) {
        sequences.forEach((sequence, i) => {
          const { importance } = all[i];
          for (let t = 0; t < importance.length; t++) importance[t] *= weightAt(sequence, t);
        });
      },
      measures: {
        add(sequence, meter) {
          const { proximalLogprobs, logprobs } = sequence.rollout;
          if (proximalLogprobs === undefined) return;
          sequence.coefficients.forEach((coefficient, t) => {
            if (coefficient === 0) return;
            meter.mean('decoupled/weight', weightAt(sequence, t), 1);
            meter.mean('decoupled/above_cap', proximalLogprobs[t] - logprobs[t] > Math.log(behaviourCap) ? 1 : 0, 1);
          });
        },
      },
    };
  },
});
