import { choice, key, number } from '../../options/keys.ts';
import { method } from '../method.ts';
import type { CreditStep } from '../points.ts';
import type { CreditedGroup } from '../records.ts';
import { quantileOf } from '../statistics.ts';
import { carriesLoss } from '../tokens.ts';

const share = number({ min: 0, max: 1, example: 0.2 });

/**
 * Entropies are the batch's, under the policy that sampled. The KL term still acts on all tokens; rewards and
 * advantages do not change.
 */
export const topEntropyMask = method({
  id: 'top-entropy-mask',
  about: {
    does: 'Trains on the share of tokens at which the policy was least sure.',
    formula: 'm_t = 1[H_t ≥ quantile(H, 1 − top_entropy_quantile)]',
    source: '2506.01939',
    certainty: 'paper',
    names: ['80/20', 'forking tokens'],
  },
  options: {
    topEntropyShare: key(
      'top_entropy_quantile',
      share.default(0.2).describe('Share of the tokens that the policy term acts on.'),
    ),
    entropyScope: key(
      'scope',
      choice(['batch', 'sequence'])
        .default('batch')
        .describe('Whose entropies a token is compared with: those of the whole batch, or of its completion.'),
    ),
  },
  switchedOnBy: {
    key: key(
      'top_entropy_quantile',
      share
        .default(1)
        .describe('Share of the tokens, those of highest entropy, that the policy term acts on; 1 is all.'),
    ),
    on: (value) => (value === 1 ? undefined : { top_entropy_quantile: value as number }),
    written: (options) => (options.scope === 'batch' ? options.top_entropy_quantile : undefined),
  },
  create: ({ topEntropyShare: kept, entropyScope: scope }): CreditStep => ({
    apply(groups) {
      const ofBatch = scope === 'batch' ? quantileOf(groups.flatMap(entropiesOf), 1 - kept) : undefined;
      return groups.map((group) => ({
        ...group,
        tokenSelection: group.rollouts.map((rollout, i) => {
          const least = ofBatch ?? quantileOf(entropiesOf({ rollouts: [rollout] }), 1 - kept);
          const earlier = group.tokenSelection?.[i];
          return rollout.entropies.map((entropy, t) => (entropy >= least ? (earlier?.[t] ?? 1) : 0));
        }),
      }));
    },
  }),
});

/** Entropies of the tokens that carry a loss. */
function entropiesOf({ rollouts }: Pick<CreditedGroup, 'rollouts'>): number[] {
  return rollouts.flatMap((rollout) => [...rollout.entropies].filter((_, t) => carriesLoss(rollout, t)));
}
