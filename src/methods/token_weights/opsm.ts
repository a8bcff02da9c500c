import { key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { TokenWeight } from '../points.ts';

const threshold = number({ min: 0, example: 0.1 });

/** Such a completion has already become less likely. */
export const opsm = method({
  id: 'opsm',
  about: {
    does: 'Leaves completions of negative advantage alone that the policy has moved away from.',
    names: ['off-policy sequence mask'],
    formula: 'weight 0 where A < 0 and mean_t (old_t − logprob_t) > off_policy_mask_threshold',
    source: '2512.02556',
    certainty: 'after the paper',
  },
  against: ['stale-rollouts'],
  options: {
    mostDrift: key(
      'off_policy_mask_threshold',
      threshold.describe('Most nats per token that the policy may have moved away from a completion.'),
    ),
  },
  switchedOnBy: {
    key: key(
      'off_policy_mask_threshold',
      threshold
        .nullable()
        .default(null)
        .describe(
          'Leave completions of negative advantage alone that the policy has moved away from by more nats per token; ' +
            'null is off.',
        ),
    ),
    on: (value) => (value === null ? undefined : { off_policy_mask_threshold: value as number }),
    written: (options) => options.off_policy_mask_threshold,
  },
  actsOn: 'moved',
  create: ({ mostDrift }): TokenWeight => ({
    coupling: 'sequence',
    offPolicyOnly: true,
    weigh(sequences, all) {
      sequences.forEach(({ logprobs, oldLogprobs, coefficients, advantages }, i) => {
        let [sum, tokens] = [0, 0];
        for (let t = 0; t < coefficients.length; t++) {
          if (coefficients[t] === 0) continue;
          sum += oldLogprobs[t] - logprobs[t];
          tokens++;
        }
        if (sum <= mostDrift * Math.max(1, tokens)) return;
        const { weights } = all[i];
        for (let t = 0; t < weights.length; t++) if (advantages[t] < 0) weights[t] = 0;
      });
    },
  }),
});
