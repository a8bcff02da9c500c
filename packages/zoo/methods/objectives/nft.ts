/**
 * NFT: supervised learning from right and wrong answers. With r̂ the share of right answers of a group, what the policy
 * was is a mixture: π_old = r̂·π⁺ + (1 − r̂)·π⁻. Right answers raise the likelihood under π⁺, the policy that is trained;
 * wrong ones that under π⁻, which that leaves implied:
 *
 *   right   −ω·log R          wrong   −ω·log max(nft_floor, (1 − r̂·R)/(1 − r̂)),   R = π/π_old, ω = √((1 − r̂)/r̂)
 *
 * The floor lets gradients through. Advantages that are divided by the deviation say all of it: ω = A of right answers, and
 * of wrong ones r̂/(1 − r̂) = A² and ω = 1/|A|, so that none of the group is asked again. (TRL's deviation makes that
 * (G − 1)/G of them.) Where the policy has not moved, the gradient is that of the group's advantages, as the paper shows.
 */
import { keys, method, number, optionOf, type Surrogate } from '../kit.ts';
import { weighted } from '../support/loss/weighted.ts';

export const nft = method({
  id: 'nft',
  about: {
    does: 'Learns right answers by their likelihood, and wrong ones by that of the policy that is left implied.',
    names: ['negative-aware fine-tuning'],
    formula:
      '−A·log r where A > 0; else −|A|⁻¹·log max(nft_floor, 1 + A²·(1 − r)), the floor not stopping the gradient',
    source: '2505.18116',
    certainty: 'after the paper',
    when: 'With several updates a batch and rewards of 0 and 1; at one update it is the policy gradient.',
  },
  options: keys({
    nftFloor: number({ above: 0, max: 1, example: 1 })
      .default(1)
      .describe(
        'Least ratio of the implied policy: the smaller, the harder wrong tokens are pushed that became likelier.',
      ),
  }),
  warn: (_, methods) =>
    optionOf(methods, 'scale_rewards') === 'none'
      ? 'reads the share of right answers from advantages that are divided by the deviation; leave scale_rewards at group'
      : undefined,
  actsOn: 'moved',
  create: ({ nftFloor }): Surrogate =>
    weighted(({ logRatio, advantage }) => {
      if (advantage >= 0) return 1;
      const ratio = Math.exp(logRatio);
      return ratio / Math.max(nftFloor, 1 + advantage * advantage * (1 - ratio));
    }),
});
