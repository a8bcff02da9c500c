/**
 * Measures where the policy is unsure, and changes nothing: the entropy of right and of wrong completions, by how far a
 * completion has come, of the fifth of the tokens that are least sure; how many tokens are all but certain, and how many
 * were sampled against the odds. Numbers are those of the policy that sampled.
 */
import { method } from '../method.ts';
import type { CreditStep } from '../points.ts';
import { meanOf, quantileOf } from '../statistics.ts';
import { carriesLoss } from '../tokens.ts';

/** A completion is told of in so many parts. */
const PARTS = 4;
const LEAST_SURE_SHARE = 0.2;
const CERTAIN = 0.99;
const AGAINST_THE_ODDS = 0.05;

interface TokenSeen {
  readonly entropy: number;
  readonly probability: number;
  readonly isRight: boolean;
  /** Which part of its completion it is in, from 1. */
  readonly part: number;
}

export const mEntropy = method({
  id: 'm-entropy',
  about: {
    does: 'Measures where the policy is unsure; changes nothing.',
    formula: 'mean_t H_t of right, of wrong, by quarter, of the top fifth; shares of p ≥ 0.99 and of p < 0.05',
    source: 'own',
    certainty: 'own',
  },
  options: {},
  create: (): CreditStep => ({
    apply(groups, { metric }) {
      const seen: TokenSeen[] = [];
      for (const { rollouts } of groups) {
        for (const rollout of rollouts) {
          const { entropies, logprobs, verdict } = rollout;
          entropies.forEach((entropy, t) => {
            if (!carriesLoss(rollout, t)) return;
            const part = 1 + Math.floor((PARTS * t) / entropies.length);
            seen.push({ entropy, probability: Math.exp(logprobs[t]), isRight: verdict.score === 1, part });
          });
        }
      }
      const tell = (name: string, tokens: readonly TokenSeen[]): void => {
        if (tokens.length > 0) metric(name, meanOf(tokens.map(({ entropy }) => entropy)));
      };
      const share = (of: (token: TokenSeen) => boolean): number => seen.filter(of).length / Math.max(1, seen.length);
      tell(
        'right',
        seen.filter(({ isRight }) => isRight),
      );
      tell(
        'wrong',
        seen.filter(({ isRight }) => !isRight),
      );
      for (let part = 1; part <= PARTS; part++)
        tell(
          `quarter_${part}`,
          seen.filter((token) => token.part === part),
        );
      const least = quantileOf(
        seen.map(({ entropy }) => entropy),
        1 - LEAST_SURE_SHARE,
      );
      tell(
        'least_sure',
        seen.filter(({ entropy }) => entropy >= least),
      );
      metric(
        'certain_share',
        share(({ probability }) => probability >= CERTAIN),
      );
      metric(
        'unlikely_share',
        share(({ probability }) => probability < AGAINST_THE_ODDS),
      );
      return groups;
    },
  }),
});
