/**
 * Shapes credit by how sure the policy was. First by completion, c its divergence KL(U‖p) over all tokens, ĉ among its
 * group: what was right although unsure is rewarded more, what was wrong although sure is punished more. Then by token:
 * of each a little is taken that grows with the logit of the token within its completion, but never so much that a
 * reward becomes a punishment. Logits are those above the mean logit of their place, since softmax does not see a shift
 * that all logits of a place share.
 */

import { advantagesByToken } from '../../../../src/methods/support/credit/map_advantages.ts';
import type { CreditedGroup, CreditStep, Rollout } from '../kit.ts';
import { carriesLoss, choice, counts, key, keys, method, number } from '../kit.ts';
import { certaintyOf, scoresAmong, uniformKlOf } from '../support/credit/certainty.ts';
import { mapAdvantages } from '../support/credit/map_advantages.ts';
import { uniformKl } from '../uses/uniform_kl.ts';

const coefficient = (yaml: string, fallback: number, text: string) =>
  key(yaml, number({ min: 0, example: fallback }).default(fallback).describe(text));

export const confidence = method({
  id: 'confidence',
  about: {
    does: 'Rewards right answers of an unsure policy more, and punishes wrong ones of a sure policy more.',
    names: ['UCAS'],
    formula:
      'A ← A·exp(−right_certainty·ĉ) where A > 0, else A·exp(wrong_certainty·ĉ); A_t ← A − logit_penalty·minmax_t(u_o)',
    source: '2510.10649',
    certainty: 'paper',
  },
  options: keys({
    rightCertainty: coefficient('right_certainty', 0.25, 'How much certainty lowers advantages above 0.'),
    wrongCertainty: coefficient('wrong_certainty', 0.35, 'How much certainty magnifies the other advantages.'),
    logitPenalty: coefficient('logit_penalty', 0.05, 'Most that is taken from a token for its logit.'),
    certaintyOver: choice(['sum', 'mean'])
      .default('sum')
      .describe('Whether the certainty of a completion is the sum or the mean over its tokens.'),
  }),
  uses: ({ rightCertainty, wrongCertainty, logitPenalty }) =>
    rightCertainty + wrongCertainty + logitPenalty === 0 ? [] : [uniformKl],
  create: ({ rightCertainty, wrongCertainty, logitPenalty, certaintyOver }): CreditStep => {
    const scale = (groups: readonly CreditedGroup[]): readonly CreditedGroup[] => {
      const scores = new Map<Rollout, number>();
      for (const { rollouts, dead } of groups) {
        if (dead) continue;
        const found = scoresAmong(rollouts.map((one) => (counts(one) ? certaintyOf(one, certaintyOver) : undefined)));
        for (const [i, rollout] of rollouts.entries()) scores.set(rollout, found[i]);
      }
      return mapAdvantages(groups, (advantage, rollout) => {
        const score = scores.get(rollout) ?? 0;
        return advantage * Math.exp(advantage > 0 ? -rightCertainty * score : wrongCertainty * score);
      });
    };
    const penalize = (group: CreditedGroup): CreditedGroup => {
      if (group.dead) return group;
      const tokenAdvantages = group.rollouts.map((rollout, i) => {
        const own = advantagesByToken(group, i);
        if (!counts(rollout)) return own;
        const shares = logitShares(rollout);
        return own.map((advantage, t) => {
          const less = advantage - logitPenalty * shares[t];
          return advantage > 0 ? Math.max(0, less) : less;
        });
      });
      return { ...group, tokenAdvantages };
    };
    return {
      apply(groups) {
        const scaled = rightCertainty + wrongCertainty === 0 ? groups : scale(groups);
        return logitPenalty === 0 ? scaled : scaled.map(penalize);
      },
    };
  },
});

/** [tokens] where the logit of each lies between the least and the largest of its completion, in [0, 1]. */
function logitShares(rollout: Rollout): Float64Array {
  const nats = uniformKlOf(rollout);
  // logprob = u − lse, and KL(U‖p) = lse − mean u − ln V: their sum is u − mean u, but for ln V, which all share.
  const logits = new Float64Array(nats.length);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let t = 0; t < logits.length; t++) {
    logits[t] = rollout.logprobs[t] + nats[t];
    if (!carriesLoss(rollout, t)) continue;
    least = Math.min(least, logits[t]);
    most = Math.max(most, logits[t]);
  }
  for (let t = 0; t < logits.length; t++) {
    logits[t] = most > least && carriesLoss(rollout, t) ? (logits[t] - least) / (most - least) : 0;
  }
  return logits;
}
